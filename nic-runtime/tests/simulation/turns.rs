//! What names a place that is used again is void when its turn is over: a timer that was set again, a watch that was
//! removed, a buffer or a write of the time in which the applet was detached.
//!
//! The applet `Clock` obeys commands. On `lanai-1998` the set-up of a call takes 0.6 us, its entry 3.2 us, and each
//! native without bytes 5.5 us.

use nic_core::event::{EndReason, Event, EventKind, Names, RemoteEvent, Sink, ViaEvent};
use nic_core::id::ChannelId;
use nic_core::time::SimDuration;
use nic_runtime::Run;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs};
use nic_runtime::scenario::parse_on;

use crate::trace::{Pair, Trace, numbers, run, simulate};
use crate::via_over_memory::profile_with;

/// A command for `Clock`: the number that says which, calls of `currentTime` before it, and its argument.
pub(crate) fn command(what: u8, delay: u8, number: u32) -> String {
    format!("{{ hex = '{what:02x}{delay:02x}{number:08x}' }}")
}

const SET: u8 = 0;
const TRAP: u8 = 1;
const WATCH: u8 = 2;
const DELIVER: u8 = 3;

fn message(endpoint: &str, channel: i32, at: &str, payload: &str) -> String {
    format!(
        "[[send]]\nendpoint = '{endpoint}'\nchannel = {channel}\nat = '{at}'\npayload = {payload}\n"
    )
}

/// Returns the times of an endpoint's calls of a method, in nanoseconds.
pub(crate) fn calls(trace: &Trace, endpoint: &str, method: &str) -> Vec<u64> {
    let mut calls = trace.at(endpoint, "applet-call");
    calls.retain(|call| call["method"] == method);
    numbers(&calls, "t_ns")
}

/// Two NICs of which the first has a processor of its own for the given entries of its applet.
fn crew(placement: &str, client: &str, rest: &str) -> Trace {
    run(&format!(
        "[[nic]]\nname = 'a'\nprocessors = 2\nplacement = {{ {placement} }}\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\napplet = 'Clock.class'\n{client}\n\
         [[endpoint]]\nnic = 'b'\nname = 'server'\n\
         [[channel]]\nclient = 1\nserver = 7\n{rest}"
    ))
}

#[test]
fn timer_set_again_cancels_its_waiting_call() {
    // The timer expires while the second message is handled, whose call then cancels the timer or sets it again.
    let sends = |number| {
        message("client", 1, "10us", &command(SET, 0, 100))
            + &message("client", 1, "100us", &command(SET, 10, number))
    };
    let cancelled = crew("doTimer = 1", "", &sends(0));
    assert!(calls(&cancelled, "client", "doTimer").is_empty());
    assert_eq!(cancelled.end.reason, EndReason::Idle);
    let later = crew("doTimer = 1", "", &sends(1_000));
    let set = later.at("client", "native");
    let set = set.iter().filter(|native| native["name"] == "setTimer");
    let set: Vec<u64> = set.map(|native| native["t_ns"].as_u64().unwrap()).collect();
    assert_eq!(set.len(), 2);
    assert!(set[1] > set[0] + 100_600, "{set:?}");
    let expected = [set[1] + 1_000_000 + 600];
    assert_eq!(calls(&later, "client", "doTimer"), expected);
}

#[test]
fn timer_set_by_a_swap_replaces_a_starting_call() {
    let sends = message("client", 1, "10us", &command(SET, 0, 100));
    let client = "applet = 'Clock.class'";
    let run = |rest: &str| {
        Pair::PLAIN
            .scenario("until = '1ms'")
            .client(client)
            .rest(&(sends.clone() + rest))
            .run()
    };
    let called = calls(&run(""), "client", "doTimer")[0];
    // The initializer of `Ticker` sets the timer for 20 us later.
    let swap = called - 300;
    let swapped = run(&format!(
        "[[swap]]\nendpoint = 'client'\nat = '{swap}ns'\napplet = 'Ticker.class'\n"
    ));
    assert_eq!(calls(&swapped, "client", "doTimer")[0], swap + 20_000 + 600);
}

#[test]
fn removed_watch_voids_its_waiting_call() {
    let run = |removes: &str| {
        run(&format!(
            "profile = 'clan-programmable'\n[[nic]]\nname = 'a'\n\
             [[nic]]\nname = 'b'\nprocessors = 2\nplacement = {{ doWatch = 1 }}\n\
             [[endpoint]]\nnic = 'a'\nname = 'writer'\napplet = 'Windows.class'\n\
             [[endpoint]]\nnic = 'b'\nname = 'owner'\napplet = 'WindowClock.class'\n\
             [[channel]]\nwriter = 0\nowner = 1\n\
             [[window]]\nowner = 'owner'\nwriter = 'writer'\nnumber = 0\nlength = 16\n{}{}{removes}",
            message("owner", 1, "10us", &command(WATCH, 0, 4)),
            message("writer", 0, "200us", "{ hex = '01020304' }"),
        ))
    };
    let noticed = run("");
    assert_eq!(calls(&noticed, "owner", "doWatch").len(), 1);
    let came = numbers(&noticed.at("owner", "window-written"), "t_ns")[0];
    // The write arrives while the call runs that removes the watch.
    let begins = came - 30_000;
    let removed = run(&message(
        "owner",
        1,
        &format!("{begins}ns"),
        &command(WATCH, 60, 0),
    ));
    assert_eq!(removed.at("owner", "watch").len(), 1);
    let last = numbers(&removed.at("owner", "applet-return"), "t_ns");
    assert!(last.last() > Some(&came), "the call is under way");
    assert!(calls(&removed, "owner", "doWatch").is_empty());
}

#[test]
fn watch_set_again_does_not_take_over_a_starting_call() {
    // The set-up of `doWatch` on one processor leaves the other time for two calls: one removes the watch, and one sets
    // it again for the same bytes.
    let run = |rest: &str| {
        let mut scenario = crate::scenario::read(&format!(
            "profile = 'clan-programmable'\n[[nic]]\nname = 'a'\n\
             [[nic]]\nname = 'b'\nprocessors = 2\nplacement = {{ doWatch = 1 }}\n\
             [[endpoint]]\nnic = 'a'\nname = 'writer'\napplet = 'Windows.class'\n\
             [[endpoint]]\nnic = 'b'\nname = 'owner'\napplet = 'WindowClock.class'\n\
             [[channel]]\nwriter = 0\nowner = 1\n\
             [[window]]\nowner = 'owner'\nwriter = 'writer'\nnumber = 0\nlength = 16\n{}{}{rest}",
            message("owner", 1, "10us", &command(WATCH, 0, 4)),
            message("writer", 0, "200us", "{ hex = '01020304' }"),
        ));
        let entry = scenario.profile.entry.as_mut().expect("it runs applets");
        entry.watch_setup = SimDuration::from_ns(300_000);
        simulate(&scenario).expect("it runs")
    };
    let noticed = run("");
    let came = numbers(&noticed.at("owner", "watch"), "t_ns")[0];
    assert_eq!(calls(&noticed, "owner", "doWatch"), [came + 300_000]);
    let owner = |after: u64, watched: u32| {
        let at = format!("{}ns", came + after);
        message("owner", 1, &at, &command(WATCH, 0, watched))
    };
    let again = owner(10_000, 0) + &owner(100_000, 4);
    let reset = run(&again);
    let returned = numbers(&reset.at("owner", "applet-return"), "t_ns");
    assert!(returned.last() < Some(&(came + 300_000)), "{returned:?}");
    assert!(calls(&reset, "owner", "doWatch").is_empty());
    // The watch that was set again notices the next write.
    let next = message(
        "writer",
        0,
        &format!("{}ns", came + 400_000),
        "{ hex = '05' }",
    );
    let next = run(&(again + &next));
    let noticed = numbers(&next.at("owner", "watch"), "t_ns");
    assert_eq!(noticed.len(), 2);
    assert_eq!(calls(&next, "owner", "doWatch"), [noticed[1] + 300_000]);
}

const DETACH: &str = "on_trap = 'detach'\ndetach_after = 1\nback_off = '1ms'";

#[test]
fn waiting_call_of_a_detached_applet_takes_the_base_path() {
    // The packet comes while the other processor runs a call that traps.
    let sends = message("client", 1, "100us", &command(TRAP, 20, 0))
        + &message("server", 7, "120us", &command(SET, 0, 50));
    let trace = crew("doRx = 1", DETACH, &sends);
    assert_eq!(trace.at("client", "applet-detach").len(), 1);
    assert!(calls(&trace, "client", "doRx").is_empty());
    assert!(trace.at("client", "applet-attach").is_empty());
    assert_eq!(trace.at("client", "rx-descriptor").len(), 1);
    assert_eq!(trace.end.reason, EndReason::Idle);
    // The other way round, a descriptor waits.
    let sends = message("server", 7, "100us", &command(TRAP, 20, 0))
        + &message("client", 1, "150us", &command(SET, 0, 50));
    let trace = crew("doRx = 1", DETACH, &sends);
    assert_eq!(trace.at("client", "applet-detach").len(), 1);
    assert!(calls(&trace, "client", "doTx").is_empty());
    assert_eq!(trace.at("server", "rx-descriptor").len(), 1);
    assert_eq!(trace.end.reason, EndReason::Idle);
}

#[test]
fn timer_of_a_detached_applet_waits() {
    let sends = message("client", 1, "100us", &command(SET, 0, 100))
        + &message("client", 1, "180us", &command(TRAP, 10, 100));
    let trace = crew("doTimer = 1", DETACH, &sends);
    let detached = numbers(&trace.at("client", "applet-detach"), "t_ns");
    assert_eq!(detached.len(), 1);
    // The call that traps has set the timer again; it is due while the applet is detached.
    assert_eq!(
        calls(&trace, "client", "doTimer"),
        [detached[0] + 1_000_000 + 600]
    );
}

/// A client whose user reads a message while the applet is detached, and a neighbour that keeps the processor busy
/// until the applet is attached again.
fn detached_meanwhile(poll_every: &str, neighbour: &str) -> Trace {
    let client = format!("applet = 'Clock.class'\n{DETACH}\npoll_every = '{poll_every}'");
    let neighbours = "[[endpoint]]\nnic = 'a'\nname = 'busy'\napplet = 'Clock.class'\n\
         [[endpoint]]\nnic = 'b'\nname = 'other'\n[[channel]]\nbusy = 1\nother = 1\n";
    Pair::PLAIN
        .client(&client)
        .rest(&format!(
            "{neighbours}{}{}{neighbour}",
            message("server", 7, "10us", &command(DELIVER, 0, 0)),
            message("client", 1, "200us", &command(TRAP, 0, 0)),
        ))
        .run()
}

#[test]
fn buffer_returned_while_detached_is_never_reported() {
    let early = detached_meanwhile("1us", "");
    assert_eq!(calls(&early, "client", "doRefill").len(), 1);
    let trapped = numbers(&early.at("client", "applet-detach"), "t_ns")[0];
    let attached = trapped + 1_000_000;
    let busy = message(
        "busy",
        1,
        &format!("{}ns", attached - 400_000),
        &command(SET, 100, 0),
    );
    let late = detached_meanwhile("900us", &busy);
    assert_eq!(
        numbers(&late.at("client", "applet-detach"), "t_ns"),
        [trapped]
    );
    let ended = numbers(&late.at("busy", "applet-return"), "t_ns");
    assert!(ended.last() > Some(&attached), "the processor is busy");
    assert!(calls(&late, "client", "doRefill").is_empty());
}

#[test]
fn a_write_that_comes_while_the_applet_is_detached_is_lost() {
    let run = |at: &str, busy: &str| {
        run(&format!(
            "profile = 'clan-programmable'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[endpoint]]\nnic = 'a'\nname = 'writer'\napplet = 'Windows.class'\n\
             [[endpoint]]\nnic = 'b'\nname = 'owner'\napplet = 'WindowClock.class'\n{DETACH}\n\
             [[endpoint]]\nnic = 'b'\nname = 'busy'\napplet = 'Clock.class'\n\
             [[endpoint]]\nnic = 'a'\nname = 'other'\n[[channel]]\nbusy = 1\nother = 1\n\
             [[channel]]\nwriter = 0\nowner = 1\n\
             [[window]]\nowner = 'owner'\nwriter = 'writer'\nnumber = 0\nlength = 16\n{}{}{}{busy}",
            message("owner", 1, "10us", &command(WATCH, 0, 4)),
            message("owner", 1, "200us", &command(TRAP, 0, 0)),
            message("writer", 0, at, "{ hex = '01020304' }"),
        ))
    };
    let after = run("2ms", "");
    assert_eq!(calls(&after, "owner", "doWatch").len(), 1);
    let detached = numbers(&after.at("owner", "applet-detach"), "t_ns")[0];
    let attached = detached + 1_000_000;
    let busy = message(
        "busy",
        1,
        &format!("{}ns", attached - 100_000),
        &command(SET, 120, 0),
    );
    let during = run(&format!("{}ns", attached - 50_000), &busy);
    let came = numbers(&during.at("owner", "window-written"), "t_ns");
    assert!(came[0] < attached, "{came:?}");
    let ended = numbers(&during.at("busy", "applet-return"), "t_ns");
    assert!(ended.last() > Some(&attached), "the processor is busy");
    assert!(calls(&during, "owner", "doWatch").is_empty());
    assert!(during.at("owner", "watch").is_empty());
}

/// A program that posts two messages, ends its connection, and posts another.
struct Leaves;

impl HostProgram for Leaves {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        if let Happened::Started = what {
            let home = actions.endpoints()[0];
            actions.post(home, ChannelId(1), vec![1; 90]);
            actions.post(home, ChannelId(1), vec![2; 90]);
            actions.disconnect(home);
            actions.post(home, ChannelId(1), vec![3; 90]);
        }
    }
}

/// The times of an exchange over CLAN, in picoseconds.
#[derive(Default)]
struct Times {
    posted: Vec<u64>,
    mapped: Vec<u64>,
    done: Vec<u64>,
}

impl Sink for Times {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let now = event.time.as_ps();
        match event.kind {
            EventKind::Via(ViaEvent::TxPost { .. }) => self.posted.push(now),
            EventKind::Via(ViaEvent::TxDone { .. }) => self.done.push(now),
            EventKind::Remote(RemoteEvent::WindowMap { .. }) => self.mapped.push(now),
            _ => {}
        }
    }
}

#[test]
fn send_on_a_closed_connection_waits_in_the_library() {
    // The first message maps a window, so that the library gets to the second message late.
    let mut profile = profile_with(1);
    profile.clan.as_mut().expect("a section of CLAN").map = SimDuration::from_ns(400_000);
    let both = "strict = true\ntransfer = 'pio'\nfree_buffers = { count = 4, length = 100 }";
    let scenario = parse_on(&crate::via::pair("", both, ""), &profile).expect("it is right");
    let mut times = Times::default();
    let programs = Programs::new().with("left", Leaves);
    let end = Run::new(&scenario)
        .programs(programs)
        .sink(&mut times)
        .execute()
        .expect("it fits")
        .end;
    assert_eq!(end.reason, EndReason::Idle);
    let Times {
        posted,
        mapped,
        done,
    } = times;
    let via = profile.via.expect("a section of VIA");
    assert_eq!((posted.len(), done.len()), (3, 3), "{posted:?} {done:?}");
    // The library sends the first message at this time, and then maps the windows.
    let first = mapped[0];
    let takes = first - posted[0];
    assert!(takes >= (via.library + via.cookie).as_ps());
    let maps = 400_000_000 * mapped.iter().filter(|time| **time == first).count() as u64;
    let free = |before: u64, post: u64| before.max(post) + takes;
    let second = free(first + maps, posted[1]);
    assert!(done[1] < second, "{done:?}: it was flushed");
    assert_eq!(done[2], free(second, posted[2]), "{done:?} {maps}");
}
