"""A model, and what it makes of some data, as one page that opens anywhere: `report`.

Pictures need matplotlib: ``pip install 'okpca[plot]'``.
"""

from okpca.report.page import Report, report

__all__ = ["Report", "report"]
