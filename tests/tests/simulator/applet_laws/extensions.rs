//! `DeferSend` and `SplitRequest` on the hardware provider of VIA deliver the same messages as the library over CLAN
//! with `on_empty = "defer"` and `split = true`.

use nic_runtime::Run;
use std::fmt::Write as _;

use jive_lab::Random;
use nic_core::event::{Event, EventKind, Names, NicEvent, Sink, SleEvent, ViaEvent};
use nic_core::id::EndpointId;
use nic_core::via::{Reason, ViState};
use nic_runtime::scenario::parse;

use super::network::random;

/// A received message: the endpoint, the bytes and the immediate data.
type Message = (u32, Vec<u8>, Option<u32>);

/// A sink with the messages that users receive, and with counts of the events that must not occur.
#[derive(Default)]
struct Received {
    messages: Vec<Message>,
    drops: u32,
    traps: u32,
    ended: u32,
}

impl Sink for Received {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(EndpointId(here)) = event.endpoint else {
            return;
        };
        match event.kind {
            EventKind::Via(ViaEvent::RxDescriptor { immediate, .. }) => {
                let payload = event.kind.roles().step;
                if let nic_core::event::roles::Step::Delivered { payload, .. } = payload {
                    let payload = payload.bytes().collect();
                    self.messages.push((here, payload, immediate));
                }
            }
            EventKind::Via(ViaEvent::ViState { state, reason }) => {
                let is_ended = state != ViState::Connected && reason != Reason::Requested;
                self.ended += u32::from(is_ended);
            }
            EventKind::Nic(NicEvent::Drop { .. }) => self.drops += 1,
            EventKind::Sle(SleEvent::Trap { .. }) => self.traps += 1,
            _ => {}
        }
    }
}

/// Returns what each of two VIs receives, in order.
fn received(text: &str) -> [Vec<(Vec<u8>, Option<u32>)>; 2] {
    let scenario = parse(text.as_bytes(), None, None);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let mut seen = Received::default();
    Run::new(&scenario)
        .sink(&mut seen)
        .execute()
        .expect("the scenario fits");
    assert_eq!((seen.drops, seen.traps, seen.ended), (0, 0, 0), "{text}");
    let mut of = [Vec::new(), Vec::new()];
    for (here, payload, immediate) in seen.messages {
        of[here as usize].push((payload, immediate));
    }
    of
}

/// Returns a scenario of two VIs with the same keys, each on its own NIC, and of their messages.
fn pair(profile: &str, both: &str, sends: &str) -> String {
    format!(
        "profile = '{profile}'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
         [[endpoint]]\nnic = 'a'\nname = 'e0'\ninterface = 'via'\n{both}\n\
         [[endpoint]]\nnic = 'b'\nname = 'e1'\ninterface = 'via'\n{both}\n\
         [[channel]]\ne0 = 1\ne1 = 1\n{sends}"
    )
}

/// Returns messages of both VIs with different bytes, half of them with immediate data above 0.
fn sends(random: &mut Random, (count, longest, apart): (usize, usize, usize)) -> String {
    let mut text = String::new();
    let mut at = 10;
    for number in 0..count {
        let mut payload = vec![number as u8];
        let length = random.below(longest);
        payload.extend(random.bytes(length));
        let hex: String = payload.iter().fold(String::new(), |mut hex, byte| {
            let _infallible = write!(hex, "{byte:02x}");
            hex
        });
        let from = random.below(2);
        let _infallible = write!(
            text,
            "[[send]]\nendpoint = 'e{from}'\nchannel = 1\nat = '{at}us'\npayload = {{ hex = '{hex}' }}\n"
        );
        if random.one_in(2) {
            let _infallible = writeln!(text, "immediate = {}", 1 + random.below(1_000_000));
        }
        at += apart + random.below(60);
    }
    text
}

pub(crate) fn deferral(seed: u64) {
    let random = &mut random("defer send", seed);
    let count = 1 + random.below(5);
    let poll = [1, 20, 300, 1000][random.below(4)];
    let both = format!(
        "free_buffers = {{ count = {count}, length = 128 }}\npoll_every = '{poll}us'\n\
         reliability = '{}'",
        ["unreliable", "delivery", "reception"][random.below(3)]
    );
    let sends = sends(random, (30, 127, 0));
    let applet = format!("applet = 'builtin:DeferSend'\nstate = {{ CREDITS = {count} }}\n{both}");
    // A NIC with few slots may have to drop a packet (`nic-full`) when the applets of two NICs answer each other at
    // once.
    let by_applet = received(&pair("giganet-1999", &applet, &sends));
    let library = format!("on_empty = 'defer'\n{both}");
    let by_library = received(&pair("clan-2001", &library, &sends));
    assert_eq!(by_applet, by_library);
    assert_eq!(by_applet.concat().len(), 30);
}

pub(crate) fn splitting(seed: u64) {
    let random = &mut random("split request", seed);
    let length = 40 + random.below(100);
    let both = format!(
        "free_buffers = {{ count = 40, length = {length} }}\nreliability = '{}'",
        ["unreliable", "delivery", "reception"][random.below(3)]
    );
    // Leave so much time between messages that the user has posted all descriptors again.
    let sends = sends(random, (20, 14 * length, 600));
    let applet = format!("applet = 'builtin:SplitRequest'\n{both}");
    let by_applet = received(&pair("lanai-1998", &applet, &sends));
    let library = format!("split = true\n{both}");
    let by_library = received(&pair("clan-2001", &library, &sends));
    assert_eq!(by_applet, by_library);
    assert_eq!(by_applet.concat().len(), 20);
}
