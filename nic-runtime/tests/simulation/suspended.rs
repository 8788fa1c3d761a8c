//! Suspended calls: a call of an applet is suspended while its `txPush` waits for a slot at the receiver.

use nic_core::event::EndReason;

use crate::scenario::read;
use crate::trace::{run, simulate, texts};

/// A relay that passes on messages over a slow link, so that its calls must wait.
const RELAYED: &str = "
    [[nic]]
    name = 'a'
    [[nic]]
    name = 'b'
    [[nic]]
    name = 'c'
    [[endpoint]]
    nic = 'a'
    name = 'sender'
    [[endpoint]]
    nic = 'b'
    name = 'relay'
    applet = 'Relay.class'
    [[endpoint]]
    nic = 'c'
    name = 'end'
    [[link]]
    between = ['a', 'b']
    [[link]]
    between = ['b', 'c']
    bandwidth = '1MB/s'
    [[channel]]
    sender = 1
    relay = 1
    [[channel]]
    relay = 2
    end = 1
";

/// Returns the scenario with 30 messages. Each is a number of 200 digits, so that one out of turn has other bytes.
pub(crate) fn relayed() -> String {
    let sends = (0..30).map(|number| {
        format!(
            "[[send]]\nendpoint = 'sender'\nchannel = 1\nat = '{}us'\npayload = {{ text = '{number:0>200}' }}\n",
            5 * number
        )
    });
    RELAYED.to_owned() + &sends.collect::<String>()
}

#[test]
fn arrivals_during_a_wait_are_handled_in_order() {
    // With few arrival slots packets wait at their sender, and with many of them in the slots of the relay's NIC.
    for (slots, least) in [(None, 1), (Some(10), 5)] {
        let mut scenario = read(&relayed());
        if let Some(slots) = slots {
            scenario.profile.memory.arrival_slots = slots.try_into().expect("more than 0");
        }
        let trace = simulate(&scenario).expect("it runs");
        let arrived = texts(&trace.at("relay", "wire-rx"), "payload");
        let passed_on = texts(&trace.at("end", "wire-rx"), "payload");
        assert_eq!(arrived.len(), 30);
        assert_eq!(passed_on, arrived, "{slots:?} slots");

        // While a call is suspended, some arrivals for the suspended applet wait.
        let (mut waiting, mut most) = (0, 0);
        for event in trace.events.iter().filter(|event| event["nic"] == "b") {
            match event["event"].as_str() {
                Some("wire-rx") => waiting += 1,
                Some("applet-call") => waiting -= i32::from(event["method"] == "doRx"),
                Some("applet-resume") => most = most.max(waiting),
                _ => {}
            }
        }
        assert!(most >= least, "{most} waited, {slots:?} slots");
    }
}

#[test]
fn a_post_gives_up_its_place_while_its_applet_waits() {
    // The relay's user posts messages too, whose packets need the slots for which the relay's calls wait.
    let posts = "
        [[send]]
        endpoint = 'relay'
        channel = 2
        payload = { count = 8 }
        repeat = 100
        every = '7us'
    ";
    let trace = run(&(relayed() + posts));
    assert!(!trace.of("applet-suspend").is_empty());
    // If a post had not given up its slot, the slot would still be held at the end, which the run asserts against.
    assert_eq!(trace.end.reason, EndReason::Idle);
    assert_eq!(trace.at("end", "wire-rx").len(), 30);
    assert_eq!(trace.at("relay", "tx-done").len(), 100);
}

#[test]
fn suspended_call_gets_what_its_message_reserved() {
    // The descriptor of the message names a channel to one endpoint, but the applet sends to another endpoint of the
    // same NIC. When no slot is free, the applet waits, and gets the slot that was reserved for the message.
    let trace = run("[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'client'\napplet = 'Sidestep.class'\n\
         [[endpoint]]\nnic = 'b'\nname = 'named'\n[[endpoint]]\nnic = 'b'\nname = 'meant'\n\
         [[channel]]\nclient = 1\nnamed = 1\n[[channel]]\nclient = 2\nmeant = 1\n\
         [[send]]\nendpoint = 'client'\nchannel = 1\nat = '1us'\npayload = { zeros = 9 }\n");
    assert_eq!(trace.at("meant", "rx-descriptor").len(), 8);
    assert_eq!(trace.at("client", "tx-done").len(), 1);
}

#[test]
fn call_without_heap_room_blocks_no_other() {
    // The applet's only array of 1,000 bytes leaves no room to suspend a call, so a packet that cannot leave at once is
    // dropped. The applet never sends later, and a neighbour on the same NIC needs every slot.
    let trace = run("[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'crammed'\napplet = 'Sidestep.class'\nheap = '1008B'\n\
         [[endpoint]]\nnic = 'a'\nname = 'tight'\napplet = 'Sidestep.class'\nheap = '1008B'\n\
         [[endpoint]]\nnic = 'a'\nname = 'neighbour'\n\
         [[endpoint]]\nnic = 'b'\nname = 'named'\n[[endpoint]]\nnic = 'b'\nname = 'meant'\n\
         [[endpoint]]\nnic = 'b'\nname = 'other'\n\
         [[channel]]\ncrammed = 1\nnamed = 1\n[[channel]]\ncrammed = 2\nmeant = 1\n\
         [[channel]]\ntight = 1\nnamed = 2\n[[channel]]\ntight = 2\nmeant = 2\n\
         [[channel]]\nneighbour = 1\nother = 1\n\
         [[send]]\nendpoint = 'crammed'\nchannel = 1\nat = '1us'\npayload = { zeros = 9 }\n\
         [[send]]\nendpoint = 'tight'\nchannel = 1\nat = '1us'\npayload = { zeros = 9 }\n\
         [[send]]\nendpoint = 'neighbour'\nchannel = 1\nat = '1ms'\npayload = { zeros = 9 }\nrepeat = 20\nevery = '1us'\n");
    assert_eq!(trace.of("applet-suspend").len(), 0, "there is no room");
    assert!(!trace.at("crammed", "drop").is_empty());
    assert_eq!(trace.at("neighbour", "tx-done").len(), 20);
    assert_eq!(trace.at("other", "rx-descriptor").len(), 20);
}
