"""Models in files (`docs/model-file.md` says what is in one), and streams of rows from files."""

from okpca._core.errors import ModelFileError
from okpca.io.atomic_write import previous
from okpca.io.saving import Saving, header, load
from okpca.io.sources import Block, Stream, stream

__all__ = ["Block", "ModelFileError", "Saving", "Stream", "header", "load", "previous", "stream"]
