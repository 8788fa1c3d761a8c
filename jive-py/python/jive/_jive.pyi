"""The compiled half of the package. Use `jive`, which makes frames of what this returns."""

import os
from typing import Callable, List, Optional, Tuple, Union, final

from ._run import Run

VERSION: str

class Error(Exception):
    """What the command `jive` would refuse, with the same text."""

    #: The run, where there was one.
    run: Run

class UnusableError(Error):
    """A file that cannot be read, or a scenario or plan with mistakes."""

class RejectedError(Error):
    """A rejected class, an expectation that is not met, or a run that is stuck."""

class CutError(Error):
    """A default cut off messages of the run."""

@final
class Experiment:
    def __new__(
        cls,
        name: Union[str, "os.PathLike[str]"],
        seed: Optional[int],
        settings: List[str],
    ) -> Experiment: ...
    def run(self) -> Report: ...
    def trace(self, payload: bool) -> bytes: ...

@final
class Report:
    summary: str
    ended: str
    traps: List[str]
    stuck: Optional[str]
    cut: Optional[str]
    unmet: List[str]

@final
class Plan:
    digest: str
    runs: int
    @staticmethod
    def read(path: Union[str, "os.PathLike[str]"]) -> Plan: ...
    @staticmethod
    def of_text(text: str, path: str) -> Plan: ...
    @staticmethod
    def unpack(packed: bytes) -> Plan: ...
    def pack(self) -> bytes: ...
    def table(
        self,
        out: Optional[str],
        jobs: Optional[int],
        progress: Optional[Callable[[int, int], object]],
    ) -> Table: ...
    def part(self, number: int, of: int, jobs: Optional[int]) -> bytes: ...
    def join(self, parts: List[bytes]) -> Table: ...

@final
class Table:
    csv: str
    json_lines: str
    means_csv: str
    means_json_lines: str
    means_text: str
    failed: int

def verify(data: bytes, name: str, class_only: bool) -> Tuple[str, Optional[str]]: ...
