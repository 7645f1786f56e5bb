"""Every threshold of the library, in one place, with its reason.

All sums, factors and moments are float64 whatever the dtype of the rows, so one set serves.
"""

RANK = 1e-14
"""Squared distance to the span, relative to κ(x, x), below which no row counts as outside it.

`nu=0` means this number, or the noise of the very row where that is larger (`NOISE`).
"""

SUSPECT = 1e-6
"""Below this share of κ(x, x) a squared distance is checked against its own rounding noise."""

NOISE = 16.0
"""How many times its rounding error a squared distance must exceed to be believed.

With β = K⁻¹ k_x, ε² = κ(x, x) − βᵀ k_x is good to about eps (κ(x, x) + Σ β_i² κ(d_i, d_i)). The sum
is small for a healthy dictionary and large for a nearly dependent one. An atom admitted on noise
alone would be a direction of noise, and the next one would amplify it.
"""

APART = 1e-3
"""Rows that keep more than this share of κ(x, x) beside those before them join together, by one
Cholesky factor."""

INDEFINITE = 1e-7
"""A squared distance more negative than this, relative to κ(x, x), is suspected of coming from a
kernel that is not positive definite; it is one if it also exceeds its rounding noise by far."""

EIGENVALUE = 1e-12
"""Eigenvalues below this share of the largest are zero (scikit-learn's figure for float64)."""

ROUNDING = 1e-14
"""Rounding error of a coordinate, relative to its row: scatter about the mean below the square of
it is none."""

DUAL = 1e-11
"""Largest rounding error allowed to `transform` when it skips the triangular solve."""

SOLVE_BLOCK = 64
"""Columns solved at a time. The triangular solve is done with matrix products, which run two
to four times faster than the BLAS solver (1 000 × 300: 1.9 ms against 3.3 ms on two cores)."""

CANDIDATES = 64
"""Rows considered at a time for joining the dictionary; their own Gram matrix stays in cache."""

ROWS = 1024
"""Rows per internal block: the memory of a call is bounded by this, not by the call's length."""

PENDING = 256
"""Single rows gathered before they enter the covariance by one product: updating S row by row
would cost more than all the rest of a row."""

RIDGE = 1e-10
"""Added to a Gram matrix, relative to its diagonal, while atoms are being moved."""

EMPTY = 1e-3
"""An atom that carries less than this share of the mean energy of the atoms carries none: it is
the first to leave."""

STRIDE = 32
"""Rows encoded at first after the dictionary was made smaller in the middle of a block; more and
more if it stays as it is."""

GRID = 2.0**-13
"""Moved atoms lie on a grid of this share of their spread."""

SMALL = 1000
"""Up to this size an eigenproblem is solved on one thread."""

STEPS = 4096
"""Steps taken at a time when weights make many of few rows."""

SWEEP = 32
"""Rows of the stream between two looks for atoms that carry nothing any more."""

SETTLED = 6
"""Rows per atom of the budget after which a full dictionary is made smaller less often."""

RESTLESS = 20
"""Rows per atom of the budget after which a full dictionary is made smaller in any case: what is
new in a long stream is not kept waiting for half of it. Making it smaller and letting it grow again
costs as much as 15 to 25 rows per atom, so a long stream spends about half of its time on it."""

SKETCHED = 0.25
"""Up to this share of all components, those that atoms are placed for in the middle of a stream are
taken from a random sketch of S, at a quarter of the time of the eigenvectors."""

ROUNDS = 8
"""In how many rounds atoms are chosen that a search starts from. One at a time they lose less by
some per cent, which the search makes up for, and take half as long again."""

SEARCH = 4e8
"""Multiplications that placing atoms may cost by default: from 6 to 100 iterations."""

CONVERGED = 1e-6
"""A search for atoms ends when an iteration gains less than this share of what is to be kept."""

HASTE = 2e-2
"""In the middle of a stream, when it gains less than this share of what its start loses, between
10 and 100 times `CONVERGED`: where much is lost and much will still change, a short one will do."""

TIGHT = 2
"""Atoms for each function to be kept, below which a search in a stream starts from k-means centres.
By trial: so tight, chosen atoms kept less on USPS; with more atoms they keep more on MNIST."""

AFRESH = 0.05
"""Robust weights: the subspace that rows are judged by is renewed after so many more rows, as a
share of those seen."""

LOOK = 1 / 64
"""And after at least so many rows per atom of the budget."""

REWEIGHTED = 1e-9
"""Batch robust weights are settled when none changes by more than this."""

REWEIGHTINGS = 100
"""And at the latest after so many turns."""

FAINT = 1e-200
"""The least robust weight of a row."""

MEDIAN = 30
"""Steps towards the spatial median of a batch, which is only a place to start from."""
