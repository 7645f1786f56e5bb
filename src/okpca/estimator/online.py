"""OnlineKernelPCA: what it is told. `learning` is how it learns, `fitted` what it makes of rows."""

from __future__ import annotations

from typing import Any, ClassVar

from okpca.estimator import choices
from okpca.estimator.learning import Learning
from okpca.estimator.parameters import CONSTRAINTS


class OnlineKernelPCA(Learning):
    r"""Kernel principal components of a stream, in bounded memory and one pass.

    With `nu=0, max_atoms=None` the answer is batch kernel PCA's
    (:class:`sklearn.decomposition.KernelPCA`) however the stream is cut; otherwise rows are
    projected on the span of a dictionary of at most `max_atoms` atoms.

    Parameters
    ----------
    n_components : int, float or None, default=2
        How many components. A fraction such as 0.95 takes as many as explain that share of the
        whole kernel variance; None takes all that have variance. Hebbian rules need an int.
        A component that has no variance (yet) gives zeros.
    kernel : str, Kernel or callable, default="rbf"
        "rbf", "exponential", "laplacian", "poly", "linear", "cosine", "wavelet", an object from
        :mod:`okpca.kernels` (they add and multiply), or a function ``f(X, Y) -> matrix``.
    gamma : float, {"scale", "median"} or None, default=None
        Of the kernels that have one. None means ``1 / n_features``. The words take it from the
        first `burn_in` rows, or 200 if that is 0, and fix it then: "scale" is one over the number
        of columns times the variance of all entries, "median" one over the median squared distance
        of rows that differ. (For "laplacian", of standard deviation and of ``|x - y|_1``.) Until
        those rows are there one sees the model of the rows so far, which may change signs.
    degree, coef0 : int, float
        Of the kernels that have them.
    kernel_params : dict, default=None
        Further parameters of the kernel by name, which go before `gamma`, `degree` and `coef0`; or
        keyword arguments of the function, which takes those three from here alone.
    sigma : float or None, default=None
        Another spelling of the width of "rbf", ``gamma = 1 / (2 sigma**2)``, and that of
        "exponential". Give one of the two.
    scale : {"standard", "robust", "auto"} or None, default=None
        Every column is centred and scaled by the first rows, the same that `gamma` may be taken
        from (of the scaled columns, then), inside the model: atoms and pre-images are in the units
        of the rows. "standard" is by mean and standard deviation, "robust" by median and quartiles;
        "auto" is "robust" if quartiles of columns differ by more than a factor of ten, else None.
        A constant column is not scaled. CSR rows are scaled and not centred, which makes a
        difference only to kernels that are no functions of ``x - y``.
    missing : {"raise", "skip", "impute"}, default="raise"
        What happens to rows that lack values (NaN, None, pandas' NA; infinity is an error always).
        "skip" leaves them out of learning, as if they had not come: they do not age a model that
        forgets. `transform`, `score_samples` and the like give NaN for them. "impute" fills them
        in, each value by a regression among the atoms that are like the row, and then treats them
        as rows: see `impute`. The first `burn_in` rows, or 200 if that is 0, are completed from
        each other, and seen meanwhile as under `gamma="median"`. Rows without any value are left
        out of learning, and CSR rows cannot be filled in. (The certificate is about the rows as
        they were filled in.)
    rule : str or Rule, default="exact"
        "exact", "incremental-svd", "okha", "oo-kha", "on-kha", "oja", "apex", "tanaka", "kha-et",
        "kha-smd", "ccipca", "ada-oja", "history", or an object from :mod:`okpca.rules`;
        :mod:`okpca.presets` has whole algorithms by name.
    dictionary : str or Policy, default="novelty"
        "novelty" admits a row as an atom if its squared distance to the span of the atoms is at
        least ``nu * kernel(x, x)``; "coherence" if no atom resembles it by more than
        ``1 - nu / 2``; or an object from :mod:`okpca.dictionary`.
    nu : float in [0, 1], default=1e-3
        The threshold of those; 0 admits whatever is numerically independent.
    max_atoms : int or None, default=500
        The most atoms there may be; None sets no bound.
    on_full : {"compress", "drop", "project", "slide"} or Budget, default="compress"
        What happens then. "compress" merges atoms that stand for much the same rows, moves every
        atom to the mean of its rows, and goes on, so that the atoms follow the stream; "drop"
        exchanges an atom that the others nearly span for a newcomer farther away; "project" leaves
        the atoms as they are; "slide" lets the oldest go, one for every row that joins, which
        takes tens of times as long as "compress".
    center : bool, default=True
        Principal components about the mean in feature space, or about the origin.
    robust : {"auto", "exponential", "logistic", "plain"}, Weight or None, default=None
        Rows far from the current subspace count less, by a weight from :mod:`okpca.weights`, so
        that outliers do not turn the components. Works with every rule. "auto" measures by what is
        usual among the rows so far, whatever their units, and takes 200 rows for a `burn_in` of 0;
        the other names have the papers' parameters, which have the unit of the kernel.
    forgetting : float in (0, 1], default=1.0
        Every row multiplies the weight of all earlier ones by this. (Rules that take steps or
        blocks count an integer `sample_weight` as so many rows, of which there may be 100 000.)
    burn_in : int, default=0
        So many first rows, whatever their weight, are held back and fitted as a batch, then the
        stream goes on; with `robust` by batch robust kernel PCA, so that a stream may begin with
        outliers. `compress` and `merge` end it early.
    geometry : {"rkhs", "empirical"} or Empirical, default="rkhs"
        "empirical" takes the kernel values against a fixed dictionary for Euclidean coordinates, as
        Huang & Yeh's Algorithm 1 does; :func:`okpca.presets.rkpca` has what that leaves open.
    epochs : int, default=1
        How often `fit` goes over its rows, for rules that take steps. Every pass counts as so many
        rows more. (`partial_fit` passes once.)
    shuffle : bool, default=False
        Whether every such pass takes the rows in a random order of its own, by `random_state`.
    preimage : {"fixed_point", "gradient", "nonnegative", "conformal", "distances", "ridge"} or \
            PreImage, default="fixed_point"
        How `inverse_transform` and `denoise` find points of the input space.
    random_state : int, RandomState instance or None, default=None
        For the start of the Hebbian rules, and of the search when atoms are moved (which is
        deterministic if None).
    verbose : bool, default=False
        Whether every `fit` shows its progress, as with `progress=True`: for pipelines and searches,
        which pass no such argument on. (`partial_fit`, of which there may be one a row, does not.)

    Attributes
    ----------
    atoms_ : ndarray or csr_array of shape (n_atoms_, n_features_in_)
        CSR if rows were: atoms are as sparse as the rows they come from, and their number, not that
        of the columns, is what a model costs. (Such atoms do not move to the mean of their rows
        under `on_full="compress"`: of two that merge the heavier stays.)
    dual_coef_ : ndarray of shape (n_components_, n_atoms_)
        Component j is the function ``sum_i dual_coef_[j, i] * kernel(atoms_[i], .)``.
    eigenvalues_ : ndarray of shape (n_components_,)
        Of the centred Gram matrix of all rows, as in scikit-learn.
    explained_variance_ : ndarray of shape (n_components_,)
        `eigenvalues_` divided by the sum of the weights.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Against the whole kernel variance, what the dictionary leaves out included, so that the
        ratios of two models can be compared. Rules that take steps give the variance of their
        outputs as they came: until they converge, components overlap and the sum may exceed 1.
    mean_ : ndarray of shape (n_atoms_,)
        Coefficients of the mean over the atoms; zeros if `center=False`. In the empirical geometry,
        the mean of the kernel values.
    kernel_ : Kernel
        With its width and, under `scale`, the offset and scale of every column.
    gamma_ : float
    n_atoms_, n_components_, n_samples_seen_, n_features_in_ : int
    n_samples_skipped_, n_values_imputed_ : int
        Rows left out for the values they lack, and values filled in, while learning.
    feature_names_in_ : ndarray of str, if the rows have names

    Notes
    -----
    One thread may learn (`partial_fit`, `compress`, `merge`) while others look (`transform`,
    `certificate`, attributes ...): each call sees the model as it was after some whole block of
    rows. Copies (`copy.copy`, `copy.deepcopy`, pickles) are independent: each may learn in a thread
    of its own. Two threads must not teach one and the same object.

    BLAS works on one thread except for products so large that more of them pay, and then on no more
    than it is allowed (`OPENBLAS_NUM_THREADS`, `threadpoolctl`).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from okpca import OnlineKernelPCA
    >>> X = load_digits().data / 16
    >>> model = OnlineKernelPCA(n_components=3, gamma=0.05)
    >>> for start in range(0, len(X), 100):
    ...     _ = model.partial_fit(X[start : start + 100])
    >>> model.transform(X).shape
    (1797, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS

    def __init__(
        self,
        n_components: int | float | None = 2,
        *,
        kernel: choices.KernelChoice = "rbf",
        gamma: float | choices.WidthName | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        sigma: float | None = None,
        scale: choices.ScaleName | None = None,
        missing: choices.MissingName = "raise",
        rule: choices.RuleChoice = "exact",
        dictionary: choices.PolicyChoice = "novelty",
        nu: float = 1e-3,
        max_atoms: int | None = 500,
        on_full: choices.BudgetChoice = "compress",
        center: bool = True,
        robust: choices.WeightChoice | None = None,
        forgetting: float = 1.0,
        burn_in: int = 0,
        geometry: choices.Geometry = "rkhs",
        epochs: int = 1,
        shuffle: bool = False,
        preimage: choices.PreImageChoice = "fixed_point",
        random_state: choices.Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.sigma = sigma
        self.scale = scale
        self.missing = missing
        self.rule = rule
        self.dictionary = dictionary
        self.nu = nu
        self.max_atoms = max_atoms
        self.on_full = on_full
        self.center = center
        self.robust = robust
        self.forgetting = forgetting
        self.burn_in = burn_in
        self.geometry = geometry
        self.epochs = epochs
        self.shuffle = shuffle
        self.preimage = preimage
        self.random_state = random_state
        self.verbose = verbose
