"""Every threshold that rounding, noise or cost is compared with, in one place, with its reason.

What is the choice of one algorithm alone, such as a number of neighbours, of iterations or of rows
at a time, stands at the head of its own file. All sums, factors and moments are float64 whatever
the dtype of the rows, so one set serves.
"""

EPS = 2.0**-52
"""The rounding of one number: the distance from 1 to the next."""

RANK = 1e-14
"""Squared distance to the span, relative to κ(x, x), below which no row counts as outside it.

`nu=0` means this number, or the noise of the very row where that is larger (`NOISE`).
"""

UNLIKELY = 0.5 * RANK
"""Below it no row is outside the span, however it was rounded; in between it is judged strictly."""

NOTHING = 1e-305
"""A smaller κ(x, x) is zero: the rounding error that distances are judged by is no number."""

SUSPECT = 1e-6
"""Below this share of κ(x, x) a squared distance is checked against its own rounding noise."""

NOISE = 16.0
"""How many times its rounding error a squared distance must exceed to be believed.

With β = K⁻¹ k_x, ε² = κ(x, x) − βᵀ k_x is good to about eps (κ(x, x) + Σ β_i² κ(d_i, d_i)). The sum
is small for a healthy dictionary and large for a nearly dependent one. An atom admitted on noise
alone would be a direction of noise, and the next one would amplify it.
"""

UNSURE = 8.0
"""Two computations of a squared distance, as for two cuts of a stream, differ by less than so many
times its rounding error; and the error as each of them estimates it by less than that factor. What
they might decide differently is decided by a third that does not depend on the cut."""

UNJUDGED = 1e-9
"""What the newest atoms, not yet in the factor, leave of a row is known to this share of κ(x, x):
each of them has kept at least `SUSPECT`, by which the rounding is divided."""

DOUBT = 3e-14
"""A row whose rounding noise is more than this share of κ(x, x) calls for better atoms.

The noise says how large the coefficients β are. Among atoms chosen most independent first they are
of order one, so such an exchange of atoms always helps, and it happens seldom.
"""

TRIFLE = 1e-3
"""Nor does a row call for them as long as its noise is less than this share of ν: what it loses by
not being an atom is more than that."""

APART = 1e-3
"""Rows that keep more than this share of κ(x, x) beside those before them join together, by one
Cholesky factor."""

INDEFINITE, BY_FAR = 1e-7, 1e3
"""A squared distance more negative than this, relative to κ(x, x), is suspected of coming from a
kernel that is not positive definite; it is one if it also exceeds its rounding noise by so much."""

EIGENVALUE = 1e-12
"""Eigenvalues below this share of the largest are zero (scikit-learn's figure for float64)."""

ROUNDING = 1e-14
"""Rounding error of a coordinate, relative to its row: scatter about the mean below the square of
it is none."""

AS_FAR = 1e-12
"""A newcomer farther away than an atom by less than this share is as far: which of the two it is
must not depend on the last digit."""

COUPLING = 2.0**-104
"""Entries of a symmetric matrix below this share of the largest, the square of the rounding unit,
are zero to an eigenvalue solver: no digit of the answer depends on them."""

DUAL = 1e-11
"""Largest rounding error allowed to `transform` when it skips the triangular solve."""

SOLVE_BLOCK = 64
"""Columns solved at a time. The triangular solve is done with matrix products, which run two
to four times faster than the BLAS solver (1 000 × 300: 1.9 ms against 3.3 ms on two cores)."""

CANDIDATES = 64
"""Rows considered at a time for joining the dictionary; their own Gram matrix stays in cache."""

ROWS = 1024
"""Rows per internal block: the memory of a call is bounded by this, not by the call's length."""

FULL = 0.125
"""CSR atoms with a larger share of numbers that are not zero are multiplied as dense ones, if these
are no more than `DENSE_BLOCK` numbers: it is quicker from there on."""

DENSE_BLOCK = 2**22
"""Numbers (32 MB) that CSR rows are made dense to at a time, where only dense ones will do."""

DENSE_ATOMS = 2**25
"""The most numbers (256 MB) that CSR atoms are made dense to, where only dense ones will do."""

DENSE_MOVED = 2**22
"""The most numbers (32 MB) that CSR atoms are made dense to in order to move them: the search keeps
some twenty copies of those that are left, and takes seconds. Of wider ones a subset is kept."""

DENSE_ROWS = 2**27
"""The most numbers (1 GB) that pre-images of a model of CSR rows may be in one call."""

PENDING = 256
"""Single rows gathered before they enter the covariance by one product: updating S row by row
would cost more than all the rest of a row."""

RIDGE = 1e-10
"""Added to a Gram matrix, relative to its diagonal, while atoms are being moved."""

EMPTY = 1e-3
"""An atom with less than this share of the atoms' mean energy carries none: the first to leave."""

STRIDE = 32
"""Rows encoded at first after the dictionary was made smaller in the middle of a block; more and
more if it stays as it is."""

GRID = 2.0**-13
"""Moved atoms lie on a grid of this share of their spread."""

SMALL = 1000
"""Up to this size an eigenproblem is solved on one thread: on two it takes hardly less."""

PER_THREAD = 2e7
"""Multiplications that a thread must have to do, some 1 ms of work: 64 rows at 500 atoms are done
on one thread, 1 000 rows of 784 columns at 300 atoms on two and more."""

ALONE = 2**18
"""Multiplications up to which OpenBLAS uses one thread by itself."""

FORK_WAIT = 5.0
"""Seconds that a fork waits at most for products on several threads, which take much less."""

LIGHTEST, HEAVIEST = 1e-75, 1e75
"""Between these weights lie. One row beside another that is 1e150 times as heavy moves the mean by
1e-150 of their distance, and the square of that is still a number."""

MOST_STEPS = 100_000
"""The largest weight where each unit of it is a step of the rule: seconds, with robust weights."""

TIE = 1e-9
"""Relative difference up to which two quantities are alike, so that rounding, which depends on how
a stream is cut, decides nothing."""

ALIKE = 0.25
"""Cosine², in feature space, of an atom with the mean of its rows from which it moves there. Alone,
two atoms of the same weight and a Gaussian kernel are kept by one of them as well as by their mean
where it is a half; beside others the mean is the better place for longer."""

WINDOW = 1 / 32
"""Rows that ask to join a dictionary that has been full wait for others, at most for this share of
the rows that count: to let them join together costs as much as one alone."""

WINDOW_ATOMS = 750
"""With m atoms in the budget they wait for m² over this number of rows at least, which makes up for
what it costs that some join; and for an eighth of m."""

SWEEP = 32
"""Rows of the stream between two looks for atoms that carry nothing any more."""

ANCHORED = 256
"""With forgetting: rows, at least, between two anchors that signs are told by. In a block of rows
an anchor costs as much as 50 to 200 of them."""

ANCHORED_PER_ATOM = 1.0
"""And rows per atom of the budget."""

FIRST_ANCHOR = 64
"""Rows before components keep their signs. Those of a few rows change altogether with every row;
and the signs of a small `fit` do not depend on the order or the weights of its rows."""

GLIMPSED = 64
"""Up to so many atoms an eigenproblem takes no longer than a glimpse of it; and so many components
have an anchor where it is not known how many will be asked for."""

UNLIKE = 1e-6
"""Components of unit norm with a smaller inner product have nothing in common, not even a sign."""

SEARCH = 4e8
"""Multiplications that a search for atoms may cost by default: from 6 to 100 iterations."""

CONVERGED = 1e-6
"""A search for atoms ends when an iteration gains less than this share of what is to be kept."""

AFRESH = 0.05
"""Robust weights: the subspace that rows are judged by is renewed after so many more rows, as a
share of those seen."""

LOOK = 1 / 64
"""And after at least so many rows per atom of the budget."""

REWEIGHTED = 1e-9
"""Batch robust weights are settled when none changes by more than this."""

FAINT = 1e-200
"""The least robust weight of a row."""

IN_SUBSPACE = 1e-6
"""A usual residual is at least this share of the row's own ‖φ(x) − μ‖², and"""

AT_MEAN = 1e-12
"""this share of ‖φ(x)‖². Rounding is 1e-10 of these, so the cuts of a stream do not matter."""

REMEMBERED = 6
"""Rows per component that the tracking rule remembers at least. By trial, streams of up to 200 rows
under strong forgetting: with 1.5, one in fifteen was chaotic (the last digit decided), with 4 none
of two thousand. In streams of up to 900 rows, with 6, some that have as many components as atoms
still are."""

SPAN = 1e-6
"""Directions of V below this share of its largest are none: an output divided by it is noise."""

SAME_SIZE = 1e-6
"""Coefficients that differ by this share are alike when the largest gives a component its sign; so
are eigenvalues, whose components rounding turns by itself over the difference."""

CENTRAL = 1e-12
"""Rows nearer to a median than this share of the farthest squared distance are as near as that:
one in the middle would otherwise have all the weight."""

DEPENDENT = 1e-8
"""Functions of unit norm whose smallest singular value is below this share of the largest span no
more directions: coordinates of a nearly singular Gram matrix are good to the root of eps."""

FIRST_ROWS = 200
"""So many first rows say how wide a kernel is, and how wide columns, if there is no warm-up. The
median of their distances, and each standard deviation, is known to about a twentieth then, far less
than a width matters; and to hold them back costs nothing to speak of."""

MEDIAN_ROWS = 500
"""The most rows, evenly spread, whose distances a median is taken of: 0.1 s at 800 columns."""

NEAR = 1e-3
"""A squared distance below this share of the norms has lost more than three digits when it comes
from a product, and is computed from the difference."""

HUGE = 1e300
"""Above it a square may overflow."""

SMALLEST_SQUARE, LARGEST_SQUARE = 1e-290, 1e290
"""Between them a sum of squares has not lost numbers to underflow, nor is it about to overflow."""

CANCELLED = 1e-10
"""A sum below this share of that of the sizes of its terms is a rest of rounding."""

FIRM = 1e-12
"""And below this one it cannot be divided by: a search would be thrown to infinity."""

TINY = 1e-300
"""Added to weights that may all be zero, so that they can be divided by their sum; and the least
share that one is divided by."""

SINGULAR = 1e-10
"""Singular values of the differences of atoms below this share of the largest are none."""

UNUSED = 1e-6
"""An atom that carries less than this share of what the most important one does counts as much when
atoms are clustered for a start: none is without weight."""

SEARCHED = 2.0**-20
"""A function that pre-images are searched of has its coefficients rounded to this share of the
largest: a millionth, and far more than what differs between two ways to cut a stream, even if the
atoms are so near each other that their coefficients amplify it."""

FAINTEST = 1e-12
"""Outputs that are less, beside those that were, are none to the tracking rule: what rounding
leaves of a row that is its own mean."""

BEGINNING = 1e-6
"""A component begins with what is left of a row, if that is more than this share of its square: a
thousandth of its length, of which rounding leaves twelve digits."""

BELIEVED = 1e-6
"""The smallest share of κ(x, x) + ‖z̄‖² that a score by a difference of squares is believed at: ten
digits."""

DIGITS = 1e9
"""And what it must be of the rounding error that the coefficients allow, in the worst case."""

NO_RESIDUAL = 2.0**-46
"""A score below this share of κ(x, x), 64 times the rounding unit, is none: rows that components
explain would be told apart by their last digits."""

STILL = 1e-6
"""A standard deviation of block means, which are of order one: smaller ones are rounding."""

SAME_GRAM = 1e-6
"""Of √(κ(x, x) κ(y, y)): how far L Lᵀ may be from K in a file. Rounding leaves 1e-12, of atoms that
are nearly dependent 1e-9; a wrong kernel, hardly ever less than this."""
