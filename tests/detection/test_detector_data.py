"""The detector on real rows, and its promise on simulated ones."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from okpca import KernelNoveltyDetector

COOLING = (
    20,
    50,
)  # XMEAS(21), outlet temperature, and XMV(10), flow, of the reactor's cooling water


@pytest.mark.slow
@pytest.mark.parametrize(("statistic", "area"), [("spe", 0.98), ("nested", 0.965)])
def test_a_digit_never_seen_is_novel(statistic, area):
    """Among rows that are all normal a coarse look costs a little."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    rows = np.random.default_rng(0).permutation(np.flatnonzero(y != 0))
    model = KernelNoveltyDetector(
        gamma=0.1, nu=0.2, max_atoms=300, refresh=256, statistic=statistic
    )
    for part in np.array_split(rows[:1000], 7):
        model.partial_fit(X[part])
    judged = np.append(rows[1000:], np.flatnonzero(y == 0))
    assert roc_auc_score(y[judged] == 0, -model.score_samples(X[judged])) > area
    assert model.estimator_.n_atoms_ <= 300


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"statistic": "combined"}, {"ewma": 0.3}], ids=str)
def test_normal_rows_are_alarms_as_often_as_promised(options):
    rates = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        angle = rng.uniform(0, 2 * np.pi, 2000)
        ring = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.1 * rng.normal(size=(2000, 2))
        model = KernelNoveltyDetector(
            0.9, gamma=1.0, nu=0.05, max_atoms=40, contamination=0.05, window=500, **options
        )
        rates.append(model.monitor(ring).alarms[-1400:].mean())
    # Eight streams of 1 400 rows: 0.05 ± 0.003 by chance.
    assert np.mean(rates) == pytest.approx(0.05, abs=0.01)


@pytest.mark.data
@pytest.mark.slow
def test_the_cooling_water_is_to_blame_for_fault_4(data_set):
    stored = data_set("tep_braatz")
    X, y, test = stored["X"].astype(float), stored["y"], stored["is_test"] == 1
    normal = X[(y == 0) & ~test]
    X = (X - normal.mean(axis=0)) / normal.std(axis=0)
    # Nearly linear: 99 % of the variance would be nearly all that 52 columns have.
    # And its first components are where the process moves slowly: a coarse look sees strangers.
    wide = {"n_components": 0.95, "gamma": 0.01 / 52, "nu": 1e-6, "statistic": "spe"}
    model = KernelNoveltyDetector(**wide, warm_up=250).fit(X[(y == 0) & ~test])
    fault = X[(y == 4) & (stored["fault_on"] == 1) & test]
    assert (model.predict(fault) == -1).mean() > 0.95
    assert (model.predict(X[(y == 0) & test]) == -1).mean() <= 0.015
    assert model.contributions(fault[::20]).mean(axis=0).argmax() in COOLING
