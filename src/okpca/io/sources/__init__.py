"""Streams of rows from files and pipes: `okpca.io.stream`."""

from okpca.io.sources.stream import Block, Stream, stream

__all__ = ["Block", "Stream", "stream"]
