"""Runs, sweeps and verifies JIVE's applets on a simulated network interface.

    import jive

    run = jive.run("pingpong", seed=7, set={"link.0.loss": 0.1})
    run.events()            # one row per event
    run.stats()             # one row per endpoint: rates, goodput, latencies
    jive.sweep("loss.toml").means()
    jive.verify(open("Filter.class", "rb").read()).accepted

Frames are of pandas or polars, whichever is there, and lists of dicts otherwise.
"""

from ._frames import Frame, Kind
from ._jive import VERSION as __version__
from ._jive import CutError, Error, RejectedError, UnusableError
from ._run import Run, run
from ._sweep import Sweep, sweep
from ._verify import Verdict, verify

__all__ = [
    "CutError",
    "Error",
    "Frame",
    "Kind",
    "RejectedError",
    "Run",
    "Sweep",
    "UnusableError",
    "Verdict",
    "__version__",
    "run",
    "sweep",
    "verify",
]
