"""Features for what comes after: a classifier, a regression, a picture."""

from __future__ import annotations

from okpca.estimator.guidance.budget import budget_for, captured
from okpca.estimator.guidance.components import components_for
from okpca.estimator.guidance.sample import Sample
from okpca.estimator.guidance.scale import scale_for, scaled
from okpca.estimator.guidance.suggestion import Choice
from okpca.estimator.guidance.width import width_for


def for_features(sample: Sample) -> dict[str, Choice]:
    scale = scale_for(sample.learned)
    learned, held = scaled(scale.value, sample.learned, sample.held)
    gamma = width_for(learned)
    r = components_for(gamma.value, learned, held)
    budget = budget_for(gamma.value, r.value, learned, captured(held))
    return {"scale": scale, "gamma": gamma, "n_components": r, **budget}
