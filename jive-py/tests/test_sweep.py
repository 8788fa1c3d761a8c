"""`jive.sweep`: rows and means are those of the command, in threads and on a cluster that loses a worker."""

import os
import signal
import threading
import time

import jive
import pytest


def test_rows_are_those_of_the_command(here, command):
    ended = command("sweep", "plan.toml", "--out", "rows.csv")
    assert ended.returncode == 0, ended.stderr
    swept = jive.sweep("plan.toml", jobs=3)
    assert swept.csv() == (here / "rows.csv").read_text()
    assert str(swept) == ended.stdout
    assert command("sweep", "plan.toml", "--out", "rows.jsonl").returncode == 0
    assert swept.json_lines() == (here / "rows.jsonl").read_text()
    # The same plan as a dict.
    plan = {
        "scenario": "lossy.toml",
        "seeds": 4,
        "collect": ["loss", "goodput", "latency.mean"],
        "axes": {"link.0.loss": [0.0, 0.5], "send.0.repeat": [10, 20]},
    }
    assert jive.sweep(plan).csv() == swept.csv()


def test_rows_and_means_are_frames(here):
    swept = jive.sweep("plan.toml")
    rows = swept.rows()
    assert len(rows) == 16 and set(rows["plan"]) == {swept.digest}
    assert list(rows["seed"][:5]) == [1, 2, 3, 4, 1]
    by_hand = rows.groupby(["link.0.loss", "send.0.repeat"])["goodput"]
    means = swept.means().set_index(["link.0.loss", "send.0.repeat"])
    # Student's t for 3 degrees of freedom is 3.182.
    for point, goodput in by_hand:
        mean = means.loc[point]
        assert mean["goodput"] == pytest.approx(goodput.mean())
        assert mean["goodput.ci"] == pytest.approx(3.182 * goodput.sem(), rel=1e-3)
    assert swept.rows(kind="polars").height == 16


def test_an_interrupted_sweep_goes_on(here):
    whole = jive.sweep("plan.toml")

    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    with pytest.raises(Stop):
        jive.sweep("plan.toml", out="rows.csv", jobs=1, progress=stop)
    assert not (here / "rows.csv").exists()
    assert (here / "rows.csv.part").exists()
    seen = []
    again = jive.sweep("plan.toml", out="rows.csv", progress=lambda done, total: seen.append((done, total)))
    assert again.csv() == whole.csv() == (here / "rows.csv").read_text()
    assert seen[-1] == (16, 16)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"axes": {"link.0.los": [1]}}, "did you mean `loss`?"),
        ({"axes": {"link.0.loss": []}}, "expected at least one value"),
        ({"seeds": 0}, "expected another value of `seeds`"),
        ({"scenario": "nowhere.toml"}, "cannot read nowhere.toml: no such file"),
        ({"collect": ["godput"]}, "did you mean `goodput`?"),
    ],
)
def test_mistakes_of_a_plan_are_errors(here, change, says):
    with pytest.raises(jive.UnusableError, match="error: ") as raised:
        jive.sweep({"scenario": "lossy.toml", **change})
    assert says in str(raised.value)


def test_a_run_that_fails_is_a_row(here):
    plan = {
        "scenario": "lossy.toml",
        "axes": {"endpoint.client.heap": [65_536, 100_000_000]},
    }
    swept = jive.sweep(plan)
    assert swept.failed == 1
    assert [row["error"] is None for row in swept.rows(kind="dicts")] == [True, False]


def test_a_cluster_that_loses_a_worker_gives_the_rows_of_this_process(here):
    """Four processes run the parts; one of them is killed while it has some."""
    distributed = pytest.importorskip("distributed")
    runs = int(os.environ.get("JIVE_RUNS", "40"))
    text = (here / "lossy.toml").read_text().replace("repeat = 20", "repeat = 200")
    (here / "lossy.toml").write_text(text)
    plan = {
        "scenario": "lossy.toml",
        "seeds": runs // 4,
        "axes": {"link.0.loss": [0.0, 0.1, 0.2, 0.3]},
        "collect": ["loss", "goodput", "latency.p99"],
    }
    serial = jive.sweep(plan, jobs=1)
    assert len(serial.rows(kind="dicts")) == runs
    cluster = distributed.LocalCluster(
        n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(4)
        victim = min(client.run(os.getpid).values())
        killed = threading.Event()

        def progress(done, total):
            # Midway: some parts are there, and the others are under way.
            if done >= total // 4 and not killed.is_set():
                killed.set()
                os.kill(victim, signal.SIGKILL)

        swept = jive.sweep(plan, client, parts=20, progress=progress)
        assert killed.is_set()
    assert swept.csv() == serial.csv()
    # The files travelled with the plan: the workers need none of this directory.
    assert swept.digest == serial.digest


def test_the_files_of_a_plan_travel_with_it(here):
    plan = jive._jive.Plan.read("plan.toml")
    packed = plan.pack()
    whole = jive.sweep("plan.toml")
    for name in ("lossy.toml", "Sender.class", "plan.toml"):
        (here / name).unlink()
    unpacked = jive._jive.Plan.unpack(packed)
    assert unpacked.digest == plan.digest
    parts = [unpacked.part(number, 5, 1) for number in (4, 2, 5, 1, 3)]
    assert plan.join(parts).csv == whole.csv()
    with pytest.raises(jive.UnusableError, match="lacks 3 of 16 runs, the first of which is run 2"):
        plan.join(parts[:-1])
    with pytest.raises(jive.UnusableError, match="expected a part from 1 to 5, found 6"):
        plan.part(6, 5, 1)


def test_ctrl_c_ends_a_sweep(here):
    text = (here / "lossy.toml").read_text().replace("repeat = 20", "repeat = 500")
    (here / "lossy.toml").write_text(text)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        jive.sweep({"scenario": "lossy.toml", "seeds": 100_000}, jobs=1)
    assert time.monotonic() - began < 20
