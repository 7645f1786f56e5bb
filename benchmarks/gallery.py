"""Every display of `okpca.plots`, drawn from data: writes docs/gallery.md and its pictures.

    python -m benchmarks.gallery

The code on the page is the code of the functions below, and their docstrings are its text.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import okpca
from okpca import KernelNoveltyDetector, OnlineKernelPCA, Trace, plots

PAGE = Path("docs/gallery.md")
FIGURES = Path("docs/figures")
OPENING = """\
# Gallery

The displays of `okpca.plots`. Each is made by `from_estimator` (or `from_trace`, `from_monitored`,
`from_suggestion`), draws by `plot(ax=None)`, and gives its numbers by `to_frame()`. They need
matplotlib: `pip install 'okpca[plot]'`. Colours are those of Okabe and Ito, and whatever colour
tells, a shape, a dash or a word tells as well. `make gallery` draws this page anew. All code below
begins with

```python
{imports}
```
"""


def spectrum() -> Any:
    """The variance along each component. The band is the certificate: batch kernel PCA of the same
    rows has its variances inside, whatever they are. The smaller `nu`, the narrower the band.
    """
    X = load_digits().data / 16
    model = OnlineKernelPCA(10, gamma=0.02, nu=2e-4, max_atoms=None).fit(X)
    return plots.SpectrumDisplay.from_estimator(model)


def projection() -> Any:
    """Rows on two components. Classes with short names are drawn as their names; others get a
    shape and a colour each.
    """
    X, digit = load_digits(return_X_y=True)
    model = OnlineKernelPCA(2, gamma=0.05).fit(X / 16)
    return plots.ProjectionDisplay.from_estimator(model, X / 16, digit)


def projection_pipeline() -> Any:
    """A pipeline is as good as a model."""
    cancer = load_breast_cancer()
    model = make_pipeline(StandardScaler(), OnlineKernelPCA(2, gamma=0.01)).fit(cancer.data)
    kind = cancer.target_names[cancer.target]
    return plots.ProjectionDisplay.from_estimator(model, cancer.data, kind)


def contours() -> Any:
    """Components of a model of two columns, as functions of the plane: a banana. Lines below zero
    are dashed, the zero line is thick. The first components run along the banana, a later one
    crosses it.
    """
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 1000)
    X = np.column_stack([x, x**2 + rng.normal(scale=0.2, size=1000)])
    model = OnlineKernelPCA(4, gamma=2.0).fit(X)
    return plots.ContourDisplay.from_estimator(model, X[:400])


def control_chart() -> Any:
    """A detector that learned 250 benign cases judges the other benign ones and then, from row 107
    on, malignant ones. SPE sees what the components cannot explain, T² what is far out along them;
    here both decide: T² plus SPE in units of the variance of the last component (λ_r).
    """
    X, benign = load_breast_cancer(return_X_y=True)
    detector = KernelNoveltyDetector(gamma=0.005, contamination=0.02, statistic="combined")
    model = make_pipeline(StandardScaler(), detector).fit(X[benign == 1][:250])
    rows = np.vstack([X[benign == 1][250:], X[benign == 0][:60]])
    return plots.ControlChartDisplay.from_estimator(model, rows)


def control_chart_stream() -> Any:
    """The same for a stream that is learned from while it is watched: `monitor` tells what each row
    scored before it was learned, and the limit that was in force. The first 100 rows are learned
    unseen; the limit is renewed every 64 rows, and waits for 19 scores. From row 250 on every 15th
    case is malignant.
    """
    X, benign = load_breast_cancer(return_X_y=True)
    usual, strange = X[benign == 1], X[benign == 0][:8]
    scale = StandardScaler().fit(usual[:100])
    rows = scale.transform(np.insert(usual, range(250, 357, 14), strange, axis=0))
    detector = KernelNoveltyDetector(gamma=0.005, contamination=0.05)
    seen = [detector.monitor(rows[start : start + 50]) for start in range(0, len(rows), 50)]
    return plots.ControlChartDisplay.from_monitored(seen)


def contributions() -> Any:
    """Which columns raise the score of a malignant case, as shares of the score."""
    cancer = load_breast_cancer()
    benign, malignant = (cancer.data[cancer.target == kind] for kind in (1, 0))
    detector = KernelNoveltyDetector(gamma=0.005, contamination=0.02)
    model = make_pipeline(StandardScaler(), detector).fit(benign)
    names = cancer.feature_names
    return plots.ContributionDisplay.from_estimator(model, malignant[:1], feature_names=names)


def contributions_map() -> Any:
    """Several rows make a map, the columns with the largest mean share first."""
    cancer = load_breast_cancer()
    benign, malignant = (cancer.data[cancer.target == kind] for kind in (1, 0))
    detector = KernelNoveltyDetector(gamma=0.005, contamination=0.02)
    model = make_pipeline(StandardScaler(), detector).fit(benign)
    return plots.ContributionDisplay.from_estimator(
        model, malignant[:40], feature_names=cancer.feature_names, top=12
    )


def reconstruction() -> Any:
    """Noisy digits beside what 16 components make of them; under each the squared distance in
    feature space between the row and its projection.
    """
    X = load_digits().data / 16
    noisy = X + np.random.default_rng(0).normal(scale=0.25, size=X.shape)
    model = OnlineKernelPCA(16, gamma=0.02).fit(noisy[:1500])
    few = slice(1500, 1510)
    return plots.ReconstructionDisplay.from_estimator(model, noisy[few], clean=X[few])


def columns() -> Any:
    """Rows of a table: given against reconstructed values of the columns that are kept least, by
    five components.
    """
    data = load_breast_cancer(as_frame=True).data
    model = OnlineKernelPCA(5, gamma="median", scale="standard").fit(data)
    return plots.ColumnsDisplay.from_estimator(model, data)


def growth() -> Any:
    """Atoms in the dictionary while the digits arrive. Without a budget it grows as long as
    rows are new. With one, atoms that stand for much the same rows are merged when there is no
    room, and it grows again.
    """
    X = load_digits().data / 16
    free = OnlineKernelPCA(10, gamma=0.05, nu=0.1, max_atoms=None)
    display = plots.GrowthDisplay.from_estimator(free, X, label="max_atoms = None")
    tight = OnlineKernelPCA(10, gamma=0.05, nu=0.1, max_atoms=80)
    return plots.GrowthDisplay.from_estimator(tight, X, ax=display.ax_, label="compressed")


def drift() -> Any:
    """A stream that changes: 901 digits from 0 to 4, then 896 from 5 to 9, to a model that forgets.
    The distance is that to a model of the second half alone; the variances are the model's own.
    """
    X, digit = load_digits(return_X_y=True)
    rows = X[np.argsort(digit > 4, kind="stable")] / 16
    after = OnlineKernelPCA(4, gamma=0.02, nu=0.01).fit(rows[901:])
    trace = Trace(every=15, reference=after)
    OnlineKernelPCA(4, gamma=0.02, nu=0.01, forgetting=0.995).fit(rows, callback=trace)
    return plots.DriftDisplay.from_trace(trace)


def suggestion() -> Any:
    """What `okpca.suggest` looked at for digits, and what it proposes: a kernel as narrow as rows
    far from each other allow, components by the effective dimension and the number of rows, and as
    few atoms as keep what the components hold. `print` says it in words.
    """
    X = load_digits().data / 16
    return plots.SuggestionDisplay.from_suggestion(okpca.suggest(X))


SECTIONS: dict[str, list[Callable[[], Any]]] = {
    "Spectrum": [spectrum],
    "Projection": [projection, projection_pipeline],
    "Contours": [contours],
    "Control chart": [control_chart, control_chart_stream],
    "Contributions": [contributions, contributions_map],
    "Reconstruction": [reconstruction, columns],
    "Growth": [growth],
    "Drift": [drift],
    "Suggestion": [suggestion],
}


def page() -> str:
    """The whole page; it names the pictures and does not draw them."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    wanted = r"import (numpy as np|okpca)|from (sklearn|okpca)"
    imports = "\n".join(line for line in lines if re.match(wanted, line))
    parts = [OPENING.format(imports=imports)]
    for title, functions in SECTIONS.items():
        parts += [f"## {title}\n", *map(entry, functions)]
    return "\n".join(parts)


def entry(function: Callable[[], Any]) -> str:
    name = function.__name__
    text = inspect.cleandoc(function.__doc__ or "")
    picture = f"![{name.replace('_', ' ')}](figures/gallery_{name}.png)"
    return f"{text}\n\n```python\n{code(function)}\n```\n\n{picture}\n"


def code(function: Callable[[], Any]) -> str:
    """The body, as one would type it."""
    _, _, body = inspect.getsource(function).split('"""', 2)
    return textwrap.dedent(body).strip().replace("return plots.", "plots.")


def draw(folder: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    for functions in SECTIONS.values():
        for function in functions:
            figure = function().figure_
            figure.savefig(folder / f"gallery_{function.__name__}.png", dpi=110)
            plt.close(figure)


def main() -> None:
    FIGURES.mkdir(parents=True, exist_ok=True)
    draw(FIGURES)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
