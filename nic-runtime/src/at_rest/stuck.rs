//! Runs that stop although something waits: each must be found, and must say what waits for what.

use bumpalo::Bump;

use nic_core::event::EndReason;

use crate::engine::Simulation;
use crate::host::Notice;
use crate::nic::stage::Stage;
use crate::nic::waiting::Waiting;
use crate::run::{Prepared, build};
use crate::scenario::parse;

/// A message between two NICs over an interface with a profile that has its costs.
fn scenario(profile: &str, interface: &str) -> String {
    format!(
        "profile = '{profile}'\n[[nic]]\nname = 'one'\n[[nic]]\nname = 'two'\n\
         [[link]]\nbetween = ['one', 'two']\n\
         [[endpoint]]\nnic = 'one'\nname = 'a'\ninterface = '{interface}'\n\
         [[endpoint]]\nnic = 'two'\nname = 'b'\ninterface = '{interface}'\n\
         [[channel]]\na = 1\nb = 1\n\
         [[send]]\nendpoint = 'a'\nchannel = 1\npayload = {{ text = 'hello' }}\n"
    )
}

/// The profiles and interfaces of the runs.
const RUNS: [(&str, &str); 3] = [
    ("lanai-1998", "unet"),
    ("tigon2-2002", "emp"),
    ("lanai-1998", "via"),
];

/// Runs a scenario whose simulation `spoil` changes before the run.
fn end(text: &str, spoil: impl Fn(&mut Simulation<'_>)) -> (EndReason, Vec<String>) {
    let scenario = parse(text.as_bytes(), None, None).expect("a right scenario");
    let arena = Bump::new();
    let classes = Prepared::new(&arena, &scenario, crate::host::Programs::new());
    let classes = classes.expect("a scenario that fits").classes;
    let mut memory = vec![0; build::applet_memory_bytes(&scenario)];
    let lent = (&arena, &mut memory[..]);
    let mut simulation = Simulation::build(lent, &scenario, classes, None)
        .expect("a scenario that can be simulated");
    spoil(&mut simulation);
    let end = simulation.run(None).expect("there are no groups");
    let waiting = end.waiting.iter().map(Waiting::to_string).collect();
    (end.reason, waiting)
}

#[test]
fn a_whole_run_is_idle() {
    for (profile, interface) in RUNS {
        let found = end(&scenario(profile, interface), |_| ());
        assert_eq!(found, (EndReason::Idle, vec![]), "{profile} {interface}");
    }
}

#[test]
fn a_processor_that_is_never_woken_is_stuck() {
    for (profile, interface) in RUNS {
        // The processor takes itself to be looking for work, so that nobody wakes it.
        let (reason, waiting) = end(&scenario(profile, interface), |simulation| {
            for processor in &mut simulation.processors {
                processor.stage = Stage::Look;
            }
        });
        assert_eq!(reason, EndReason::Stuck, "{profile} {interface}");
        let waits = |what: &str| waiting.iter().any(|found| found.contains(what));
        assert!(waits("NIC one waits for a processor to"), "{waiting:?}");
    }
}

#[test]
fn a_send_slot_that_nobody_frees_is_stuck() {
    for (profile, interface) in RUNS {
        let (reason, waiting) = end(&scenario(profile, interface), |simulation| {
            while simulation.nics[0].send_slots.take() {}
        });
        assert_eq!(reason, EndReason::Stuck, "{profile} {interface}");
        let waits = |what: &str| waiting.iter().any(|found| found.contains(what));
        assert!(waits("endpoint a waits for a send slot"), "{waiting:?}");
        assert!(waits("NIC one waits for a taken send slot"), "{waiting:?}");
    }
}

#[test]
fn an_arrival_slot_that_nobody_frees_is_stuck() {
    for (profile, interface) in RUNS {
        let (reason, waiting) = end(&scenario(profile, interface), |simulation| {
            let tenancy = simulation.infos[1].tenancy;
            let taken = simulation.nics[1].arrival_slots.take(tenancy);
            assert!(taken, "a new NIC has a slot");
        });
        assert_eq!(reason, EndReason::Stuck, "{profile} {interface}");
        let expected = "NIC two waits for a taken arrival slot to become free";
        assert_eq!(waiting, [expected], "{profile} {interface}");
    }
}

#[test]
fn a_pair_of_emp_that_stops_names_what_each_message_waits_for() {
    // Twelve messages, of which eight may be outstanding.
    let text = scenario("tigon2-2002", "emp") + "repeat = 12\n";
    let waits = |(reason, waiting): (EndReason, Vec<String>)| {
        assert_eq!(reason, EndReason::Stuck);
        waiting
    };
    // Nobody frees a send slot, so that the first message waits in the middle.
    let waiting = waits(end(
        &text,
        |simulation| {
            while simulation.nics[0].send_slots.take() {}
        },
    ));
    for expected in [
        "endpoint a waits for a send slot to endpoint b",
        "endpoint a waits for an acknowledgement from endpoint b (8 times)",
        "endpoint a waits for the turn of a message to endpoint b (4 times)",
        "endpoint a waits for a send slot for a frame",
        "endpoint a waits for a message to be cut into frames (7 times)",
    ] {
        assert!(
            waiting.iter().any(|found| found == expected),
            "{expected}: {waiting:?}"
        );
    }
    // The processor of the receiver is never woken. The messages fail at their sender.
    let waiting = waits(end(&text, |simulation| {
        simulation.processors[1].stage = Stage::Look;
    }));
    assert_eq!(waiting.len(), 3, "{waiting:?}");
    for expected in [
        "NIC two waits for a taken arrival slot to become free",
        "NIC two waits for a processor to take its work",
        "NIC two waits for a processor to end its work",
    ] {
        assert!(
            waiting.iter().any(|found| found.starts_with(expected)),
            "{waiting:?}"
        );
    }
}

#[test]
fn a_user_that_is_never_told_is_stuck() {
    let (reason, waiting) = end(&scenario("lanai-1998", "unet"), |simulation| {
        simulation.users[1].notice = Notice::Coming;
    });
    assert_eq!(reason, EndReason::Stuck);
    assert_eq!(waiting, ["endpoint b waits for its user's next task"]);
}
