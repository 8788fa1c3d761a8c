"""`jive.run`: the frames are those of the command's JSON, and errors have its texts."""

import json

import jive
import pytest


def test_events_and_summary_are_those_of_the_command(here, command):
    ended = command("run", "lossy.toml", "--seed", "7", "--trace", "json", "--stats")
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    run = jive.run("lossy.toml", seed=7)
    events = run.events(kind="dicts")
    assert events == [{name: line.get(name) for name in events[0]} for line in lines[1:-1]]
    assert run.as_dict() == lines[-1]
    # The events are those of the same run, however often they are asked for.
    assert run.events(kind="dicts") == events


def test_frames_have_a_row_for_each_of_what_they_are_about(here):
    run = jive.run("lossy.toml", set={"link.0.loss": 0.0})
    assert list(run.summary()["endpoint"]) == ["client", "server"]
    stats = run.stats()
    server = stats[stats["endpoint"] == "server"].iloc[0]
    assert server["delivered"] == 20
    assert server["latency_ns.count"] == 20
    assert 0 < server["latency_ns.min"] <= server["latency_ns.p50"] <= server["latency_ns.max"]
    assert len(run.stats("channels")) == 2 and len(run.stats("total")) == 1
    assert 0 < run.stats("nics")["wire"][0] < 1
    received = run.events()
    received = received[received["event"] == "rx-descriptor"]
    assert len(received) == 20 and set(received["length"]) == {100}
    # A column of whole numbers has them even where other rows have none.
    assert str(received["length"].dtype) == "Int64" and received["t_ns"].dtype == "int64"
    with pytest.raises(ValueError, match='expected "endpoints"'):
        run.stats("links")


def test_frames_are_of_the_library_that_is_asked_for(here):
    import pandas
    import polars

    run = jive.run("lossy.toml")
    assert isinstance(run.events(), pandas.DataFrame)
    frame = run.events(kind="polars")
    assert isinstance(frame, polars.DataFrame)
    assert frame.height == len(run.events(kind="dicts"))
    with pytest.raises(ValueError, match="found 'lists'"):
        run.events(kind="lists")


def test_settings_change_single_keys(here):
    lossless = jive.run("lossy.toml", set={"link.0.loss": 0, "until": "1s"})
    assert lossless.stats("total", kind="dicts")[0]["delivered"] == 20
    gone = jive.run("lossy.toml", set={"link.0.loss": 1.0})
    assert gone.stats("total", kind="dicts")[0]["delivered"] == 0
    echo = jive.run("lossy.toml", set={"endpoint.server.host": "echo", "link.0.loss": 0})
    assert echo.stats(kind="dicts")[0]["delivered"] == 20
    # A text is a text, whatever it looks like.
    named = jive.run("lossy.toml", set={"send.0.payload": {"text": 'a "b"\n\\'}, "link.0.loss": 0})
    assert named.stats("total", kind="dicts")[0]["delivered_bytes"] == 20 * 7


@pytest.mark.parametrize(
    ("scenario", "settings", "arguments", "error", "status"),
    [
        ("nowhere.toml", {}, [], jive.UnusableError, 2),
        ("pinpong", {}, [], jive.UnusableError, 2),
        ("lossy.toml", {"link.0.los": 1}, ["--set", "link.0.los=1"], jive.UnusableError, 2),
        ("lossy.toml", {"link.0.loss": 7}, ["--set", "link.0.loss=7"], jive.UnusableError, 2),
        ("broken.toml", {}, [], jive.UnusableError, 2),
        ("rejected.toml", {}, [], jive.RejectedError, 1),
        ("unmet.toml", {}, [], jive.RejectedError, 1),
        ("cut.toml", {}, [], jive.CutError, 4),
    ],
)
def test_errors_have_the_text_of_the_command(
    here, command, scenario, settings, arguments, error, status
):
    text = (here / "lossy.toml").read_text()
    (here / "broken.toml").write_text(text.replace("repeat", "repaet"))
    (here / "Rejected.class").write_bytes((here / "Sender.class").read_bytes()[:-3])
    (here / "rejected.toml").write_text(text.replace("Sender.class", "Rejected.class"))
    (here / "unmet.toml").write_text(text + '[[expect]]\nendpoint = "server"\ndrops = 99\n')
    (here / "cut.toml").write_text(text.replace("repeat = 20", "repeat = 100000"))
    ended = command("run", scenario, "--trace", "none", *arguments)
    assert ended.returncode == status, ended.stderr
    with pytest.raises(error) as raised:
        jive.run(scenario, set=settings)
    assert str(raised.value).strip() == ended.stderr.strip()
    if scenario in ("unmet.toml", "cut.toml"):
        run = raised.value.run
        again = jive.run(scenario, judge=False, allow_cut=True)
        assert again.as_dict() == run.as_dict()


def test_runs_go_on_beside_each_other(here):
    """The lock is released: another thread counts while a run goes on."""
    import threading
    import time

    text = (here / "lossy.toml").read_text()
    text = text.replace("repeat = 20", "repeat = 3000").replace("[[nic]]", 'until = "10s"\n[[nic]]', 1)
    (here / "long.toml").write_text(text)
    ticks = []
    over = threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    jive.run("long.toml")
    ended = time.monotonic()
    over.set()
    thread.join()
    during = [tick for tick in ticks if began < tick < ended]
    assert len(during) >= 3, (ended - began, len(ticks))
