//! A faulty applet affects its neighbour on the same NIC and link only by taking time.

use serde_json::Value;

use crate::trace::{number, run};

/// A scenario in which NIC `b` has a victim that receives 20 messages of 1,000 bytes. A neighbour on the same NIC, if
/// given, receives a message before and after each message of the victim.
fn scenario(neighbour: Option<&str>) -> String {
    let mut toml = String::from(
        "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'sender'\n\
         [[endpoint]]\nnic = 'b'\nname = 'victim'\napplet = 'builtin:RawUnet'\n\
         [[channel]]\nsender = 1\nvictim = 1\n",
    );
    let send = |endpoint: &str, at: u32| {
        format!(
            "[[send]]\nendpoint = '{endpoint}'\nchannel = 1\nat = '{at}us'\n\
             payload = {{ count = 1000 }}\nrepeat = 20\nevery = '500us'\n"
        )
    };
    if let Some(applet) = neighbour {
        toml += &format!(
            "[[endpoint]]\nnic = 'a'\nname = 'provoker'\n\
             [[endpoint]]\nnic = 'b'\nname = 'faulty'\napplet = '{applet}'\nfuel = 10000\n\
             [[channel]]\nprovoker = 1\nfaulty = 1\n",
        );
        toml += &send("provoker", 90);
    }
    toml += &send("sender", 100);
    if neighbour.is_some() {
        toml += &send("provoker", 110);
    }
    toml
}

/// Returns what the victim's user receives, without the times, and the number of the neighbour's traps.
fn received(toml: &str) -> (Vec<Value>, usize) {
    let trace = run(toml);
    let seen = trace
        .at("victim", "rx-descriptor")
        .into_iter()
        .map(|event| {
            let mut event = event.clone();
            event.as_object_mut().unwrap().remove("t_ns");
            event
        });
    (seen.collect(), trace.at("faulty", "trap").len())
}

#[test]
fn a_neighbour_that_traps_on_every_packet_changes_no_message() {
    let (alone, _) = received(&scenario(None));
    assert_eq!(alone.len(), 20);
    assert!(alone.iter().all(|event| number(event, "length") == 1000));
    for applet in ["Trapper.class", "Spinner.class"] {
        let (beside, traps) = received(&scenario(Some(applet)));
        assert_eq!(traps, 40, "{applet} traps on each of its packets");
        assert_eq!(beside, alone);
    }
}

#[test]
fn a_neighbour_that_hoards_buffers_has_only_its_own() {
    let (beside, _) = received(&scenario(Some("Hoarder.class")));
    assert_eq!(beside, received(&scenario(None)).0);
}
