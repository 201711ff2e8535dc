"""The readers: one module for each file format."""

from collections.abc import Iterator
from typing import Protocol

from annotation.sources import mr_ben, processbench, stepmark
from annotation.sources.files import SourceError
from annotation.sources.records import BadRecord, SolutionRecord

__all__ = ["SOURCES", "Reader", "SourceError"]


class Reader(Protocol):
    """Yields the file's records one by one, those that cannot be taken in as BadRecord.

    Raises: SourceError for a file that cannot be read, ValueError for an unknown text format.
    """

    def __call__(
        self, data: bytes, name: str, *, text_format: str | None = None
    ) -> Iterator[SolutionRecord | BadRecord]: ...


SOURCES: dict[str, Reader] = {
    "stepmark": stepmark.read,
    "mr-ben": mr_ben.read,
    "processbench": processbench.read,
}
