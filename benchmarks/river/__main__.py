"""The sections of docs/river.md."""

from __future__ import annotations

from benchmarks.pages import Page

OPENING = """\
# In River, scikit-learn and PyOD

The same model in the manners of three libraries. Every number on this page was written by

    python -m benchmarks.river --write docs/river.md

(`make bench-river` does the same; with names of sections only those are run, `--quick` runs
everything small).

## River: rows are dicts

`pip install 'okpca[river]'`. `okpca.river.OnlineKernelPCA` is a transformer (`learn_one`,
`transform_one`, `learn_many`, `transform_many`), `okpca.river.KernelNovelty` an anomaly detector
(`learn_one`, `score_one`). They take the parameters of `okpca.OnlineKernelPCA` and
`okpca.KernelNoveltyDetector`, which are scikit-learn's and do the work: `model.estimator` and
`model.detector` are copies of what they have learned, for `certificate()`, `contributions(X)` and
the rest.

```python
from river import datasets, evaluate, linear_model, metrics, preprocessing

from okpca.river import KernelNovelty, OnlineKernelPCA

model = preprocessing.StandardScaler() | OnlineKernelPCA(20, gamma=1.0, max_atoms=100)
model |= ("again", preprocessing.StandardScaler())  # steps of one size for what comes next
model |= linear_model.LogisticRegression()
stream = datasets.Bananas().take(2000)  # two classes, each bent around the other
assert evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get() > 0.8

kpca = model["OnlineKernelPCA"]
x = preprocessing.StandardScaler().transform_one({"1": 0.2, "2": -1.0})
assert list(kpca.transform_one(x))[:2] == ["kpca0", "kpca1"]
kpca.estimator.explained_variance_ratio_  # okpca's

detector = KernelNovelty(contamination=0.05)
for x, _ in datasets.Bananas().take(1000):
    if detector.score_one(x) > 0.5:
        pass  # beyond the limit: an alarm, which is not learned
    detector.learn_one(x)
```

- **Features that come and go.** A feature gets a column when it is first learned. In a row that
  does not have it, it is 0, as in River's linear models; so one that appears was 0 so far, and
  nothing that was learned changes. Up to `max_features` there may be, twice as many as the first
  row has unless you say otherwise; those that come later are ignored. Where 0 means something,
  `absent="missing"` takes absent features for missing values, and `missing` says what to do about
  them: `"raise"`, `"skip"` or `"impute"`. Then features that the first row does not have are
  ignored; and so they are for kernels that are functions of your own, for `gamma="scale"`, and for
  atoms that are given.
- **The start.** `transform_one` gives zeros until there is variance (nothing if `n_components` is a
  fraction or None: there are no components yet). `score_one` gives 0 during the `warm_up`.
- **Which components?** To take them anew costs as much as to learn a hundred rows, so
  `transform_one` shows a row by those of an earlier row: of the last one at first, later those
  after some per cent more rows. The rule counts rows of the stream, so looking changes nothing, and
  `learn_many` is the same as `learn_one` row by row. `refresh=1` takes them anew for every row.
- **What is refused**: infinity, text, and None or NaN unless `missing` says what to do. The error
  names the feature, and the row has not happened.
- **Memory** does not grow: `max_atoms` atoms, `max_features` columns.

## scikit-learn: which parameters?

`score` is the share of the kernel variance of rows that the components capture, 1 at best: with
rows that were not learned it tells a grid search how many components and atoms. Every kernel has a
variance of its own, so to choose one, or its width, score by what comes back in the units of the
rows.

```python
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from okpca import OnlineKernelPCA as KernelPCA
from okpca.preimage import neg_preimage_error

X = load_digits().data[:300] / 16
grid = {"gamma": [0.0005, 0.01, 0.2]}
search = GridSearchCV(KernelPCA(15), grid, scoring=neg_preimage_error, cv=3).fit(X)
assert search.best_params_ == {"gamma": 0.01}

search = GridSearchCV(KernelPCA(15, gamma=0.01), {"max_atoms": [20, 100]}, cv=3).fit(X)
assert search.best_params_ == {"max_atoms": 100}  # by `score`

halves = ColumnTransformer(
    [("upper", KernelPCA(5), slice(0, 32)), ("lower", StandardScaler(), slice(32, 64))]
)
assert halves.fit_transform(X).shape == (300, 5 + 32)
```

One thread may learn while others look, and `copy.copy(model)` is a snapshot that stays as it is: a
model is a value, so a copy takes microseconds.

## PyOD: outliers in a table

`pip install 'okpca[pyod]'`. `okpca.pyod.KernelNovelty` has PyOD's interface. Its `contamination` is
PyOD's: the share of the rows fitted that are outliers.

```python
from okpca.pyod import KernelNovelty as Outliers

Z = np.random.default_rng(0).normal(size=(300, 2))
Z[::30] += 6
found = Outliers(contamination=10 / 300).fit(Z)
assert np.flatnonzero(found.labels_).tolist() == list(range(0, 300, 30))
found.decision_scores_, found.threshold_, found.predict(Z), found.predict_proba(Z)
```
"""
PAGE = Page("benchmarks.river", OPENING, ("speed", "validation", "checked"))

if __name__ == "__main__":
    PAGE.main()
