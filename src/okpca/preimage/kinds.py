"""What a pre-image search may know of a kernel beforehand."""

from __future__ import annotations

from okpca.kernels import (
    RBF,
    Constant,
    Cosine,
    Exponential,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Product,
    Scaled,
    Sum,
    Wavelet,
)


def is_affine(kernel: Kernel) -> bool:
    """Is φ(x) = A x + b? Then Σ γ_i d_i is the pre-image of Σ γ_i φ(d_i): nothing comes closer."""
    match kernel:
        case Linear() | Constant():
            return True
        case Polynomial():
            return kernel.degree == 1
        case Scaled() | Wavelet():
            return is_affine(kernel.kernel)
        case Sum():
            return is_affine(kernel.left) and is_affine(kernel.right)
        case _:
            return False


def has_constant_norm(kernel: Kernel) -> bool:
    """Is κ(x, x) the same for all x? Then its slope need not be computed."""
    match kernel:
        case RBF() | Exponential() | Laplacian() | Cosine() | Constant():
            return True
        case Scaled() | Wavelet():
            return has_constant_norm(kernel.kernel)
        case Sum() | Product():
            return has_constant_norm(kernel.left) and has_constant_norm(kernel.right)
        case _:
            return False


def takes_any_columns(kernel: Kernel) -> bool:
    """Is κ(x, y) the same without a column where both are 0?"""
    match kernel:
        case RBF() | Exponential() | Laplacian() | Linear() | Polynomial() | Cosine() | Constant():
            return True
        case Scaled():
            return takes_any_columns(kernel.kernel)
        case Sum() | Product():
            return takes_any_columns(kernel.left) and takes_any_columns(kernel.right)
        case _:
            return False


def is_gaussian(kernel: Kernel) -> bool:
    return isinstance(kernel, RBF) or (isinstance(kernel, Scaled) and is_gaussian(kernel.kernel))
