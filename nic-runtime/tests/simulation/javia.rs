//! Classes that processes run, with the natives of `via/Via` (Javia, S2-07 to S2-20).

use nic_core::event::{Event, EventKind, HostEvent, Names, Sink};
use nic_core::time::SimTime;
use nic_runtime::scenario::{self, ScenarioError};
use nic_runtime::spec::Scenario;
use nic_runtime::{Run, RunEnd};

use crate::runs::runs;
use crate::via_connect::PROVIDERS;

/// The variants of `Ping` and `Pong`, with the buffers that a VI has for each.
const VARIANTS: [(&str, &str); 5] = [
    ("0", "free_buffers = { count = 4, length = 4096 }"),
    ("1", "free_buffers = { count = 4, length = 4096 }"),
    ("2", "free_buffers = { count = 4, length = 4096 }"),
    ("3", "free_buffers = { count = 0 }"),
    ("4", "free_buffers = { count = 4, length = 4096 }"),
];

/// Two processes on two hosts that run classes, joined by two VIs that they connect. `of_each` are keys of both
/// processes, and `of_vis` of both VIs.
fn two_classes(
    (profile, provider): (&str, &str),
    classes: [&str; 2],
    (of_each, of_vis, rest): (&str, &str, &str),
) -> String {
    let [client, server] = classes;
    let host = |nic: &str, class: &str, name: &str| {
        format!(
            "[[nic]]\nname = '{nic}'\n[[process]]\nname = '{nic}-runs'\nnic = '{nic}'\nprogram = 'class:{class}'\n\
             {of_each}\n[[endpoint]]\nnic = '{nic}'\nname = '{name}'\nprocess = '{nic}-runs'\ninterface = 'via'\n\
             provider = '{provider}'\nbuffer_area = '64KiB'\n{of_vis}\n"
        )
    };
    format!(
        "profile = '{profile}'\nuntil = '100s'\nmax_events = 100000000\n{}{}\
         [[channel]]\nclient = 1\nserver = 7\nconnect = 'program'\n{rest}",
        host("a", client, "client"),
        host("b", server, "server"),
    )
}

/// What became of a program, and how often its memory was collected.
#[derive(Debug, Default)]
struct Seen {
    /// Of each program that has ended, the endpoint and its value, or its trap, native and state.
    ended: Vec<(String, SimTime, String)>,
    collections: u64,
    waits: u64,
}

impl Sink for Seen {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let Some(endpoint) = event.endpoint else {
            return;
        };
        let EventKind::Host(of_host) = event.kind else {
            return;
        };
        let told = match of_host {
            HostEvent::ProgramReturn { value } => value.to_string(),
            HostEvent::ProgramTrap {
                kind,
                native,
                state,
                ..
            } => [Some(kind.name()), native, state]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" "),
            HostEvent::ProgramWait { .. } => {
                self.waits += 1;
                return;
            }
            HostEvent::Collection { .. } => {
                self.collections += 1;
                return;
            }
        };
        let name = names.endpoint(endpoint).to_owned();
        self.ended.push((name, event.time, told));
    }
}

fn read(text: &str) -> Scenario {
    crate::scenario::read(text)
}

fn run(text: &str) -> (RunEnd, Seen) {
    let scenario = read(text);
    let mut seen = Seen::default();
    let outcome = Run::new(&scenario).sink(&mut seen).execute();
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}\n{text}"));
    (outcome.end, seen)
}

/// Returns what the programs of a run have told, in the order of their endpoints' names.
fn told(seen: &Seen) -> Vec<(&str, &str)> {
    let ended = seen.ended.iter();
    let mut told: Vec<_> = ended
        .map(|(name, _, told)| (name.as_str(), told.as_str()))
        .collect();
    told.sort_unstable();
    told
}

#[test]
fn classes_exchange_messages_in_every_variant() {
    let rounds = runs(60);
    for provider in PROVIDERS {
        for (variant, buffers) in VARIANTS {
            for (length, collector) in [(4, "moving"), (701, "stationary"), (3000, "moving")] {
                let of_each = format!(
                    "buffers = '32KiB'\nheap = '24KiB'\ncollector = '{collector}'\n\
                     state = {{ variant = {variant}, length = {length}, rounds = {rounds}, check = true }}"
                );
                let classes = ["builtin:Ping", "builtin:Pong"];
                let text = two_classes(provider, classes, (&of_each, buffers, ""));
                let (end, seen) = run(&text);
                let all = rounds.to_string();
                assert_eq!(
                    told(&seen),
                    [("client", all.as_str()), ("server", all.as_str())],
                    "{provider:?}, variant {variant}, {length} bytes"
                );
                assert!(end.unfinished.is_empty() && end.gave_up.is_empty());
                // Each message makes an array in these variants alone.
                let makes_arrays = matches!(variant, "0" | "4");
                assert!(makes_arrays || seen.collections == 0);
                assert!(seen.collections > 0 || !makes_arrays || length < 3000);
                assert!(seen.waits >= 2 * rounds);
            }
        }
    }
}

/// One process that runs `Misuse`, whose VI nobody connects.
fn misuse(what: u32, more: &str) -> String {
    format!(
        "profile = 'giganet-1999'\nuntil = '100ms'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[process]]\nname = 'p'\nnic = 'a'\nprogram = 'class:Misuse.class'\nbuffers = 4096\n\
         state = {{ what = {what} }}\n{more}\n\
         [[endpoint]]\nnic = 'a'\nname = 'vi'\nprocess = 'p'\ninterface = 'via'\nfree_buffers = {{ count = 2 }}\n\
         [[endpoint]]\nnic = 'b'\nname = 'peer'\ninterface = 'via'\n\
         [[channel]]\nvi = 1\npeer = 1\nconnect = 'program'\n"
    )
}

#[test]
fn what_a_program_may_not_do_traps() {
    for (what, expected) in [
        (0, "ProtectionFault lastTag"),
        (1, "ProtectionFault lastTag"),
        (2, "ProtectionFault free"),
        (3, "NullPointerException send"),
        (4, "ArrayIndexOutOfBoundsException send"),
        (5, "ArrayIndexOutOfBoundsException sendInts"),
        (6, "ArrayIndexOutOfBoundsException recvPost"),
        (7, "OutOfMemoryError alloc"),
        (8, "NegativeArraySizeException alloc"),
        (9, "OutOfMemoryError"),
        (10, "FuelExhausted"),
        (11, "StackOverflowError"),
        (12, "ProtectionFault ticketLength"),
        (13, "ProtectionFault deregister"),
        (20, "BufferState free unref"),
        (21, "BufferState register unref"),
        (22, "BufferState free ref byte[]"),
        (23, "BufferState sendBufPost 2b-unref byte[]"),
        (24, "BufferState toIntArray unref"),
        (25, "BufferState toShortArray ref byte[]"),
        (26, "ProtectionFault free"),
        (27, "BufferState deregister unref"),
        (28, "BufferState unRef unref"),
        (29, "BufferState unRef 2b-unref byte[]"),
        (30, "ProtectionFault sendBufPost"),
        (31, "ProtectionFault pause"),
    ] {
        for collector in ["moving", "stationary"] {
            let (_, seen) = run(&misuse(what, &format!("collector = '{collector}'")));
            assert_eq!(told(&seen), [("vi", expected)], "{what}, {collector}");
        }
    }
}

#[test]
fn what_looks_like_a_mistake_and_is_none_returns() {
    // 40: an array that is kept over `unRef` and a collection is in the heap, with its bytes, and the next owner of the
    // buffer does not see it. A collector that leaves arrays where they are leaves the buffer waiting, and `toIntArray`
    // traps.
    let kept = "BufferState toIntArray 2b-unref byte[]";
    for (what, moving, stationary) in [
        (40, "64", kept),
        (41, "213", "213"),
        (42, "5", "5"),
        (43, "2", "2"),
        (45, "36000", "36000"),
    ] {
        for (collector, expected) in [("moving", moving), ("stationary", stationary)] {
            let (_, seen) = run(&misuse(what, &format!("collector = '{collector}'")));
            assert_eq!(told(&seen), [("vi", expected)], "{what}, {collector}");
            assert!(what != 45 || seen.collections > 10, "{seen:?}");
        }
    }
}

#[test]
fn waits_end_in_time() {
    // The waits for a ticket and for a buffer return at once, because nothing is posted.
    let (_, seen) = run(&misuse(44, ""));
    let [(_, _, told)] = &seen.ended[..] else {
        panic!("{seen:?}");
    };
    let took: i32 = told.parse().expect("it returns");
    // 3 ms for a connection, 2 ms for a message and the pause of 1 ms, and little else.
    assert!((6_000..6_010).contains(&took), "{took}");
}

#[test]
fn connections_are_refused_time_out_and_are_made_again() {
    for provider in PROVIDERS {
        // With more buffers than the NIC has read descriptors of when a connection ends, the end flushes some of them only.
        for count in [1, 4, 8, 32] {
            let vis = format!("free_buffers = {{ count = {count}, length = 1024 }}");
            let classes = ["builtin:Reconnect", "builtin:Server"];
            let (end, seen) = run(&two_classes(provider, classes, ("", &vis, "")));
            let mut told = told(&seen);
            told.sort_unstable();
            // Each returns the number of the step that went otherwise.
            let good = [("client", "0"), ("server", "0")];
            let left = end.unfinished;
            assert_eq!(told, good, "{provider:?}, {count} buffers, {left:?}");
        }
    }
}

#[test]
fn arrays_of_each_type_are_sent() {
    // VI 0 is for Javia-I and VI 1 for buffers; `Kinds` runs at both ends and checks what comes back.
    for (profile, provider) in PROVIDERS {
        let end = |nic: &str, name: &str, serves: bool| {
            format!(
                "[[nic]]\nname = '{nic}'\n[[process]]\nname = '{nic}-runs'\nnic = '{nic}'\n\
                 program = 'class:builtin:Kinds'\nbuffers = 4096\nstate = {{ serves = {serves} }}\n\
                 [[endpoint]]\nnic = '{nic}'\nname = '{name}0'\nprocess = '{nic}-runs'\ninterface = 'via'\n\
                 provider = '{provider}'\nfree_buffers = {{ count = 4, length = 1024 }}\n\
                 [[endpoint]]\nnic = '{nic}'\nname = '{name}1'\nprocess = '{nic}-runs'\ninterface = 'via'\n\
                 provider = '{provider}'\nfree_buffers = {{ count = 0 }}\n"
            )
        };
        let text = format!(
            "profile = '{profile}'\nuntil = '1s'\n{}{}[[channel]]\nx0 = 1\ny0 = 1\nconnect = 'program'\n\
             [[channel]]\nx1 = 1\ny1 = 1\nconnect = 'program'\n",
            end("a", "x", false),
            end("b", "y", true),
        );
        let (_, seen) = run(&text);
        assert_eq!(told(&seen), [("x0", "8"), ("y0", "8")], "{provider}");
    }
}

#[test]
fn a_program_that_traps_gives_up_unless_the_trap_is_expected() {
    let (end, _) = run(&misuse(22, ""));
    let said: Vec<String> = end.gave_up.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["endpoint vi: trapped: BufferState"]);
    let (end, _) = run(&(misuse(22, "") + "[[expect]]\nprocess = 'p'\ntrap = 'BufferState'\n"));
    assert!(end.gave_up.is_empty());
}

#[test]
fn expectations_look_at_programs() {
    let text = misuse(41, "")
        + "[[expect]]\nprocess = 'p'\nfield = 'numbers'\nvalue = 213\n\
           [[expect]]\nprocess = 'p'\nfield = 'calls'\nvalue = 3\n";
    let scenario = read(&text);
    let judged = Run::new(&scenario).judge().execute().expect("it runs");
    let judgement = judged.judgement.expect("it is judged");
    assert_eq!(
        (judgement.met, judgement.unmet.len()),
        (2, 0),
        "{judgement:?}"
    );
    let text = misuse(22, "")
        + "[[expect]]\nprocess = 'p'\ntrap = 'BufferState'\n\
           [[expect]]\nprocess = 'p'\ntrap = 'FuelExhausted'\n";
    let scenario = read(&text);
    let judged = Run::new(&scenario).judge().execute().expect("it runs");
    let judgement = judged.judgement.expect("it is judged");
    assert_eq!(
        (judgement.met, judgement.unmet.len()),
        (1, 1),
        "{judgement:?}"
    );
}

#[test]
fn a_waiting_program_holds_no_processor() {
    // Both programs share the only processor of a host. Each waits for a second in all.
    let program = |name: &str| {
        format!(
            "[[process]]\nname = 'p{name}'\nnic = 'a'\nprogram = 'class:Misuse.class'\nstate = {{ what = 44 }}\nbuffers = 4096\n\
             [[endpoint]]\nnic = 'a'\nname = '{name}'\nprocess = 'p{name}'\ninterface = 'via'\n\
             [[endpoint]]\nnic = 'b'\nname = 'peer-{name}'\ninterface = 'via'\n\
             [[channel]]\n{name} = 1\npeer-{name} = 1\nconnect = 'program'\n"
        )
    };
    let text = format!(
        "profile = 'giganet-1999'\nuntil = '100ms'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[host]]\nnic = 'a'\nprocessors = 1\n{}{}",
        program("x"),
        program("y")
    );
    let (_, seen) = run(&text);
    assert_eq!(seen.ended.len(), 2);
    for (name, time, told) in &seen.ended {
        let took: i32 = told.parse().unwrap_or_else(|_| panic!("{name}: {told}"));
        assert!((6_000..6_030).contains(&took), "{name}: {took}");
        assert!(time.as_ns() < 7_000_000, "{name} at {time}");
    }
}

#[test]
fn mistakes_about_classes_are_told() {
    let mistakes = |text: &str| match scenario::parse(text.as_bytes(), None, None) {
        Err(ScenarioError::Mistakes(mistakes)) => {
            let texts = mistakes.iter().map(|mistake| mistake.kind.to_string());
            texts.collect::<Vec<_>>().join("; ")
        }
        other => panic!("{other:?}"),
    };
    let good = |of_each: &str, of_vis: &str| {
        let provider = PROVIDERS[0];
        two_classes(
            provider,
            ["builtin:Ping", "builtin:Pong"],
            (of_each, of_vis, ""),
        )
    };
    let said = mistakes(&good("", "").replace("connect = 'program'\n", ""));
    assert!(
        said.contains("expected `connect = \"program\"` at the channel"),
        "{said}"
    );
    let said = mistakes(&good("", "applet = 'builtin:RawUnet'"));
    assert!(said.contains("expected no applet"), "{said}");
    let said = mistakes(&good("", "").replace("giganet-1999", "lanai-1998"));
    assert!(said.contains("javia"), "{said}");
    let said = mistakes(&good("", "").replace("class:builtin:Ping", "class:builtin:Pign"));
    assert!(said.contains("built-in"), "{said}");
    let said = mistakes(&good("", "").replace("class:builtin:Ping", "echo").replace(
        "program = 'echo'",
        "program = 'echo'\nheap = 100\nfuel = 3\ncollector = 'moving'",
    ));
    assert!(
        said.contains("heap") && said.contains("class:FILE"),
        "{said}"
    );
    let sends = "[[send]]\nendpoint = 'client'\nchannel = 1\nat = '1us'\npayload = { zeros = 4 }\n";
    let said = mistakes(&(good("", "") + sends));
    assert!(said.contains("expected no `[[send]]` here"), "{said}");
    let swaps = "[[swap]]\nendpoint = 'client'\nat = '1us'\napplet = 'builtin:Drop'\n";
    let said = mistakes(&(good("", "") + swaps));
    assert!(said.contains("expected no `[[swap]]` here"), "{said}");
    let regions = "[[region]]\nendpoint = 'server'\nat = '1us'\naction = 'deregister'\n";
    let said = mistakes(&(good("", "") + regions));
    assert!(said.contains("expected no `[[region]]` here"), "{said}");
    let none =
        good("", "") + "[[process]]\nname = 'lone'\nnic = 'a'\nprogram = 'class:builtin:Ping'\n";
    let said = mistakes(&none);
    assert!(
        said.contains("expected an endpoint of this process"),
        "{said}"
    );
}
