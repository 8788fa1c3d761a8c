"""Runs of one scenario."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Union

from . import _jive
from ._frames import Frame, Kind, Row, flat, frame, json_lines

Path = Union[str, "os.PathLike[str]"]


class Run:
    """A run that ended: its summary, its statistics and, when they are asked for, its events."""

    def __init__(self, experiment: _jive.Experiment, report: _jive.Report) -> None:
        self._experiment = experiment
        self._summary: Dict[str, Any] = json.loads(report.summary)
        #: Why the run ended, in a word, such as "idle" or "until".
        self.ended: str = report.ended
        #: Why applets trapped: a text for each place.
        self.traps: List[str] = report.traps
        #: What a default cut off, in words; None if it cut off nothing.
        self.cut: Optional[str] = report.cut
        #: The expectations of the scenario that are not met: a text for each.
        self.unmet: List[str] = report.unmet

    @property
    def time_ns(self) -> int:
        """The virtual time at which the run ended, in nanoseconds."""
        return self._summary["time_ns"]

    def summary(self, kind: Kind = None) -> Frame:
        """One row for each endpoint: what was posted, sent, received, dropped and why."""
        rows = [flat(row) for row in self._summary["endpoints"]]
        return frame(rows, kind, ("endpoint", "nic"))

    def stats(self, of: str = "endpoints", kind: Kind = None) -> Frame:
        """One row for each of the "endpoints", "channels" or "nics", or one for "total".

        Rates are per second of virtual time, and latencies in nanoseconds.
        """
        stats = self._summary["stats"]
        if of not in ("endpoints", "channels", "nics", "total"):
            expected = '"endpoints", "channels", "nics" or "total"'
            raise ValueError(f"expected {expected}, found {of!r}")
        found = stats[of]
        rows = [flat(row) for row in (found if isinstance(found, list) else [found])]
        return frame(rows, kind)

    def events(self, payload: bool = False, kind: Kind = None) -> Frame:
        """One row for each event, in the order of time.

        The run is repeated for them, and gives the same events, so that a run nobody asks costs no memory for them.
        """
        lines = json_lines(self._experiment.trace(payload))
        # The header is no event.
        rows: List[Row] = lines[1:]
        return frame(rows, kind, ("t_ns", "nic", "endpoint", "event"))

    def as_dict(self) -> Dict[str, Any]:
        """The summary with its statistics, as `docs/summary.schema.json` describes it."""
        return self._summary

    def __repr__(self) -> str:
        return f"<jive.Run ended={self.ended!r} time_ns={self.time_ns}>"


def run(
    scenario: Path,
    *,
    seed: Optional[int] = None,
    set: Optional[Mapping[str, Any]] = None,
    allow_cut: bool = False,
    judge: bool = True,
) -> Run:
    """Runs a scenario: a TOML file, or the name of a built-in one.

    `set` has values for keys by their places, as `jive run --set` has them: {"link.0.loss": 0.1}.

    Raises UnusableError if the scenario has mistakes, RejectedError if a class is rejected, the run is stuck, a program
    gives up or an expectation is not met, and CutError if a default cut off messages or programs. The last two have the
    run as `run`; `judge=False` and `allow_cut=True` return it.
    """
    settings = [f"{place}={_value(value)}" for place, value in (set or {}).items()]
    experiment = _jive.Experiment(os.fspath(scenario), seed, settings)
    report = experiment.run()
    ran = Run(experiment, report)
    if report.stuck is not None:
        raise _with(_jive.RejectedError(report.stuck), ran)
    if judge and report.ended == "load-trap":
        raise _with(_jive.RejectedError("\n\n".join(report.traps)), ran)
    if judge and report.gave_up is not None:
        raise _with(_jive.RejectedError(report.gave_up), ran)
    if judge and report.unmet:
        raise _with(_jive.RejectedError("\n\n".join(report.unmet)), ran)
    if report.cut is not None and not allow_cut:
        raise _with(_jive.CutError(report.cut), ran)
    return ran


def _with(error: _jive.Error, ran: Run) -> _jive.Error:
    error.run = ran
    return error


def _value(value: Any) -> str:
    """Returns a value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON escapes what TOML does, but for U+007F.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        entries = (f"{_value(str(key))} = {_value(inner)}" for key, inner in value.items())
        return "{ " + ", ".join(entries) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    # Numbers of numpy show themselves as numbers of Python do when they become one.
    item = getattr(value, "item", None)
    if callable(item):
        value = item()
    return repr(value)
