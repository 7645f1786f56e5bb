"""Kernels: one small file each. They add, multiply, and print as the code that builds them.

This is their registry: a kernel is its file and one line here.
"""

from okpca.kernels.algebra import Product as Product
from okpca.kernels.algebra import Scaled as Scaled
from okpca.kernels.algebra import Sum as Sum
from okpca.kernels.base import Kernel as Kernel
from okpca.kernels.constant import Constant as Constant
from okpca.kernels.cosine import Cosine as Cosine
from okpca.kernels.exponential import Exponential as Exponential
from okpca.kernels.function import Function as Function
from okpca.kernels.laplacian import Laplacian as Laplacian
from okpca.kernels.linear import Linear as Linear
from okpca.kernels.polynomial import Polynomial as Polynomial
from okpca.kernels.rbf import RBF as RBF
from okpca.kernels.registry import make as make
from okpca.kernels.standardized import Standardized as Standardized
from okpca.kernels.standardized import Standardizing as Standardizing
from okpca.kernels.wavelet import Wavelet as Wavelet
