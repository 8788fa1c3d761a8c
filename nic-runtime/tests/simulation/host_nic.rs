//! NICs in host software: loops that take processors of their hosts, and what the kernel costs.
//!
//! The expected times are sums of the costs that the profile states.

use nic_core::event::EndReason;
use nic_core::time::SimDuration;
use nic_runtime::Run;
use nic_runtime::profile::{KernelCosts, Place, Profile, ProfileError};
use nic_runtime::run::RunEnd;
use nic_runtime::scenario::{MistakeKind, ScenarioError, parse_on};

use crate::trace::{Trace, numbers, simulate};

/// Returns a built-in profile whose NICs are in host software: a system call takes 3 us, an interrupt 5 us, and the copy
/// of a byte 20 ns.
pub(crate) fn on_host(builtin: &str) -> Profile {
    let mut profile = Profile::builtin(builtin).expect("a built-in profile");
    profile.processor.place = Place::Host;
    profile.kernel = Some(KernelCosts {
        call: SimDuration::from_ns(3_000),
        interrupt: SimDuration::from_ns(5_000),
        copy: 50_000_000.try_into().expect("more than 0"),
    });
    profile.wire.cell = 0;
    profile
}

/// Runs a scenario under a profile, with a sink and without, and checks that both end alike.
pub(crate) fn run_on(toml: &str, profile: &Profile) -> Trace {
    let scenario = parse_on(toml, profile).unwrap_or_else(|error| panic!("{error}"));
    let trace = simulate(&scenario).unwrap_or_else(|error| panic!("{error}"));
    trace.check_laws();
    let unheard: RunEnd = Run::new(&scenario).execute().expect("it runs").end;
    assert_eq!(
        (unheard.time, unheard.host),
        (trace.end.time, trace.end.host)
    );
    assert_eq!(trace.end.reason, EndReason::Idle);
    trace
}

const PAIR: &str = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
    [[endpoint]]\nnic = 'a'\nname = 'client'\n[[endpoint]]\nnic = 'b'\nname = 'server'\n\
    [[channel]]\nclient = 1\nserver = 7\n\
    [[send]]\nendpoint = 'client'\nchannel = 1\nat = '10us'\npayload = { zeros = 1000 }\n";

fn time(trace: &Trace, endpoint: &str, event: &str) -> u64 {
    numbers(&trace.at(endpoint, event), "t_ns")[0]
}

#[test]
fn a_message_costs_a_system_call_two_copies_and_an_interrupt() {
    let trace = run_on(PAIR, &on_host("lanai-1998"));
    // The user composes the message for 1 + 10 + 3 us, and holds the only processor. Then the loop takes 10 us and copies
    // 1,000 bytes in 20 us.
    let posted = 10_000 + 14_000;
    let left = posted + 10_000 + 20_000;
    assert_eq!(time(&trace, "client", "wire-tx"), left);
    // 1,000 bytes at 160 MB/s, and the latency.
    let came = left + 6_250 + 500;
    assert_eq!(time(&trace, "server", "wire-rx"), came);
    // The interrupt, 19.6 us of U-Net, the copy, and a descriptor of 64 bytes.
    let told = came + 5_000 + 19_600 + 20_000 + 1_280;
    assert_eq!(time(&trace, "server", "rx-descriptor"), told);
    // The reader takes 1 + 10 us. The host works for both users and for both loops.
    let host = 14_000 + 30_000 + (told - came) + 11_000;
    assert_eq!(trace.end.host, SimDuration::from_ns(host));
}

#[test]
fn a_loop_with_a_processor_of_its_own_waits_for_no_user() {
    let host = "[[host]]\nnic = 'a'\nprocessors = 2\n";
    let trace = run_on(&format!("{PAIR}{host}"), &on_host("lanai-1998"));
    assert_eq!(time(&trace, "client", "wire-tx"), 10_000 + 30_000);
}

#[test]
fn a_loop_comes_before_processes_that_wait() {
    // Two users of host a want to post at once. The loop sends the message of the first before the second composes its own.
    let toml = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
        [[endpoint]]\nnic = 'a'\nname = 'client'\n[[endpoint]]\nnic = 'a'\nname = 'other'\n\
        [[endpoint]]\nnic = 'b'\nname = 'server'\n\
        [[channel]]\nclient = 1\nserver = 7\n[[channel]]\nother = 1\nserver = 8\n\
        [[send]]\nendpoint = 'client'\nchannel = 1\nat = '10us'\npayload = { zeros = 1000 }\n\
        [[send]]\nendpoint = 'other'\nchannel = 1\nat = '10us'\npayload = { zeros = 1000 }\n";
    let trace = run_on(toml, &on_host("lanai-1998"));
    assert_eq!(time(&trace, "client", "wire-tx"), 54_000);
    assert_eq!(time(&trace, "other", "tx-post"), 54_000);
    assert_eq!(time(&trace, "other", "wire-tx"), 54_000 + 14_000 + 30_000);
}

#[test]
fn an_applet_copies_by_itself() {
    let of = |applet: &str| {
        let keys = format!("name = 'client'\n{applet}");
        let toml = PAIR.replace("name = 'client'", &keys);
        let server = format!("name = 'server'\n{applet}");
        run_on(
            &toml.replace("name = 'server'", &server),
            &on_host("lanai-1998"),
        )
    };
    let trace = of("applet = 'builtin:RawUnet'");
    // The rows of Figure 5 and the copy of 1,000 bytes.
    let left = 24_000 + 10_000 + 24_500 + 20_000;
    assert_eq!(time(&trace, "client", "wire-tx"), left);
    let came = left + 6_750;
    let told = came + 5_000 + 19_600 + 42_450 + 20_000 + 1_280;
    assert_eq!(time(&trace, "server", "rx-descriptor"), told);
}

/// Three processes that exchange messages with three others, on hosts with so many processors.
fn busy(interface: &str, processors: u32, rest: &str) -> String {
    let mut toml = format!(
        "[[nic]]\nname = 'a'\nsram = '64MiB'\n[[nic]]\nname = 'b'\nsram = '64MiB'\n\
         [[host]]\nnic = 'a'\nprocessors = {processors}\n[[host]]\nnic = 'b'\nprocessors = {processors}\n"
    );
    for pair in 0..3 {
        for (nic, program) in [("a", "sink"), ("b", "echo")] {
            toml += &format!(
                "[[endpoint]]\nnic = '{nic}'\nname = '{nic}{pair}'\ninterface = '{interface}'\nhost = '{program}'\n{rest}\n\
                 buffer_area = '256KiB'\nfree_buffers = {{ count = 16, length = '4096B' }}\n"
            );
        }
        toml += &format!("[[channel]]\na{pair} = 1\nb{pair} = 1\n");
        for (at, every, length) in [(10, 50, 40), (13, 130, 1400), (500, 10, 0)] {
            toml += &format!(
                "[[send]]\nendpoint = 'a{pair}'\nchannel = 1\nat = '{}us'\nrepeat = 10\nevery = '{every}us'\n\
                 payload = {{ zeros = {length} }}\n",
                at + pair
            );
        }
    }
    toml
}

#[test]
fn processes_and_the_loop_share_one_processor() {
    for (interface, profile, rest) in [
        ("unet", "lanai-1998", ""),
        ("unet", "lanai-1998", "applet = 'builtin:RawUnet'"),
        ("emp", "tigon2-2002", ""),
        ("via", "modern", ""),
        ("via", "modern", "applet = 'builtin:RawUnet'"),
    ] {
        for processors in 1..=3 {
            let toml = busy(interface, processors, rest);
            let trace = run_on(&toml, &on_host(profile));
            let received = trace.of("rx-descriptor").len();
            assert!(received >= 30, "{interface} {rest}: {received}");
            let most =
                SimDuration::from_ps(trace.end.time.as_ps()).times(2 * u64::from(processors));
            assert!(trace.end.host <= most, "{interface} {rest} {processors}");
        }
    }
}

fn refused(toml: &str, profile: &Profile) -> String {
    match parse_on(toml, profile) {
        Err(ScenarioError::Mistakes(mistakes)) => {
            let shown = mistakes.iter().map(|mistake| mistake.kind.to_string());
            shown.collect::<Vec<_>>().join("\n")
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the scenario is accepted"),
    }
}

#[test]
fn more_loops_than_processors_are_a_mistake() {
    let profile = on_host("lanai-1998");
    let nic = |host: &str| format!("[[nic]]\nname = 'a'\nprocessors = 2\n{host}");
    for host in ["", "[[host]]\nnic = 'a'\nprocessors = 1\n"] {
        assert_eq!(
            refused(&nic(host), &profile),
            "expected at most 1 loops, one for each processor of the host, found 2: say by `[[host]] processors` how many \
             the host has"
        );
    }
    let two = nic("[[host]]\nnic = 'a'\nprocessors = 2\n");
    assert!(parse_on(&two, &profile).is_ok());
    assert!(parse_on(&nic(""), &Profile::builtin("lanai-1998").expect("built in")).is_ok());
}

#[test]
fn vis_are_emulated_on_a_nic_in_host_software_alone() {
    let pair = |provider: &str| {
        let keys = format!("interface = 'via'\nprovider = '{provider}'\n");
        PAIR.replace("name = 'client'", &format!("name = 'client'\n{keys}"))
            .replace("name = 'server'", &format!("name = 'server'\n{keys}"))
    };
    let (on_nic, on_host) = (
        Profile::builtin("modern").expect("built in"),
        on_host("modern"),
    );
    for (provider, profile, has) in [
        ("emulated", &on_nic, "hardware"),
        ("hardware", &on_host, "emulated"),
    ] {
        let expected = format!("expected a provider of profile `modern`, which has `{has}`");
        assert_eq!(
            refused(&pair(provider), profile),
            [expected.as_str(); 2].join("\n")
        );
    }
    for key in ["transfer = 'pio'", "on_empty = 'defer'", "strict = true"] {
        let toml = pair("emulated").replacen("interface", &format!("{key}\ninterface"), 1);
        let expected = "expected a value that provider `emulated` offers";
        assert!(refused(&toml, &on_host).starts_with(expected));
    }
    // The interrupt for the acknowledgement makes the sender's loop work once more.
    let trace = run_on(&pair("emulated"), &on_host);
    assert_eq!(trace.at("server", "rx-descriptor").len(), 1);
}

#[test]
fn a_wire_to_a_nic_in_host_software_has_no_cells() {
    let toml = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
        [[link]]\nbetween = ['a', 'b']\nprofile = 'giganet-1999'\n";
    let Err(ScenarioError::Mistakes(mistakes)) = parse_on(toml, &on_host("modern")) else {
        panic!("the scenario is accepted");
    };
    let kinds: Vec<_> = mistakes.into_iter().map(|mistake| mistake.kind).collect();
    assert_eq!(kinds, [MistakeKind::Profile(ProfileError::CellsOnHost)]);
}
