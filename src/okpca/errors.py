"""An error that knows which row of a block it is about."""


class RowError(ValueError):
    """`row` counts from the start of the block; the estimator translates it for the user."""

    def __init__(self, what: str, row: int) -> None:
        super().__init__(what)
        self.what = what
        self.row = row
