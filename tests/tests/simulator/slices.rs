//! Calls that take long, beside connections that time out: a call yields to what keeps a connection alive, and to
//! nothing else.

use jive_lab::asm::assemble;
use nic_core::event::{EndReason, Event, EventKind, Names, Sink, SleEvent};
use nic_core::time::SimDuration;
use nic_core::via::Status;
use nic_runtime::Run;
use nic_runtime::spec::Scenario;
use nic_runtime::spec::{AppletSpec, ClassSpec};
use tests::simulation;

/// The class of the hostile endpoint: the same body for each entry.
fn hostile(body: &str) -> Vec<u8> {
    let mut text = String::from(
        ".field static out [B\n.method static native newAlignedArray(I)[B\n.method static native doHtoLDMA([BIII)V\n\
         .method static native doLtoHDMA([BIII)V\n.method static native setTimer(I)V\n\
         .method static <clinit>()V stack 1 locals 0\nldc int 1000\ninvokestatic newAlignedArray(I)[B\n\
         putstatic out:[B\nldc int 1000\ninvokestatic setTimer(I)V\nreturn\n",
    );
    for method in ["doTx(III)I", "doRx(II)I", "doTimer()I", "doRefill(III)I"] {
        text += &format!(".method static {method} stack 4 locals 4\n{body}\niconst_0\nireturn\n");
    }
    assemble("hostile", &text)
        .expect("the class is well formed")
        .bytes
}

/// Never returns.
const ENDLESS: &str = "again:\ngoto again";

/// Moves bytes from the host without an end, and waits for each transfer.
const FETCHES: &str = "again:\ngetstatic out:[B\niconst_0\niconst_0\nldc int 1000\ninvokestatic doHtoLDMA([BIII)V\ngoto again";

/// Moves bytes to the host without an end, and waits for a slot for each transfer.
const STORES: &str = "again:\ngetstatic out:[B\niconst_0\niconst_0\nldc int 1000\ninvokestatic doLtoHDMA([BIII)V\ngoto again";

/// Runs this many rounds of a loop.
fn rounds(count: u32) -> String {
    format!("ldc int {count}\nistore_3\nagain:\niinc 3 -1\niload_3\nifgt again")
}

/// Messages of a pair whose server shares its NIC with the hostile endpoint.
const MESSAGES: usize = 5;

/// A pair of endpoints with these keys, and a hostile endpoint on the NIC of the server that sends itself 20 messages.
/// `nic` holds keys of the NICs.
fn scenario(profile: &str, (nic, pair): (&str, &str), hostile_keys: &str) -> String {
    format!(
        "profile = '{profile}'\nuntil = '120ms'\n[[nic]]\nname = 'a'\nsram = '16MiB'\n{nic}\n\
         [[nic]]\nname = 'b'\nsram = '16MiB'\n{nic}\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\n{pair}\n[[endpoint]]\nnic = 'b'\nname = 'server'\n{pair}\n\
         [[channel]]\nclient = 1\nserver = 1\n\
         [[send]]\nendpoint = 'client'\nchannel = 1\nat = '7ms'\npayload = {{ random = 700 }}\n\
         repeat = {MESSAGES}\nevery = '20ms'\n\
         [[endpoint]]\nnic = 'b'\nname = 'hostile'\n{hostile_keys}\n[[channel]]\nhostile = [1, 2]\n\
         [[send]]\nendpoint = 'hostile'\nchannel = 1\nat = '1us'\npayload = {{ zeros = 10 }}\nrepeat = 20\n"
    )
}

/// Reads a scenario, and gives the hostile endpoint its class.
fn with_class(toml: &str, class: Vec<u8>) -> Scenario {
    let mut scenario = simulation::scenario(toml, None, None);
    let hostile = scenario
        .endpoints
        .iter_mut()
        .find(|spec| spec.name == "hostile");
    hostile.expect("it has one").class = Some(scenario.classes.len());
    scenario.classes.push(ClassSpec {
        origin: "hostile".to_owned(),
        bytes: class,
    });
    scenario
}

/// What the tests look at.
#[derive(Debug, Default)]
struct Seen {
    /// Messages of the server, by length.
    received: Vec<u32>,
    /// Completions of the client: whether the message arrived.
    done: Vec<bool>,
    /// Time and name of each step of the hostile endpoint's calls, in picoseconds.
    calls: Vec<(u64, &'static str)>,
}

impl Sink for Seen {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        use nic_core::event::{TxStatus, UnetEvent, ViaEvent};
        let Some(endpoint) = event.endpoint else {
            return;
        };
        let step = match (names.endpoint(endpoint), &event.kind) {
            ("server", EventKind::Unet(UnetEvent::RxDescriptor { length, .. })) => {
                return self.received.push(*length);
            }
            ("server", EventKind::Via(ViaEvent::RxDescriptor { length, status, .. })) => {
                if *status == Status::Ok {
                    self.received.push(*length);
                }
                return;
            }
            ("client", EventKind::Unet(UnetEvent::TxDone { status, .. })) => {
                return self.done.push(*status == TxStatus::Ok);
            }
            ("client", EventKind::Via(ViaEvent::TxDone { status, .. })) => {
                return self.done.push(*status == Status::Ok);
            }
            ("hostile", EventKind::Sle(SleEvent::AppletCall { .. })) => "call",
            ("hostile", EventKind::Sle(SleEvent::AppletSuspend { .. })) => "suspend",
            ("hostile", EventKind::Sle(SleEvent::AppletResume { .. })) => "resume",
            ("hostile", EventKind::Sle(SleEvent::Trap { .. })) => "trap",
            ("hostile", EventKind::Sle(SleEvent::AppletReturn { .. })) => "return",
            ("hostile", EventKind::Sle(SleEvent::AppletSwap { .. })) => "swap",
            _ => return,
        };
        // At time 0 the class is loaded.
        if event.time.as_ps() > 0 {
            self.calls.push((event.time.as_ps(), step));
        }
    }
}

fn seen(scenario: &Scenario) -> Seen {
    let mut seen = Seen::default();
    Run::new(scenario)
        .sink(&mut seen)
        .execute()
        .expect("the scenario fits");
    seen
}

impl Seen {
    fn all_arrived(&self) -> bool {
        self.received == [700; MESSAGES] && self.done == [true; MESSAGES]
    }
}

/// Enough for a call that is longer than each time-out.
const FUEL: &str = "fuel = 250000";

const EMP: &str = "interface = 'emp'";
const DELIVERY: &str = "interface = 'via'\nreliability = 'delivery'\nprovider = 'hardware'";
const RECEPTION: &str = "interface = 'via'\nreliability = 'reception'\nprovider = 'hardware'";
const OVER_MEMORY: &str = "interface = 'via'\nprovider = 'clan'";

/// Profiles, and pairs of endpoints whose connections time out.
const CONNECTIONS: [(&str, &str); 7] = [
    ("tigon2-2002", EMP),
    ("giganet-1999", DELIVERY),
    ("clan-programmable", DELIVERY),
    ("clan-programmable", RECEPTION),
    ("clan-programmable", OVER_MEMORY),
    ("lanai-1998-split", RECEPTION),
    ("modern", RECEPTION),
];

#[test]
fn endless_call_breaks_no_connection() {
    for (profile, pair) in CONNECTIONS {
        let bodies: &[&str] = match profile {
            "tigon2-2002" | "giganet-1999" => &[ENDLESS, FETCHES, STORES],
            _ => &[ENDLESS],
        };
        for &body in bodies {
            for hostile_keys in [FUEL, "on_trap = 'base-path'", "interface = 'emp'"] {
                if hostile_keys.contains("emp") && profile != "tigon2-2002" {
                    continue;
                }
                let toml = scenario(profile, ("", pair), hostile_keys);
                let seen = seen(&with_class(&toml, hostile(body)));
                assert!(seen.all_arrived(), "{profile} {pair} {body}: {seen:?}");
            }
        }
    }
}

#[test]
fn endless_call_beside_a_sender_breaks_no_connection() {
    // Messages of three frames: the receiver waits for each frame, and gives up a message whose frames cease to come.
    for body in [ENDLESS, FETCHES, STORES] {
        let server = "name = 'server'\nfree_buffers = { count = 8, length = 3000 }";
        let toml = scenario("tigon2-2002", ("", EMP), FUEL)
            .replace("nic = 'b'\nname = 'hostile'", "nic = 'a'\nname = 'hostile'")
            .replace("random = 700", "random = 3000")
            .replace("name = 'server'", server);
        let seen = seen(&with_class(&toml, hostile(body)));
        assert_eq!(seen.received, [3000; MESSAGES], "{body}");
        assert_eq!(seen.done, [true; MESSAGES], "{body}");
    }
}

#[test]
fn endless_call_without_a_slice_breaks_connections() {
    for (profile, pair) in [
        ("tigon2-2002", EMP),
        ("giganet-1999", DELIVERY),
        ("clan-programmable", RECEPTION),
    ] {
        let mut scenario = with_class(&scenario(profile, ("", pair), FUEL), hostile(ENDLESS));
        assert!(scenario.profile.nic.take().is_some());
        assert!(!seen(&scenario).all_arrived(), "{profile} {pair}");
    }
}

#[test]
fn a_processor_that_waits_for_an_applet_serves_connections() {
    // Processor 0 runs `doTx` and processor 1 `doRx`, so each waits while the other runs an endless call.
    let two = "processors = 2\nplacement = ";
    for (profile, pair) in CONNECTIONS {
        for places in [
            "{ doTx = 0, doRx = 1, receive = 1 }",
            "{ doTx = 1, doRx = 0, receive = 1, doTimer = 1 }",
            "'dynamic'",
            "'SO'",
            "'RO'",
            "'DSR'",
            "'SR'",
        ] {
            if places.starts_with('\'') && profile != "tigon2-2002" {
                continue;
            }
            let nic = format!("{two}{places}");
            let toml = scenario(profile, (&nic, pair), FUEL);
            for body in [ENDLESS, STORES] {
                let seen = seen(&with_class(&toml, hostile(body)));
                assert!(
                    seen.all_arrived(),
                    "{profile} {pair} {places} {body}: {seen:?}"
                );
            }
        }
    }
}

#[test]
fn call_yields_at_the_end_of_its_slice() {
    const SLICE: u64 = 2_500_000_000;
    const EACH: u64 = 100_000;
    let toml = scenario("giganet-1999", ("", DELIVERY), "fuel = 200000");
    let alone = "fuel = 200000\n[[endpoint]]\nnic = 'a'\nname = 'idle'";
    let yielding = seen(&with_class(&toml, hostile(ENDLESS)));
    let mut without = with_class(
        &scenario("giganet-1999", ("", DELIVERY), alone),
        hostile(ENDLESS),
    );
    without.sends.retain(|send| send.payload.len() == 10);
    let without = seen(&without);
    // Without messages for the server nothing makes a call yield, and each call is one step.
    assert!(
        without
            .calls
            .iter()
            .all(|(_, step)| matches!(*step, "call" | "trap"))
    );
    let length = without.calls[1].0 - without.calls[0].0;
    let (mut begun, mut changed, mut away, mut yields) = (0, 0, 0, 0);
    for &(time, step) in &yielding.calls {
        match step {
            "call" => (begun, away) = (time, 0),
            "suspend" => {
                assert!(
                    time >= changed + SLICE,
                    "a call yields before its slice is over"
                );
                // The instructions begin after the cost of the call, less that of the two instructions that it includes.
                let code = time - begun - away - 1_300_000;
                assert_eq!(
                    code % EACH,
                    0,
                    "a call yields in the middle of an instruction"
                );
                yields += 1;
            }
            "resume" => away += time - changed,
            "trap" => assert_eq!(time - begun - away, length, "a call takes as long as alone"),
            other => panic!("{other}"),
        }
        changed = time;
    }
    assert_eq!(yields, MESSAGES);
}

#[test]
fn a_call_that_waits_when_its_slice_ends_yields_at_once() {
    const SLICE: u64 = 2_500_000_000;
    // The code of the call takes 0.9 ms, and then it waits for a transfer of 10 ms. A message for the server arrives at
    // 17.1 ms: while the first call waits, and before the others do.
    let fetch =
        "getstatic out:[B\niconst_0\niconst_0\nldc int 1000\ninvokestatic doHtoLDMA([BIII)V";
    let body = format!("{}\n{fetch}", rounds(3_000));
    for begins in [15_000, 16_500, 16_750] {
        let toml = scenario("giganet-1999", ("", DELIVERY), FUEL)
            .replace("repeat = 20\n", "repeat = 1\n")
            .replace("at = '1us'", &format!("at = '{begins}us'"));
        let mut scenario = with_class(&toml, hostile(&body));
        scenario.profile.dma.request = SimDuration::from_ns(10_000_000);
        let calls = seen(&scenario).calls;
        // The first call is that of the timer, before any message.
        let [
            (begun, "call"),
            (yielded, "suspend"),
            (_, "resume"),
            (_, "return"),
        ] = calls[2..]
        else {
            panic!("{begins}: {calls:?}");
        };
        assert_eq!(yielded - begun, SLICE, "{begins}");
    }
}

/// When packets for the server arrive and messages become visible to it, and when each call of the hostile endpoint
/// begins and returns, in nanoseconds.
#[derive(Debug, Default)]
struct Order {
    arrived: Vec<u64>,
    visible: Vec<u64>,
    called: Vec<u64>,
    returned: Vec<u64>,
}

impl Sink for Order {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        use nic_core::event::{NicEvent, ViaEvent};
        let Some(endpoint) = event.endpoint else {
            return;
        };
        let list = match (names.endpoint(endpoint), &event.kind) {
            ("server", EventKind::Nic(NicEvent::WireRx { .. })) => &mut self.arrived,
            ("server", EventKind::Via(ViaEvent::RxDescriptor { .. })) => &mut self.visible,
            ("hostile", EventKind::Sle(SleEvent::AppletCall { .. })) => &mut self.called,
            ("hostile", EventKind::Sle(SleEvent::AppletReturn { .. })) => &mut self.returned,
            _ => return,
        };
        list.push(event.time.as_ns());
    }
}

#[test]
fn slice_counts_from_the_call_that_brings_work() {
    const SLICE_NS: u64 = 2_500_000;
    // Packets wait for the hostile endpoint from the start, and each is a call. A message for the server arrives behind
    // them, after the calls have held the processor for longer than a slice in all.
    for (count, at_us) in [
        (3_000, 7_300),
        (3_000, 4_600),
        (1_500, 7_300),
        (7_000, 9_000),
    ] {
        let toml = format!(
            "profile = 'giganet-1999'\n[[nic]]\nname = 'a'\nsram = '16MiB'\n\
             [[nic]]\nname = 'b'\nsram = '16MiB'\n\
             [[endpoint]]\nnic = 'a'\nname = 'client'\n{DELIVERY}\n\
             [[endpoint]]\nnic = 'b'\nname = 'server'\n{DELIVERY}\n[[channel]]\nclient = 1\nserver = 1\n\
             [[endpoint]]\nnic = 'a'\nname = 'flood'\n\
             [[endpoint]]\nnic = 'b'\nname = 'hostile'\nfuel = 40000\n[[channel]]\nflood = 1\nhostile = 1\n\
             [[send]]\nendpoint = 'flood'\nchannel = 1\npayload = {{ zeros = 10 }}\nrepeat = 30\n\
             [[send]]\nendpoint = 'client'\nchannel = 1\nat = '{at_us}us'\npayload = {{ zeros = 70 }}\n"
        );
        let mut order = Order::default();
        Run::new(&with_class(&toml, hostile(&rounds(count))))
            .sink(&mut order)
            .execute()
            .expect("it fits");
        let Order {
            arrived,
            visible,
            called,
            returned,
        } = order;
        let ([arrived], [visible]) = (&arrived[..], &visible[..]) else {
            panic!("{at_us}: {arrived:?} {visible:?}");
        };
        let under_way = called.iter().rfind(|called| *called <= arrived);
        let under_way = *under_way.expect("a call is under way");
        // The work comes before the first call that begins when the calls have held the processor for a slice.
        let over = returned
            .iter()
            .find(|returned| **returned >= under_way + SLICE_NS);
        let over = *over.expect("calls go on");
        let next = called.iter().find(|called| **called > over);
        let next = *next.expect("calls go on");
        assert!(
            (over..next).contains(visible),
            "{count} {at_us}: a call began at {under_way}, {arrived} {over} {visible} {next}"
        );
    }
}

#[test]
fn calls_that_are_shorter_than_a_slice_keep_their_traces() {
    for (profile, pair) in CONNECTIONS {
        for count in [1, 10, 100] {
            let toml = scenario(profile, ("", pair), FUEL);
            let mut scenario = with_class(&toml, hostile(&rounds(count)));
            let with = simulation::trace(&scenario);
            scenario.profile.nic = None;
            let same = with == simulation::trace(&scenario);
            assert!(same, "{profile} {pair} {count}");
        }
    }
}

#[test]
fn traced_and_untraced_runs_yield_alike() {
    for (profile, pair) in CONNECTIONS {
        let scenario = with_class(&scenario(profile, ("", pair), FUEL), hostile(ENDLESS));
        let with = Run::new(&scenario)
            .sink(&mut Seen::default())
            .execute()
            .expect("it fits")
            .end;
        let without = Run::new(&scenario).execute().expect("it fits").end;
        assert_eq!((with.time, with.events), (without.time, without.events));
        assert!(matches!(with.reason, EndReason::Idle | EndReason::Until));
    }
}

#[test]
fn a_call_of_a_chain_yields() {
    let toml = scenario("giganet-1999", ("", DELIVERY), FUEL);
    for bodies in [[ENDLESS, ""], ["", ENDLESS], [ENDLESS, STORES]] {
        let mut scenario = with_class(&toml, hostile(bodies[0]));
        let follower = AppletSpec {
            class: scenario.classes.len(),
            state: Vec::new(),
        };
        scenario.classes.push(ClassSpec {
            origin: "follower".to_owned(),
            bytes: hostile(bodies[1]),
        });
        let spec = scenario.endpoints.iter_mut();
        let spec = spec.into_iter().find(|spec| spec.name == "hostile");
        spec.expect("it has one").followers.push(follower);
        let seen = seen(&scenario);
        assert!(seen.all_arrived(), "{bodies:?}: {seen:?}");
        let yields = seen.calls.iter().filter(|(_, step)| *step == "suspend");
        assert!(yields.count() > 0, "{bodies:?}");
    }
}

#[test]
fn a_swap_waits_for_the_end_of_a_call_that_has_yielded() {
    let toml = scenario("giganet-1999", ("", DELIVERY), FUEL);
    let yielding = seen(&with_class(&toml, hostile(ENDLESS)));
    let steps: Vec<_> = yielding.calls.iter().map(|(_, step)| *step).collect();
    assert_eq!(steps[..4], ["call", "suspend", "resume", "trap"]);
    // While the processor serves the message for which the call has yielded.
    let during_ns = yielding.calls[1].0.div_ceil(1_000) + 1;
    assert!(during_ns * 1_000 < yielding.calls[2].0);
    let swap =
        format!("[[swap]]\nat = '{during_ns}ns'\nendpoint = 'hostile'\napplet = 'builtin:Drop'\n");
    let swapped = seen(&with_class(&(toml + &swap), hostile(ENDLESS)));
    assert!(swapped.all_arrived());
    let end = |seen: &Seen, name: &str| {
        let step = seen.calls.iter().find(|(_, step)| *step == name);
        step.expect("it occurs").0
    };
    assert_eq!(end(&swapped, "swap"), end(&yielding, "trap"));
}
