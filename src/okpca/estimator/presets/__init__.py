"""Every algorithm of the five papers under its own name.

Each function returns an :class:`~okpca.OnlineKernelPCA` with the settings of its paper; further
keyword arguments go to it, so `okha(5, gamma=2.0, center=False)` works, and so do `sigma=2.0`,
`gamma="median"` and `scale="robust"`. What a paper names is a parameter, None where its own value
holds. A rule of one's own, `rule=`, brings step sizes and start with it: both together are refused.

All of them run in the coordinates of the dictionary, where they are linear (see the module
`okpca.model`); the outputs are those of the papers' formulas, which work on expansion coefficients.

The papers: Kashima, IBM RT0401 (2001). Chin & Suter, IEEE TIP 16 (2007). Honeine, IEEE TPAMI 34
(2012). Huang & Yeh, Neurocomputing 74 (2011). Souza Filho & Diniz, IEEE TNNLS (2017).
"""

from __future__ import annotations

from okpca.estimator.presets.chin_suter import ikpca, ikpca_rs, iksvd
from okpca.estimator.presets.honeine import kha, okha, okha_single
from okpca.estimator.presets.huang_yeh import rkpca
from okpca.estimator.presets.kashima import kashima_apex, kashima_oja, kashima_simultaneous
from okpca.estimator.presets.souza_filho import on_kha, oo_kha, subkha, tanaka

__all__ = [
    "ikpca",
    "ikpca_rs",
    "iksvd",
    "kashima_apex",
    "kashima_oja",
    "kashima_simultaneous",
    "kha",
    "okha",
    "okha_single",
    "on_kha",
    "oo_kha",
    "rkpca",
    "subkha",
    "tanaka",
]
