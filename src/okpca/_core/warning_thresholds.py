"""Thresholds of the warnings: when kernel, columns and budget suit the rows."""

from __future__ import annotations

FIRST_LOOK, FEWEST_SEEN = 256, 100
"""Rows of a stream before anything is found wrong with the kernel, and at the end of a fit, where
no more will come: quartiles and means of fewer are chance."""
SAMPLED = 4
"""One of so many first rows is kept until then: 25 rows, or 64, are enough to tell columns apart
whose quartiles differ by a factor of UNEQUAL."""

NEIGHBOURS = 0.5
"""Rows are orthogonal if the kernel between one and all others sums to less, in the mean. By trial,
256 rows: digits / 16 have 161 with gamma = 0.05, 1.8 with gamma = 1 and 0.1 with gamma = 3; data
sets with standardised columns and gamma = 1 / columns have 38 to 70."""

OF_OTHERS, NO_ROWS = 0.02, 0.1
"""Or if the atoms, taken to hold all of themselves, hold less than the first share of κ(x, x) of
the other rows; where that is less than minus the second, they are no rows."""

OUTSIDE, STRANDED, FEWEST_LATER = 0.95, 0.5, 50
"""A row is alone if more than the first share of κ(x, x) is outside the span of the atoms before
it; a width taken from the first rows does not suit the others if more than the second share of
them is, and they are so many that it is no burst. With gamma="median" the Tennessee process has
none, columns with heavy tails (Student's t, 1.5 degrees) 0.1; streams whose first rows lie 10 to
1000 times closer together than the rest 0.7 to 1."""

HELD = 0.1
"""A budget is too small if its atoms hold less of the variance. 20 atoms hold 0.6 of that of the
digits / 16 with gamma = 0.05 and 0.24 with gamma = 0.3."""

NEARLY_ALIKE, TOLD_APART = 0.01, 0.5
"""Rows are too alike for `nu` if their variance is less than the first share of kernel(x, x), and
the atoms, though there is room for more, hold less than the second of it."""

FEWEST_STEPS, REGULAR = 20, 0.9
"""A column counts the rows if it always goes up, by so many steps, and so large a share of them are
the same: a detector does not learn its alarms, which leaves gaps."""

COMPARABLE = 10.0
"""`scale="auto"` leaves columns as they are up to this ratio of what UNEQUAL compares: one has a
hundredth of the others' part then. Grey levels reach 5, sensors with units of their own 100."""

LITTLE, LEFT_OUT = 0.5, 0.5
"""Components are too few to denoise with if they hold less than the first share of the variance,
and the next one has more than the second of what the strongest has. Digits / 16 with gamma = 1 / 64
have 0.27 and 0.78 with two components, 0.80 and 0.09 with 16."""

UNEQUAL = 30.0
"""Columns are of one scale if their quartiles are no farther apart than that, a quarter of the
columns left out: one beyond has a thousandth of the others' part in a squared distance."""
