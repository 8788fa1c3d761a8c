"""Sweeps: a scenario over many values and seeds, in threads or on a Dask cluster."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from . import _jive
from ._frames import Frame, Kind, frame, json_lines
from ._run import Path, _value

#: How many parts a cluster gets for each of its threads: enough that the last ones end at about the same time.
PARTS_PER_THREAD = 4


class Sweep:
    """The rows of a sweep. Their bytes depend on the plan alone, not on who ran it."""

    def __init__(self, plan: _jive.Plan, table: _jive.Table) -> None:
        self._table = table
        #: A digest of all that the rows depend on.
        self.digest: str = plan.digest
        #: How many runs failed; their rows say why.
        self.failed: int = table.failed

    def rows(self, kind: Kind = None) -> Frame:
        """One row for each run: its seed, the values of the axes, the metrics, and how it ended."""
        return frame(json_lines(self._table.json_lines), kind)

    def means(self, kind: Kind = None) -> Frame:
        """One row for each point: the mean of each metric, half the width of its 95 % interval in `METRIC.ci`, and the number of runs in the mean in `METRIC.runs`."""
        return frame(json_lines(self._table.means_json_lines), kind)

    def csv(self) -> str:
        """The rows as `jive sweep --out rows.csv` writes them."""
        return self._table.csv

    def json_lines(self) -> str:
        """The rows as `jive sweep --out rows.jsonl` writes them."""
        return self._table.json_lines

    def __str__(self) -> str:
        return self._table.means_text


def sweep(
    plan: Union[Path, Mapping[str, Any]],
    client: Any = None,
    *,
    out: Optional[Path] = None,
    jobs: Optional[int] = None,
    parts: Optional[int] = None,
    progress: Optional[Callable[[int, int], Any]] = None,
) -> Sweep:
    """Runs a plan: a TOML file with the section `[sweep]`, or that section as a dict.

    Runs go into threads of this process, `jobs` of them or as many as there are processors. With `out` the rows are kept
    in a file as they are made, and an interrupted sweep goes on there. `progress` is called with the numbers of finished
    and of all runs.

    With a `client` of Dask, its workers run `parts` of the plan, four for each of their threads unless given. A part
    whose worker dies runs again elsewhere. The workers need this package; the files of the plan travel with it.
    """
    read = _plan(plan)
    if client is None:
        if parts is not None:
            raise ValueError("expected `parts` only with a client")
        table = read.table(None if out is None else os.fspath(out), jobs, progress)
        return Sweep(read, table)
    if out is not None or jobs is not None:
        raise ValueError("expected neither `out` nor `jobs` with a client")
    return Sweep(read, _on_cluster(read, client, parts, progress))


def _plan(plan: Union[Path, Mapping[str, Any]]) -> _jive.Plan:
    if isinstance(plan, Mapping):
        lines = [f"{_value(str(key))} = {_value(value)}" for key, value in plan.items()]
        text = "[sweep]\n" + "\n".join(lines) + "\n"
        # Files are relative to the directory of the process, as those of a call are.
        return _jive.Plan.of_text(text, "plan")
    return _jive.Plan.read(os.fspath(plan))


def _on_cluster(
    plan: _jive.Plan,
    client: Any,
    parts: Optional[int],
    progress: Optional[Callable[[int, int], Any]],
) -> _jive.Table:
    from distributed import as_completed

    if parts is None:
        threads = sum(client.nthreads().values()) or 1
        parts = threads * PARTS_PER_THREAD
    parts = max(1, min(parts, plan.runs))
    # The plan is a result of its own, which goes to each worker once, and is made again if all that have it die. Equal
    # plans have equal keys, so that a part that the cluster still has is not run again.
    packed = client.submit(bytes, plan.pack(), key=f"jive-{plan.digest}")
    futures = {
        client.submit(
            _part, packed, number, parts, key=f"jive-{plan.digest}-{number}-of-{parts}"
        ): number
        for number in range(1, parts + 1)
    }
    found: Dict[int, bytes] = {}
    try:
        for future, part in as_completed(list(futures), with_results=True):
            found[futures[future]] = part
            if progress is not None:
                progress(sum(_runs(plan, number, parts) for number in found), plan.runs)
    finally:
        client.cancel([future for future, number in futures.items() if number not in found])
    return plan.join([found[number] for number in sorted(found)])


def _runs(plan: _jive.Plan, number: int, parts: int) -> int:
    """How many runs a part has."""
    return len(range(number - 1, plan.runs, parts))


def _part(packed: bytes, number: int, parts: int) -> bytes:
    # One thread: a worker of Dask has a part for each of its own.
    return _jive.Plan.unpack(packed).part(number, parts, 1)
