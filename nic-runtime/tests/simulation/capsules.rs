//! Capsules: class files that arrive in packets (docs/simulation.md, "Capsules").

use nic_core::event::EndReason;
use nic_core::sle::{FragmentHeader, checksum};
use nic_runtime::Run;
use nic_runtime::run::{self, AppletClass};
use nic_runtime::scenario::{MistakeKind, ScenarioError, parse};

use crate::runs::runs;
use crate::scenario::read;
use crate::trace::{Trace, number, numbers, run, texts};

/// An operator who sends capsules, and a server that accepts them on channel 0, which the operator numbers 1. The
/// operator sends other messages on the server's channel 7, which the operator numbers 2.
fn to_server(scenario: &str, server: &str, rest: &str) -> String {
    format!(
        "{scenario}\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'operator'\n\
         [[endpoint]]\nnic = 'b'\nname = 'server'\naccept_capsules = true\n{server}\n\
         [[channel]]\noperator = 1\nserver = 0\n[[channel]]\noperator = 2\nserver = 7\n{rest}"
    )
}

fn send(at: &str, channel: u32, payload: &str) -> String {
    format!(
        "[[send]]\nendpoint = 'operator'\nchannel = {channel}\nat = '{at}'\npayload = {payload}\n"
    )
}

fn capsule(at: &str, class: &str, rest: &str) -> String {
    send(at, 1, &format!("{{ capsule = '{class}'{rest} }}"))
}

/// A send of the operator whose packet is given byte by byte.
fn raw(at: &str, packet: &[u8]) -> String {
    let hex: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
    send(at, 1, &format!("{{ hex = '{hex}' }}"))
}

/// Returns the fragment of a class file that holds the file's bytes from `offset` to `end`.
fn fragment(number: u32, class: &[u8], (offset, end): (usize, usize)) -> Vec<u8> {
    let header = FragmentHeader {
        number,
        total: class.len() as u32,
        offset: offset as u32,
        checksum: checksum(class),
    };
    [&header.to_bytes()[..], &class[offset..end]].concat()
}

/// Returns the answers that the operator received: the number and the text of each capsule's answer.
fn answers(trace: &Trace) -> Vec<(u64, String)> {
    let payloads = trace.at("operator", "rx-descriptor");
    let answer = |hex: &str| {
        let bytes = |hex: &str| {
            let pairs = hex
                .as_bytes()
                .chunks(2)
                .map(|pair| std::str::from_utf8(pair).unwrap());
            pairs
                .map(|pair| u8::from_str_radix(pair, 16).unwrap())
                .collect::<Vec<_>>()
        };
        let (header, text) = hex.split_at(24);
        assert_eq!(&header[..16], "4a43415001020000");
        let number = u64::from_str_radix(&header[16..], 16).unwrap();
        (number, String::from_utf8(bytes(text)).unwrap())
    };
    texts(&payloads, "payload")
        .into_iter()
        .map(answer)
        .collect()
}

fn answered(number: u64, text: &str) -> (u64, String) {
    (number, text.to_owned())
}

fn statuses(trace: &Trace) -> Vec<&str> {
    texts(&trace.at("server", "capsule"), "status")
}

#[test]
fn capsule_replaces_the_applet_and_keeps_its_state() {
    let ticks = send("1ms", 2, "{ text = 'tick' }") + "repeat = 4\nevery = '1ms'\n";
    let again = capsule("2500us", "builtin:Counter", ", number = 2, fragment = 100");
    let trace = run(&to_server(
        "",
        "",
        &(capsule("0us", "builtin:Counter", "") + &ticks + &again),
    ));
    assert_eq!(
        answers(&trace),
        [answered(1, "installed"), answered(2, "installed")]
    );
    // The class file of `Counter` has 1,455 bytes, which are sent in fragments of 1,024 and of 100 bytes.
    let mut expected = vec!["more", "whole"];
    expected.extend([&["more"; 14][..], &["whole"]].concat());
    assert_eq!(statuses(&trace), expected);
    let counts = texts(&trace.at("server", "rx-descriptor"), "payload");
    assert_eq!(counts, ["00000001", "00000002", "00000003", "00000004"]);
}

#[test]
fn a_rejected_class_is_answered_with_its_code() {
    let sends =
        capsule("0us", "LongMaths.class", "") + &capsule("1ms", "SwapSends.class", ", number = 2");
    let trace = run(&to_server("", "applet = 'SwapOld.class'", &sends));
    assert_eq!(
        answers(&trace),
        [answered(1, "subset/long"), answered(2, "ProtectionFault")]
    );
    let refused = trace.at("server", "swap-refused");
    assert_eq!(
        texts(&refused, "reason"),
        ["subset/long", "ProtectionFault"]
    );
    assert!(trace.of("applet-swap").is_empty());
}

#[test]
fn only_an_accepting_code_channel_carries_code() {
    let counter = applets::builtin("Counter").expect("it is shipped").class;
    let whole = fragment(1, counter, (0, counter.len()));
    let message = raw("0us", &whole);
    let on_another = message.replace("channel = 1", "channel = 2");
    let toml = to_server("", "", &on_another);
    let not_accepting = to_server("", "", &message).replace("accept_capsules = true", "");
    for toml in [toml, not_accepting] {
        let trace = run(&toml);
        assert!(trace.of("capsule").is_empty());
        let delivered = trace.at("server", "rx-descriptor");
        assert_eq!(numbers(&delivered, "length"), [whole.len() as u64]);
    }
}

#[test]
fn hostile_packets_are_refused_one_by_one() {
    let class = applets::builtin("Drop").expect("it is shipped").class;
    let mut wrong = fragment(4, class, (0, class.len()));
    *wrong.last_mut().expect("it has bytes") ^= 1;
    let mut too_long = fragment(5, class, (0, 10));
    too_long[12..16].copy_from_slice(&u32::MAX.to_be_bytes());
    let half = class.len() / 2;
    // Each packet with the status of its capsule, and the server's answer if there is one.
    type Judged<'p> = (&'p [u8], &'static str, Option<(u64, &'static str)>);
    let packets: [Judged<'_>; 11] = [
        (b"", "header", None),
        (
            b"no capsule at all, but longer than a header",
            "header",
            None,
        ),
        (&fragment(1, class, (0, half)), "more", None),
        // A fragment is missing.
        (
            &fragment(1, class, (half + 1, class.len())),
            "gap",
            Some((1, "gap")),
        ),
        (&fragment(1, class, (half, class.len())), "ignored", None),
        (&fragment(2, class, (5, 6)), "gap", Some((2, "gap"))),
        (&wrong, "checksum", Some((4, "checksum"))),
        (&too_long, "length", Some((5, "length"))),
        // Capsule 3 is stale, because capsule 4 was the latest.
        (
            &fragment(3, class, (0, class.len())),
            "stale",
            Some((3, "stale")),
        ),
        (
            &fragment(6, class, (0, class.len())),
            "whole",
            Some((6, "installed")),
        ),
        // The operator sends the same packet again, as if the server's answer had been lost.
        (
            &fragment(6, class, (0, class.len())),
            "again",
            Some((6, "installed")),
        ),
    ];
    let sends: String = packets
        .iter()
        .enumerate()
        .map(|(index, (packet, ..))| raw(&format!("{}us", 200 * index), packet))
        .collect();
    let trace = run(&to_server("", "", &sends));
    let expected: Vec<_> = packets.iter().map(|(_, status, _)| *status).collect();
    assert_eq!(statuses(&trace), expected);
    let expected = packets.iter().filter_map(|(.., answer)| *answer);
    let expected: Vec<_> = expected
        .map(|(number, text)| answered(number, text))
        .collect();
    assert_eq!(answers(&trace), expected);
    assert_eq!(trace.of("applet-swap").len(), 1);
    assert_eq!(trace.end.reason, EndReason::Idle);
}

#[test]
fn capsules_take_sram_only_while_collected() {
    let class = applets::builtin("Drop").expect("it is shipped").class;
    let length = class.len() as u64;
    let sram = |bytes: u64, rest: &str| {
        to_server("", "applet = 'builtin:Drop'", rest)
            .replace("name = 'b'\n", &format!("name = 'b'\nsram = {bytes}\n"))
    };
    let holders = run::sram_holders(&read(&sram(1 << 30, ""))).expect("the class is right");
    let on_b = holders.iter().filter(|holder| holder.nic.0 == 1);
    let least = on_b.map(|holder| holder.bytes).sum::<u64>();
    let first = |bytes| {
        let trace = run(&sram(
            bytes,
            &raw("0us", &fragment(1, class, (0, class.len()))),
        ));
        answers(&trace).remove(0).1
    };
    // The SRAM has too little room for the class file, and then for the second heap (the program is stored already).
    assert_eq!(first(least), "sram");
    assert_eq!(first(least + length - 1), "sram");
    assert_eq!(first(least + length), "sram");
    // The capsule's applet needs a heap of 24 KiB, `RxBuf`, two headers, and four bytes for each field.
    let fields = 4 * number_of_fields(class);
    let enough = least + 24_576 + 9_216 + 16 + fields;
    assert_eq!(first(enough - 1), "sram");
    assert_eq!(first(enough), "installed");
    // Neither half-finished nor installed capsules leave anything in the SRAM.
    let mut sends = String::new();
    for round in 0..50 {
        let at = |step: u32| format!("{}us", 1_000 * round + 200 * step);
        let number = 2 * round;
        sends += &raw(&at(0), &fragment(number, class, (0, 9)));
        sends += &raw(&at(1), &fragment(number + 1, class, (0, class.len())));
    }
    let trace = run(&sram(enough, &sends));
    assert_eq!(answers(&trace).len(), 50);
    assert!(answers(&trace).iter().all(|(_, text)| text == "installed"));
}

/// A server whose applet is replaced at this time, beside an endpoint that accepts capsules and never gets a whole one.
fn beside_a_half_finished_capsule(swap_at: &str, half: &str) -> String {
    format!(
        "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'operator'\n\
         [[endpoint]]\nnic = 'b'\nname = 'stranger'\naccept_capsules = true\n\
         [[endpoint]]\nnic = 'b'\nname = 'server'\napplet = 'builtin:RawUnet'\n\
         [[channel]]\noperator = 1\nstranger = 0\n\
         [[swap]]\nat = '{swap_at}'\nendpoint = 'server'\napplet = 'builtin:PingPong'\n{half}"
    )
}

/// One byte of a capsule that states this length.
fn begun(number: u32, total: u32) -> Vec<u8> {
    let header = FragmentHeader {
        number,
        total,
        offset: 0,
        checksum: 7,
    };
    [&header.to_bytes()[..], b"x"].concat()
}

#[test]
fn a_half_finished_capsule_takes_no_memory_of_a_neighbour() {
    let mut accepted = 0;
    for total in (8 * 1024..120 * 1024).step_by(4 * 1024) {
        let half = raw("10us", &begun(1, total));
        let trace = run(&beside_a_half_finished_capsule("8ms", &half));
        assert_eq!(trace.at("server", "applet-swap").len(), 1, "{total}");
        let status = texts(&trace.at("stranger", "capsule"), "status");
        accepted += usize::from(status == ["more"]);
    }
    assert!((1..28).contains(&accepted), "{accepted}");
}

#[test]
fn half_finished_capsule_expires_after_a_second() {
    const LONG: &str = "until = '10s'";
    let class = applets::builtin("Drop").expect("it is shipped").class;
    let (half, length) = (class.len() / 2, class.len());
    // A second after the first fragment has been taken, which is between these two times, the capsule is given up.
    for (late, expected) in [("999ms", "installed"), ("1001ms", "gap")] {
        let sends = raw("0us", &fragment(1, class, (0, half)))
            + &raw(late, &fragment(1, class, (half, length)));
        let trace = run(&to_server(LONG, "", &sends));
        assert_eq!(answers(&trace), [answered(1, expected)], "{late}");
        assert_eq!(trace.end.reason, EndReason::Idle);
    }
    // A check for a capsule that was replaced, or that has got another fragment, does nothing to the later one.
    let third = length / 3;
    let sends = raw("0us", &fragment(1, class, (0, third)))
        + &raw("600ms", &fragment(2, class, (0, third)))
        + &raw("1200ms", &fragment(2, class, (third, 2 * third)))
        + &raw("2100ms", &fragment(2, class, (2 * third, length)));
    assert_eq!(
        answers(&run(&to_server(LONG, "", &sends))),
        [answered(2, "installed")]
    );
    // A capsule that was given up does not prolong the run, and can begin again.
    let sends = raw("0us", &fragment(1, class, (0, half)))
        + &raw("2s", &fragment(1, class, (0, half)))
        + &raw("2100ms", &fragment(1, class, (half, length)));
    let trace = run(&to_server(LONG, "", &sends));
    assert_eq!(answers(&trace), [answered(1, "installed")]);
    let alone = run(&to_server(
        "",
        "",
        &raw("0us", &fragment(1, class, (0, half))),
    ));
    assert!(alone.end.time.as_ns() < 1_000_000, "{:?}", alone.end);
}

#[test]
fn a_half_finished_capsule_ends_to_the_nanosecond() {
    const SECOND: u64 = 1_000_000_000;
    const START: u64 = 10_000;
    let class = applets::builtin("Drop").expect("it is shipped").class;
    let part = class.len() / 3;
    let ns = |at: u64| format!("{at}ns");
    // Fragments of one length take the same time from the operator to the server, so what passes between two of them
    // is what passes between their sends. Each fragment begins the second anew.
    let begins = START + 700_000_000;
    for (late, expected) in [(1, "installed"), (0, "gap")] {
        let last = begins + SECOND - late;
        let sends = raw(&ns(START), &fragment(1, class, (0, part)))
            + &raw(&ns(begins), &fragment(1, class, (part, 2 * part)))
            + &raw(&ns(last), &fragment(1, class, (2 * part, 3 * part)))
            + &raw(
                &ns(last + SECOND / 2),
                &fragment(1, class, (3 * part, class.len())),
            );
        // A class of a multiple of three bytes has no fourth fragment, and one that was given up ignores it.
        let sends = match class.len() % 3 {
            0 => sends.split_inclusive("}\n").take(3).collect(),
            _ => sends,
        };
        let trace = run(&to_server("until = '10s'", "", &sends));
        assert_eq!(answers(&trace), [answered(1, expected)], "{late}");
    }
    // From the end of its second on the capsule holds no memory: a swap that needs all of it is accepted.
    let sram = |bytes: u64, rest: &str| {
        to_server("until = '10s'", "applet = 'builtin:Drop'", rest)
            .replace("name = 'b'\n", &format!("name = 'b'\nsram = {bytes}\n"))
    };
    let holders = run::sram_holders(&read(&sram(1 << 30, ""))).expect("the class is right");
    let on_b = holders.iter().filter(|holder| holder.nic.0 == 1);
    let least = on_b.map(|holder| holder.bytes).sum::<u64>();
    let enough = least + 24_576 + 9_216 + 16 + 4 * number_of_fields(class);
    let half = raw(&ns(START), &fragment(1, class, (0, part)));
    let swap = |at: u64| {
        format!("[[swap]]\nendpoint = 'server'\nat = '{at}ns'\napplet = 'builtin:Drop'\n")
    };
    let alone = run(&sram(enough, &swap(START)));
    assert_eq!(alone.at("server", "applet-swap").len(), 1);
    let begun = run(&sram(enough, &half));
    let taken = number(begun.at("server", "capsule")[0], "t_ns");
    for (at, swaps) in [(taken + SECOND - 1, 0), (taken + SECOND + 1, 1)] {
        let trace = run(&sram(enough, &(half.clone() + &swap(at))));
        assert_eq!(trace.at("server", "applet-swap").len(), swaps, "{at}");
    }
}

fn number_of_fields(class: &[u8]) -> u64 {
    let mut index = vec![0; jive_core::ClassFile::index_len(class)];
    let class = jive_core::ClassFile::parse(class, &mut index).expect("it is a class file");
    class.fields().len() as u64
}

#[test]
fn verifying_counts_towards_the_budget_of_the_run() {
    // Verifying costs 1,024 instructions for each of the 1,455 bytes, and the constructor executes 19. It makes arrays of
    // 9,384 bytes, of which 16 count as one instruction.
    let budget = 1_455 * 1_024 + 19 + 9_384_u64.div_ceil(16);
    let end = |budget: u64| {
        let scenario = format!("max_bytecodes = {budget}");
        run(&to_server(
            &scenario,
            "",
            &capsule("0us", "builtin:Counter", ""),
        ))
        .end
        .reason
    };
    assert_eq!(end(budget), EndReason::Idle);
    assert_eq!(end(budget - 1), EndReason::MaxBytecodes);
    // Verifying the same class again costs nothing, whichever endpoint the capsule is for.
    let twice =
        capsule("0us", "builtin:Counter", "") + &capsule("1ms", "builtin:Counter", ", number = 2");
    // The arrays and `RxBuf` are carried over.
    let scenario = format!("max_bytecodes = {}", budget + 19 + 4 * (9_384 + 9_216) / 16);
    let trace = run(&to_server(&scenario, "", &twice));
    assert_eq!(trace.of("applet-swap").len(), 2);
}

#[test]
fn faulty_link_installs_the_sent_class_or_none() {
    let class = applets::builtin("Counter").expect("it is shipped").class;
    let mut installed = 0;
    let mut refused = 0;
    for seed in 0..runs(60) {
        let mut sends = String::from(
            "[[link]]\nbetween = ['a', 'b']\nloss = 0.04\nduplicate = 0.1\ncorrupt = 0.05\nreorder = 0.04\ncrc = false\n",
        );
        for number in 1..=6 {
            let at = format!("{}us", 3_000 * number);
            sends += &capsule(
                &at,
                "builtin:Counter",
                &format!(", number = {number}, fragment = 256"),
            );
        }
        let toml = to_server(&format!("seed = {}", seed + 1), "", &sends);
        let trace = run(&toml);
        let swaps = trace.at("server", "applet-swap").len();
        installed += swaps;
        // The server answered every capsule whose class it installed. The answer may be lost like any packet.
        let sent = trace.at("server", "wire-tx").len();
        let whole = statuses(&trace)
            .iter()
            .filter(|status| **status == "whole")
            .count();
        assert_eq!(
            whole, swaps,
            "seed {seed}: the checksum admits no other class"
        );
        assert!(sent >= whole, "seed {seed}");
        refused += statuses(&trace)
            .iter()
            .filter(|status| ["gap", "checksum", "mismatch"].contains(status))
            .count();
        let (end, states) = Run::new(&read(&toml))
            .keep_states()
            .execute()
            .expect("it runs")
            .end_and_states();
        crate::trace::check_moves(&end);
        assert_eq!(end, trace.end, "seed {seed}");
        if let Some(applet) = &states[1].applet {
            assert_eq!(
                applet.class,
                AppletClass::OfCapsule(class.to_vec()),
                "seed {seed}"
            );
        }
    }
    assert!(installed > 60 && refused > 60, "{installed} {refused}");
}

#[test]
fn a_capsule_waits_for_the_call_on_another_processor() {
    // Processor 1 runs `doRx`, and processor 0 handles capsules.
    let nic = "name = 'b'\nprocessors = 2\nplacement = { receive = 0, doRx = 1, doTx = 0 }\n";
    for step in 0..runs(30) {
        let at = format!("{}ns", 200_000 + 1_730 * step);
        let messages = send("100us", 2, "{ text = 'hello' }") + "repeat = 40\nevery = '5us'\n";
        let toml = to_server(
            "",
            "applet = 'SwapOld.class'",
            &(messages + &capsule(&at, "SwapNew.class", "")),
        );
        let toml = toml.replace("name = 'b'\n", nic);
        let trace = run(&toml);
        assert_eq!(answers(&trace), [answered(1, "installed")], "{at}");
        assert_eq!(trace.at("server", "rx-descriptor").len(), 40, "{at}");
        let swapped = number(trace.at("server", "applet-swap")[0], "t_ns");
        let mut open = false;
        for event in trace
            .events
            .iter()
            .filter(|event| event["endpoint"] == "server")
        {
            match event["event"].as_str() {
                Some("applet-call") if event["method"] == "doRx" => open = true,
                Some("applet-return") if event["method"] == "doRx" => open = false,
                Some("applet-swap") => assert!(!open, "{at}: {swapped}"),
                _ => {}
            }
        }
    }
}

#[test]
fn mistakes_of_capsules_are_reported() {
    let mistakes = |toml: &str| match parse(toml.as_bytes(), None, None) {
        Err(ScenarioError::Mistakes(mistakes)) => mistakes
            .into_iter()
            .map(|mistake| mistake.kind)
            .collect::<Vec<_>>(),
        other => panic!("expected mistakes, found {other:?}"),
    };
    let toml = to_server("", "", "");
    assert_eq!(
        mistakes(&toml.replace("server = 0", "server = 1")),
        [MistakeKind::NoCodeChannel]
    );
    let send = |payload: &str| mistakes(&(toml.clone() + &send("0us", 1, payload)));
    let needs = |key| MistakeKind::NeedsPartner {
        key,
        partner: "capsule",
    };
    assert_eq!(send("{ text = 'x', number = 3 }"), [needs("number")]);
    assert_eq!(send("{ text = 'x', fragment = 300 }"), [needs("fragment")]);
    let range = MistakeKind::OutOfRange {
        what: "fragment",
        minimum: 16,
        maximum: 65_536,
    };
    assert_eq!(send("{ capsule = 'builtin:Drop', fragment = 15 }"), [range]);
}
