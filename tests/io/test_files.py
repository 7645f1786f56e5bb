"""Whatever is wrong with a file is one error, and a good one is never lost."""

import json
import os
import pickle
import struct

import numpy as np
import pytest
from benchmarks.files import DAMAGED, SIGNED, attacked, parts, signed, victims
from numpy.testing import assert_array_equal
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures

import okpca
from file_tools import X, kpca, pipeline
from okpca import ModelFileError, OnlineKernelPCA, kernels, rules, weights
from okpca._core.version import __version__
from okpca.io import container
from okpca.io.decoding import Decoder
from okpca.kernels import Kernel
from okpca.subspace import MutualSubspaceClassifier


@pytest.fixture
def path(tmp_path):
    kpca().fit(X).save(tmp_path / "m.okpca")
    return tmp_path / "m.okpca"


def edited(path, change):
    """The header changed, and signed anew."""
    text, payload = parts(path.read_bytes())
    told = json.loads(text)
    change(told)
    path.write_bytes(signed(json.dumps(told).encode(), payload))
    return path


def refused(path, match):
    with pytest.raises(ModelFileError, match=match) as caught:
        okpca.load(path)
    assert caught.value.path == path
    assert str(caught.value) == f"{path}: {caught.value.reason}"
    assert "\n" not in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.path, again.reason) == (path, caught.value.reason)


def objects(told, name):
    return [one["with"] for one in told["objects"] if one.get("is") == name]


# -- defects --------------------------------------------------------------------------------------


def test_no_file(tmp_path):
    refused(tmp_path / "none.okpca", "cannot be read: No such file")
    refused(tmp_path, "is no file")
    (tmp_path / "text").write_text("x" * 100)
    refused(tmp_path / "text", "begins with other bytes")
    (tmp_path / "empty").write_bytes(b"")
    refused(tmp_path / "empty", "is no model file: it has 0 bytes")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "is no file")


def test_damage(path):
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    refused(path, "it is cut or damaged")
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    refused(path, "the checksum is wrong")
    path.write_bytes(data[:8] + struct.pack("<Q", 2**62) + data[16:])
    refused(path, "it is cut or damaged")


def test_a_later_format(path):
    edited(path, lambda told: told.update(format=2))
    refused(path, "has format 2, and this okpca reads up to 1: update it")


def test_a_long_header(path):
    _, payload = parts(path.read_bytes())
    path.write_bytes(signed(b"[" * (2**20 + 1), payload))
    refused(path, "too long")
    path.write_bytes(signed(b"[" * 2**20, payload))
    refused(path, "the header cannot be read")
    path.write_bytes(signed(b'{"format":1,"format":2}', payload))
    refused(path, "a name comes twice")


def basis_of(told):
    return objects(told, "dictionary.Basis")[0]


CHANGES = {
    "another kernel": lambda told: basis_of(told).update(kernel={"kernel": "RBF(gamma=0.3)"}),
    "code": lambda told: basis_of(told).update(kernel={"kernel": "__import__('os').getcwd()"}),
    "a name": lambda told: basis_of(told).update(kernel={"kernel": "Function(f=function('f'))"}),
    "a class": lambda told: told["objects"][0].update({"is": "model.Nothing"}),
    "a class elsewhere": lambda told: told["objects"][0].update({"is": "subprocess.Popen"}),
    "the wrong class": lambda told: told.update({"class": "KernelNoveltyDetector"}),
    "another array": lambda told: basis_of(told).update(L=basis_of(told)["atoms"]),
    "an array twice": lambda told: objects(told, "model.Centre")[0].update(
        mean=basis_of(told)["L"]
    ),
    "no array": lambda told: objects(told, "model.Centre")[0].update(mean=None),
    "later": lambda told: basis_of(told).update(kernel={"object": len(told["objects"]) - 1}),
    "negative": lambda told: objects(told, "model.Centre")[0].update(weight=-1.0),
    "infinite": lambda told: objects(told, "model.Model")[0].update(variance={"float": "inf"}),
    "no number": lambda told: objects(told, "rules.ExactLearner")[0].update(decay={"float": "nan"}),
    "text": lambda told: objects(told, "model.Model")[0].update(n_rows="3"),
    "large": lambda told: objects(told, "rules.ExactLearner")[0].update(m=10**9),
    "beyond 64 bits": lambda told: objects(told, "model.Centre")[0].update(weight=10**30),
    "a huge count": lambda told: objects(told, "model.Model")[0].update(n_rows=10**30),
    "waiting": lambda told: objects(told, "rules.ExactLearner")[0].update(n_waiting=10),
    "a parameter": lambda told: told["objects"][-1]["with"].update(nu=-1.0),
    "a new parameter": lambda told: told["objects"][-1]["with"].update(nothing=1),
    "an attribute": lambda told: told["objects"][-1]["learned"].update(save=1),
    "columns": lambda told: told["objects"][-1]["learned"].update(n_features_in_=5),
    "a missing part": lambda told: objects(told, "model.Model")[0].pop("basis"),
    "no clusters": lambda told: objects(told, "model.Model")[0].pop("clusters"),
    "nothing": lambda told: told.update(objects=[]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_header_that_tells_lies(path, name):
    refused(edited(path, CHANGES[name]), "does not hold a model: ")


def test_numbers_that_were_changed_and_signed(path):
    text, payload = parts(path.read_bytes())
    (n,) = struct.unpack("<Q", payload[:8])
    place = json.loads(payload[8 : 8 + n])["OnlineKernelPCA._model.basis.atoms"]["data_offsets"][0]
    at = 8 + n + place
    wrong = struct.pack("<d", struct.unpack("<d", payload[at : at + 8])[0] + 0.1)
    path.write_bytes(signed(text, payload[:at] + wrong + payload[at + 8 :]))
    refused(path, "L is not the factor of the atoms by their kernel")


def test_a_random_state_that_would_read_beyond_its_key(path):
    kpca(random_state=np.random.RandomState(0)).save(path)

    def change(told):
        state = dict(objects(told, "RandomState")[0]["state"]["dict"])
        objects(told, "RandomState")[0]["state"]["dict"] = [*(state | {"pos": 10**6}).items()]

    refused(edited(path, change), "a random state that is none")


def test_strings_of_which_one_is_long():
    """An array of fixed width would take for each what the longest does."""
    ends = np.cumsum([2**15, *[1] * 2**10])
    decoder = Decoder({"s": np.zeros(ends[-1], np.uint8), "e": ends.astype(np.int64)}, {})
    with pytest.raises(ValueError, match="as long as the longest"):
        decoder.value({"strings": "s", "ends": "e", "fixed": True})
    assert len(decoder.value({"strings": "s", "ends": "e", "fixed": False})) == len(ends)


@pytest.mark.thorough
def test_a_classifier_of_many_classes(tmp_path, monkeypatch):
    """Each has its part in the header, which may be longer than that of one model then."""
    rows = np.random.default_rng(0).normal(size=(80, 12))
    model = MutualSubspaceClassifier(OnlineKernelPCA(1)).fit(rows, np.arange(80) % 40)
    monkeypatch.setattr(container, "LONGEST_HEADER", 2**16)
    model.save(tmp_path / "m.okpca")
    text, _ = parts((tmp_path / "m.okpca").read_bytes())
    assert len(text) > container.LONGEST_HEADER
    assert_array_equal(okpca.load(tmp_path / "m.okpca").classes_, np.arange(40))


def test_a_warm_up_with_gaps(tmp_path):
    rows = X[:30].copy()
    rows[3, 1] = np.nan
    model = kpca(missing="impute", burn_in=50).partial_fit(rows)
    model.save(tmp_path / "m.okpca")
    again = okpca.load(tmp_path / "m.okpca").partial_fit(X[30:80])
    assert_array_equal(again.transform(X), model.partial_fit(X[30:80]).transform(X))


@pytest.mark.thorough
def test_weights_in_units_of_the_median(tmp_path):
    model = kpca(robust=weights.Logistic(scale="median"), burn_in=40).fit(X)
    model.save(tmp_path / "m.okpca")
    assert okpca.load(tmp_path / "m.okpca").robust == model.robust


@pytest.mark.long
@pytest.mark.parametrize("rule", sorted(rules.NAMES))
def test_every_rule_can_be_kept(rule, tmp_path):
    """And its learner goes on where it was."""
    model = OnlineKernelPCA(2, gamma=0.3, rule=rule, random_state=0).fit(X[:45])
    model.save(tmp_path / "m.okpca")
    again = okpca.load(tmp_path / "m.okpca")
    for one in (model, again):
        one.partial_fit(X[45:])
    assert_array_equal(again.transform(X), model.transform(X))


@pytest.mark.thorough
def test_many_changed_files(tmp_path):
    """Each kind of change twice to each kind of file; 11 000 are in `benchmarks.files`."""
    outcome = attacked(victims(tmp_path), 88, tmp_path, seed=1)
    assert outcome.wrong == []
    assert sum(outcome.refused.values()) + sum(outcome.used.values()) > 80
    assert set(outcome.refused) == {change.__name__ for change in DAMAGED + SIGNED}
    assert set(outcome.used) <= {change.__name__ for change in SIGNED}
    assert outcome.slowest < 5
    assert outcome.memory < 64


# -- what cannot be held --------------------------------------------------------------------------


class Own(kernels.Linear):
    pass


class OwnModel(okpca.OnlineKernelPCA):
    pass


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (kpca(kernel=Own()), "Own .* must be named: save"),
        (kpca(kernel=kernels.RBF(0.1) + 2 * Own()), "Own .* must be named: save"),
        (pipeline(PolynomialFeatures(), kpca()), "cannot hold sklearn.*PolynomialFeatures: beside"),
        (pipeline(FunctionTransformer(np.abs), kpca()), "FunctionTransformer"),
        (OwnModel(2), "cannot hold .*OwnModel"),
        (kpca(kernel_params={"f": object()}), "cannot hold builtins.object"),
    ],
)
def test_refused_with_a_reason(model, match, tmp_path):
    with pytest.raises(TypeError, match=match):
        model.save(tmp_path / "m.okpca")
    assert os.listdir(tmp_path) == []


def test_a_kernel_of_ones_own_can_be_named(tmp_path):
    own = Own()
    model = kpca(kernel=kernels.RBF(0.1) + 2 * own).fit(X)
    model.save(tmp_path / "m.okpca", functions={"own": own})
    other = okpca.load(tmp_path / "m.okpca", functions={"own": own})
    assert other.kernel_ == model.kernel_
    np.testing.assert_array_equal(other.transform(X), model.transform(X))
    with pytest.raises(ModelFileError, match=r"functions=\{'own': f\}"):
        okpca.load(tmp_path / "m.okpca")


def test_every_kernel_has_code(path):
    for kind in vars(kernels).values():
        if isinstance(kind, type) and issubclass(kind, Kernel) and kind is not Kernel:
            assert f"kernels.{kind.__name__}" in okpca.io.allowed_classes.kinds()


# -- for ever -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["kpca", "detector", "pipeline"])
def test_the_first_format_is_read_for_ever(name, request):
    """Written by `python tests/io/write_files.py`, once for each format; never again."""
    folder = request.path.parent / "files"
    probe = np.load(folder / "probe.npz")
    model = okpca.load(folder / f"v1-{name}.okpca")
    look = model.score_samples if name == "detector" else model.transform
    np.testing.assert_allclose(look(probe["X"]), probe[name], rtol=1e-6, atol=1e-9)
    model.partial_fit(probe["X"])


def test_pickles_carry_the_version():
    for model in (kpca().fit(X), pipeline(kpca())):
        state = model.__reduce_ex__(2)[2]
        assert state["_okpca_version"] == __version__
        blank = type(model).__new__(type(model))
        with pytest.warns(UserWarning, match=r"pickled by okpca 0\.0\.1 and is read by"):
            blank.__setstate__(state | {"_okpca_version": "0.0.1"})
        assert "_okpca_version" not in vars(blank)
        assert "_okpca_version" not in vars(pickle.loads(pickle.dumps(model)))
