"""Kernels: one small file each. They add, multiply, and print as the code that builds them."""

from okpca.kernels.algebra import Product, Scaled, Sum
from okpca.kernels.base import Kernel
from okpca.kernels.constant import Constant
from okpca.kernels.cosine import Cosine
from okpca.kernels.exponential import Exponential
from okpca.kernels.function import Function
from okpca.kernels.laplacian import Laplacian
from okpca.kernels.linear import Linear
from okpca.kernels.polynomial import Polynomial
from okpca.kernels.rbf import RBF
from okpca.kernels.registry import make
from okpca.kernels.wavelet import Wavelet

__all__ = [
    "RBF",
    "Constant",
    "Cosine",
    "Exponential",
    "Function",
    "Kernel",
    "Laplacian",
    "Linear",
    "Polynomial",
    "Product",
    "Scaled",
    "Sum",
    "Wavelet",
    "make",
]
