//! A run ends in the same state with and without a sink: every byte of memory and every field.
//!
//! Without a sink the simulator creates no events, and simulates separate groups of NICs one after another. The tests
//! compare states, because the reason and time of a run's end do not depend on the bytes that were moved.

use nic_runtime::Run;
use std::collections::BTreeMap;

use nic_core::event::{EndReason, Event, EventKind, Names, RxBody, Sink, UnetEvent};
use nic_runtime::run::EndpointState;
use nic_runtime::spec::Scenario;

use crate::random_runs;
use crate::runs::runs;
use crate::scenario::read;

/// A sink that keeps the messages that users received, in order, by endpoint.
#[derive(Default)]
struct Read(BTreeMap<u32, Vec<Vec<u8>>>);

impl Sink for Read {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let EventKind::Unet(UnetEvent::RxDescriptor { length, body, .. }) = event.kind else {
            return;
        };
        let message = match body {
            RxBody::Inline(bytes) => bytes.to_vec(),
            RxBody::Buffers {
                offsets,
                share,
                area,
            } => {
                let places = offsets.iter().flat_map(|&offset| offset..offset + share);
                places
                    .take(length as usize)
                    .map(|place| area[place as usize])
                    .collect()
            }
        };
        let endpoint = event.endpoint.expect("a descriptor is an endpoint's").0;
        self.0.entry(endpoint).or_default().push(message);
    }
}

/// Runs a scenario with and without a sink, and asserts that both runs end in the same state.
fn states(scenario: &Scenario, what: &str) -> (EndReason, Vec<EndpointState>) {
    let mut read = Read::default();
    let (end, heard) = Run::new(scenario)
        .sink(&mut read)
        .keep_states()
        .execute()
        .expect("it runs")
        .end_and_states();
    crate::trace::check_moves(&end);
    let (unheard_end, unheard) = Run::new(scenario)
        .keep_states()
        .execute()
        .expect("it runs")
        .end_and_states();
    assert_eq!(unheard_end, end, "{what}");
    for (index, (heard, unheard)) in heard.iter().zip(&unheard).enumerate() {
        let name = &scenario.endpoints[index].name;
        assert!(heard == unheard, "{what}: {name} is left different");
        let messages = read.0.get(&(index as u32)).map_or(0, Vec::len);
        let taken = heard.messages + heard.receive as u64;
        assert_eq!(taken, messages as u64, "{what}: {name}");
    }
    (end.reason, heard)
}

/// A scenario of two pairs of endpoints that never exchange packets, with applets or on the base path. The payloads
/// have no two zero bytes in a row.
fn pairs(applet: &str) -> Scenario {
    let mut toml = String::new();
    for (pair, at) in [("x", 5), ("y", 9)] {
        for (end, host) in [("a", "sink"), ("b", "echo")] {
            toml += &format!(
                "[[nic]]\nname = '{end}{pair}'\n\
                 [[endpoint]]\nnic = '{end}{pair}'\nname = '{pair}{end}'\nhost = '{host}'\n{applet}\n"
            );
        }
        toml += &format!("[[channel]]\n{pair}a = 1\n{pair}b = 1\n");
        for length in [5, 56, 57, 3000, 9000] {
            toml += &format!(
                "[[send]]\nendpoint = '{pair}a'\nchannel = 1\nat = '{at}us'\npayload = {{ count = {length} }}\n"
            );
        }
    }
    read(&toml)
}

#[test]
fn messages_lie_in_buffers_byte_by_byte() {
    let counted = |length: usize| (0..length).map(|byte| byte as u8).collect::<Vec<_>>();
    for applet in ["", "applet = 'builtin:RawUnet'"] {
        let (reason, left) = states(&pairs(applet), applet);
        assert_eq!(reason, EndReason::Idle);
        for state in &left {
            assert_eq!((state.messages, state.packets), (5, 5), "{applet}");
            assert_eq!((state.transmit, state.receive), (0, 0), "{applet}");
            // Messages of 57 and 3,000 bytes used the first two of eight 4,096-byte buffers, and the message of 9,000
            // bytes used the next three.
            assert_eq!(state.area[..57], counted(57), "{applet}");
            assert_eq!(state.area[4096..][..3000], counted(3000), "{applet}");
            assert_eq!(state.area[2 * 4096..][..9000], counted(9000), "{applet}");
            // The user returns the buffers of read messages to the end of the free queue, after the unused buffers.
            let order = [5, 6, 7, 0, 1, 2, 3, 4].map(|buffer| buffer * 4096);
            assert_eq!(state.free, order, "{applet}");
        }
    }
}

#[test]
fn random_runs_leave_the_same_with_and_without_a_listener() {
    let (mut bytes, mut fields) = (0, 0);
    for seed in 0..runs(60) {
        let toml = match seed % 4 {
            3 => random_runs::spaced(seed),
            _ => random_runs::scenario(seed),
        };
        let until = ["20ms", "700us"][(seed % 2) as usize];
        let toml = toml.replace("until = '20ms'", &format!("until = '{until}'"));
        let (_, left) = states(&read(&toml), &format!("seed {seed}"));
        let areas = left.iter().flat_map(|state| &state.area);
        bytes += areas.filter(|byte| **byte != 0).count();
        let applets = left.iter().filter_map(|state| state.applet.as_ref());
        fields += applets.map(|applet| applet.fields.len()).sum::<usize>();
    }
    assert!(bytes > 100_000, "only {bytes} bytes were moved");
    assert!(fields > 100, "only {fields} fields");
}

#[test]
fn chains_end_in_the_same_state() {
    let chain = "applet = ['builtin:RawUnet', 'Between.class', 'builtin:Reliable']";
    let mut scenario = pairs(chain);
    for nic in &mut scenario.nics {
        nic.sram = 1 << 20;
    }
    let (reason, left) = states(&scenario, "chains");
    assert_eq!(reason, EndReason::Idle);
    assert!(left.iter().all(|state| state.followers.len() == 2));
}

/// On another NIC a call is suspended, which is nothing to this one.
#[test]
fn a_call_that_is_suspended_on_another_nic_changes_no_turn() {
    let toml = random_runs::scenario(701).replace("until = '20ms'", "until = '700us'");
    states(&read(&toml), "seed 701");
}
