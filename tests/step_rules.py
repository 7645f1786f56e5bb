"""Rules that take steps, with step sizes that suit short streams, and a model of each."""

import pytest

from okpca import OnlineKernelPCA, rules

BY_ROW = {
    "hebbian": rules.Hebbian(schedule=0.2, init="unit"),
    "apex": rules.Apex(schedule=0.2),
    "apex in turn": rules.Apex(schedule=0.2, rows_per_component=37),
    "tracking": rules.Tracking(weight_step=0.2, beta=0.99),
}
LATER = {
    "ccipca": rules.CCIPCA(),
    "kha-et": rules.Gains(schedule=0.05),
    "kha-smd": rules.Gains(schedule=0.05, meta=0.1),
    "ada-oja": rules.AdaOja(block=4),
    "history": rules.History(block=4),
}


def each(named):
    return pytest.mark.parametrize("rule", named.values(), ids=named)


def build(rule, **options):
    return OnlineKernelPCA(3, rule=rule, **{"gamma": 0.4, "nu": 0.05, "random_state": 0} | options)
