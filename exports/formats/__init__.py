"""The writers: one module for each file format."""

from collections.abc import Iterable
from typing import Protocol, TextIO

from annotation.sources.records import Oddity, SolutionRecord
from exports.formats import mr_ben, processbench, stepmark


class Writer(Protocol):
    """Writes the records as one file and returns what of them the format cannot say; "blocking" means left out."""

    def __call__(self, records: Iterable[SolutionRecord], out: TextIO) -> list[Oddity]: ...


FORMATS: dict[str, Writer] = {
    "stepmark": stepmark.write,
    "mr-ben": mr_ben.write,
    "processbench": processbench.write,
}
