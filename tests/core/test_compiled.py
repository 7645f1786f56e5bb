"""Compiled leaves are found by their names."""

import pkgutil

from okpca._core import compiled


def test_no_file_has_the_name_of_a_leaf():
    """A file that was imported is an attribute of its folder, and would stand before the leaf."""
    files = {file.name for file in pkgutil.iter_modules(compiled.__path__)}
    assert {"steps", "clustering"} < files
    assert not files & set(compiled._HOMES)
