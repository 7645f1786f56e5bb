"""What kernels around another one share."""

from __future__ import annotations

from dataclasses import replace

from okpca.kernels.base import Kernel


class Wrapper(Kernel):
    """A kernel of another, `kernel`: it takes and needs what that one does."""

    kernel: Kernel

    @property
    def allows_sparse(self) -> bool:
        return self.kernel.allows_sparse

    @property
    def any_thread(self) -> bool:
        return self.kernel.any_thread

    @property
    def has_gradient(self) -> bool:
        return self.kernel.has_gradient

    @property
    def needs_rows(self) -> bool:
        return self.kernel.needs_rows

    @property
    def of_any_columns(self) -> Kernel:
        return self.kernel.of_any_columns

    def resolved(self, n_features: int) -> Kernel:
        return replace(self, kernel=self.kernel.resolved(n_features))  # type: ignore[type-var]
