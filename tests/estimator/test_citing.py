"""What a model is made of says where it comes from."""

import re

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import okpca
from okpca import (
    KernelNoveltyDetector,
    OnlineKernelPCA,
    StreamPipeline,
    budget,
    cite,
    dictionary,
    preimage,
    presets,
    rules,
    weights,
)
from okpca.detection import SubspaceTracker
from okpca.detection.limits import NAMES as STATISTICS
from okpca.estimator import citing
from okpca.subspace import MutualSubspaceClassifier

PARTS = [
    thing
    for room, base in (
        (rules, rules.Rule),
        (dictionary, dictionary.Policy),
        (budget, budget.Budget),
        (weights, weights.Weight),
        (preimage, preimage.PreImage),
    )
    for thing in vars(room).values()
    if isinstance(thing, type) and issubclass(thing, base) and thing is not base
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_part_says_its_references_or_none(part):
    assert {"references", "cited"} & set(vars(part))
    assert set(part.references) <= set(citing.entries())


@pytest.mark.parametrize("name", rules.NAMES)
def test_every_rule_by_name(name):
    keys = cite(OnlineKernelPCA(rule=name)).keys
    assert set(keys) - {"okpca"} <= set(citing.entries())
    assert (name == "exact") == (not rules.NAMES[name].cited())


def test_the_entries_are_bibtex():
    for key, entry in citing.entries().items():
        assert re.match(r"@(article|inproceedings|misc|techreport)\{" + key + ",", entry)
        assert entry.count("{") == entry.count("}")
        assert {"author", "title", "year"} <= set(re.findall(r"(?m)^  (\w+) = ", entry))
        line = citing._line(entry)
        assert "{" not in line
        assert "\\" not in line
        assert line.endswith(".")


def test_every_entry_is_of_use():
    used = {key for part in PARTS for key in part.references}
    used |= {key for rule in rules.NAMES.values() for key in rule.cited()}
    used |= {key for keys in citing.STATISTICS.values() for key in keys}
    used |= {key for keys in citing.LIMITS.values() for key in keys}
    used |= {"kashima2001", "choi2004", "chin2006", "oja1982", citing.KERNEL_PCA}
    used |= set(MutualSubspaceClassifier.references)
    assert set(citing.entries()) == used


ALWAYS = {"schoelkopf1998", "mika1999", "schoelkopf1999", "okpca"}  # kernel PCA, pre-images, us
DISTANCE = {"engel2004", "honeine2012"}
PAPERS = {
    "ikpca": {"chin2007"},
    "ikpca_rs": {"chin2007"},
    "iksvd": {"chin2007", "chin2006"},
    "kashima_apex": {"kung1990", "kashima2001"},
    "kashima_oja": {"oja1982", "kashima2001"},
    "kashima_simultaneous": {"oja1992", "kashima2001"},
    "kha": {"sanger1989", "kim2005", "honeine2012"},
    "okha": {"sanger1989", "kim2005"} | DISTANCE,
    "okha_single": {"oja1982"} | DISTANCE,
    "on_kha": {"oja1992", "souzafilho2017"} | DISTANCE,
    "oo_kha": {"oja1992", "souzafilho2017"} | DISTANCE,
    "rkpca": {"oja1982", "huang2011"} | DISTANCE,
    "subkha": {"sanger1989", "kim2005", "washizawa2012", "souzafilho2017"},
    "tanaka": {"tanaka2012", "richard2009", "souzafilho2017"},
}


@pytest.mark.parametrize("name", presets.__all__)
def test_a_preset_cites_its_paper(name):
    model = getattr(presets, name)(*(([[0.0]],) if name == "kha" else ()))
    found = cite(model)
    assert set(found.keys) == PAPERS[name] | ALWAYS
    assert found.bibtex.count("@") == len(found.keys)
    assert found.keys[0] == citing.KERNEL_PCA


# As on their first pages, and as the others cite them.
TITLE_PAGES = {
    "kashima2001": ("Kashima, Hisashi", "On-line Kernel Principal Component Analysis", "RT0401"),
    "chin2007": (
        "Chin, Tat-Jun and Suter, David",
        "Incremental Kernel Principal Component Analysis",
        "10.1109/TIP.2007.896668",
    ),
    "honeine2012": (
        "Honeine, Paul",
        "Online Kernel Principal Component Analysis: A Reduced-Order Model",
        "10.1109/TPAMI.2011.270",
    ),
    "huang2011": (
        "Huang, Hsin-Hsiung and Yeh, Yi-Ren",
        "An Iterative Algorithm for Robust Kernel Principal Component Analysis",
        "Neurocomputing",
    ),
    "souzafilho2017": (
        r"Souza Filho, Jo{\~a}o B. O. and Diniz, Paulo S. R.",
        "Improving {KPCA} Online Extraction by Orthonormalization in the Feature Space",
        "10.1109/TNNLS.2017.2660441",
    ),
}


@pytest.mark.parametrize("key", TITLE_PAGES)
def test_the_five_papers_as_on_their_title_pages(key):
    author, title, number = TITLE_PAGES[key]
    entry = citing.entries()[key]
    assert f"author = {{{author}}}" in entry
    assert f"title = {{{title}}}" in entry
    assert f"= {{{number}}}" in entry


def test_options_cite_what_they_add():
    plain = set(cite(presets.okha(3)).keys)
    assert set(cite(presets.okha(3, centred_atoms=True)).keys) == plain
    assert set(cite(presets.okha(3, preimage="conformal")).keys) - plain == {"honeine2009"}
    assert set(cite(presets.okha(3, preimage="nonnegative")).keys) - plain == {"kallas2011"}
    assert set(cite(presets.okha(3, preimage="ridge")).keys) - plain == {"bakir2004"}
    assert "chin2006" in cite(presets.ikpca(3, center=False)).keys
    assert "kashima2001" in cite(presets.okha(3, init="unit")).keys
    assert "kashima2001" in cite(presets.kashima_apex(2, start_points=[[0.0], [1.0]])).keys
    assert "huang2011" in cite(presets.rkpca(2, geometry="empirical", robust="plain")).keys


def test_what_is_not_used_is_not_cited():
    assert "kashima2001" not in cite(presets.okha()).keys
    assert "huang2011" not in cite(OnlineKernelPCA()).keys
    assert "huang2011" in cite(OnlineKernelPCA(robust="auto")).keys
    assert "huang2011" in cite(OnlineKernelPCA(geometry="empirical")).keys
    assert "washizawa2012" in cite(OnlineKernelPCA(on_full="drop")).keys
    assert "washizawa2012" not in cite(OnlineKernelPCA(on_full="drop", max_atoms=None)).keys
    assert "kwok2004" in cite(OnlineKernelPCA(preimage="distances")).keys


def test_a_detector_cites_its_statistics():
    assert set(citing.STATISTICS) == set(STATISTICS)
    keys = cite(KernelNoveltyDetector(statistic="combined", limits="parametric", lags=2)).keys
    assert {"tipping1999", "box1954", "choi2004"} <= set(keys)
    assert "mika1999" not in keys  # it looks for no pre-image
    assert "tipping1999" not in cite(KernelNoveltyDetector()).keys


def without_pre_images(model):
    """They look for none, whatever the model they hold could do."""
    why = cite(model).why.items()
    return {key for key, reason in why if not reason.startswith("preimage")} | {"okpca"}


def test_a_classifier_cites_the_models_of_its_classes():
    keys = cite(MutualSubspaceClassifier(presets.ikpca_rs(5, center=False))).keys
    assert {"sakano2005", "wolf2003", "chin2007", "chin2006"} <= set(keys)
    own = {"sakano2005", "wolf2003", "chin2007"}
    assert set(cite(MutualSubspaceClassifier()).keys) == without_pre_images(OnlineKernelPCA()) | own
    assert "mika1999" not in keys


def test_a_tracker_cites_the_model_of_the_looks():
    plain = without_pre_images(OnlineKernelPCA())
    assert set(cite(SubspaceTracker()).keys) == plain | {"chin2007"}
    looks = presets.rkpca(3)
    assert set(cite(SubspaceTracker(looks)).keys) == without_pre_images(looks) | {"chin2007"}
    assert "(SubspaceTracker)" in repr(cite(SubspaceTracker()))


@pytest.mark.parametrize(
    "pipeline", [make_pipeline, lambda *s: StreamPipeline(make_pipeline(*s).steps)]
)
def test_a_pipeline_cites_its_models(pipeline):
    model = pipeline(StandardScaler(), presets.okha(2))
    assert cite(model).keys == cite(presets.okha(2)).keys
    with pytest.raises(TypeError, match="not StandardScaler"):
        cite(StandardScaler())


def test_it_can_be_read():
    text = repr(cite(presets.okha(2)))
    assert "Honeine, Paul. Online Kernel Principal Component Analysis" in text
    assert "(rule=Hebbian, dictionary=Novelty)" in text
    assert "okpca developers. okpca: Online Kernel Principal Component Analysis. version " in text
    assert f"version {okpca.__version__}. (the library)" in text
    assert "Schölkopf" in text
    assert cite(presets.okha(2)).bibtex.count("@") == len(cite(presets.okha(2)).keys)
