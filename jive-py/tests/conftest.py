"""Scenarios and plans that the tests share."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: A lossy link, and messages over it.
SCENARIO = """
[[nic]]
name = "a"
[[nic]]
name = "b"
[[link]]
between = ["a", "b"]
loss = 0.1
[[endpoint]]
nic = "a"
name = "client"
applet = "Sender.class"
[[endpoint]]
nic = "b"
name = "server"
[[channel]]
client = 1
server = 1
[[send]]
endpoint = "client"
channel = 1
payload = { zeros = 100 }
repeat = 20
gap = { poisson = "30us" }
"""

PLAN = """
[sweep]
scenario = "lossy.toml"
seeds = 4
collect = ["loss", "goodput", "latency.mean"]
[sweep.axes]
"link.0.loss" = [0.0, 0.5]
"send.0.repeat" = [10, 20]
"""


@pytest.fixture
def raw_unet() -> bytes:
    return (ROOT / "applets/class/RawUnet.class").read_bytes()


@pytest.fixture
def here(tmp_path, monkeypatch, raw_unet):
    """A directory with a scenario, its class and its plan, where the test runs."""
    (tmp_path / "lossy.toml").write_text(SCENARIO)
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "Sender.class").write_bytes(raw_unet)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command():
    """The command `jive`, with whose texts and files those of the package are compared."""
    built = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug" / "jive"
    found = os.environ.get("JIVE") or (str(built) if built.exists() else shutil.which("jive"))
    if found is None:
        pytest.skip("the command `jive` is not built")

    def run(*arguments):
        return subprocess.run([found, *arguments], capture_output=True, text=True)

    return run
