//! Properties of the shipped applets that a trace alone does not show.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use nic_core::event::{Event, EventKind, Names, RxBody, Sink, SleEvent, UnetEvent};
use tests::simulation::{Messages, run, scenario};

/// Collects the buffers that receive descriptors name, and counts traps.
#[derive(Debug, Default)]
struct Buffers {
    named: Vec<u32>,
    traps: usize,
}

impl Sink for Buffers {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match event.kind {
            EventKind::Unet(UnetEvent::RxDescriptor {
                body: RxBody::Buffers { offsets, .. },
                ..
            }) => self.named.extend(offsets),
            EventKind::Sle(SleEvent::Trap { .. }) => self.traps += 1,
            _ => {}
        }
    }
}

/// Runs an endpoint whose host never returns a buffer, with messages of one to four buffers.
fn starved(applet: &str, fuel: u64) -> Buffers {
    let mut text = format!(
        r#"
        until = "20ms"
        [[nic]]
        name = "a"
        [[nic]]
        name = "b"
        [[endpoint]]
        nic = "a"
        name = "client"
        [[endpoint]]
        nic = "b"
        name = "server"
        applet = "builtin:{applet}"
        fuel = {fuel}
        free_buffers = {{ count = 9, length = 64 }}
        notify = "poll"
        poll_every = "1s"
        [[channel]]
        client = 1
        server = 7
        "#
    );
    for (number, length) in [129, 100, 256, 60, 250, 200, 64].iter().enumerate() {
        let at = number + 1;
        write!(
            text,
            "[[send]]\nendpoint = \"client\"\nchannel = 1\nat = \"{at}ms\"\n\
             payload = {{ count = {length} }}\n"
        )
        .expect("a string takes all that is written");
    }
    let mut buffers = Buffers::default();
    run(&scenario(&text, None, None), &mut buffers);
    buffers
}

#[test]
fn no_buffer_is_named_twice_at_any_fuel() {
    for applet in ["RawUnet", "Drop"] {
        // With more fuel than any message needs, the amount of fuel does not affect the run.
        let plenty = starved(applet, 1_000_000);
        assert_eq!(plenty.traps, 0);
        // The first three messages need 3 + 2 + 4 buffers, and no buffer is left for later messages.
        assert_eq!(plenty.named, [0, 64, 128, 192, 256, 320, 384, 448, 512]);
        let mut trapped = 0;
        for fuel in 1..400 {
            let Buffers { named, traps } = starved(applet, fuel);
            let distinct: BTreeSet<u32> = named.iter().copied().collect();
            assert_eq!(
                distinct.len(),
                named.len(),
                "{applet}, fuel {fuel}: {named:?}"
            );
            trapped += traps;
        }
        assert!(trapped > 0, "some of the budgets were too small");
    }
}

#[test]
fn counter_counts_channels_beyond_its_table_in_its_last_row() {
    for profile in ["lanai-1998", "unet-host-1998"] {
        counts_channels(profile);
    }
}

fn counts_channels(profile: &str) {
    let mut text = format!(
        "profile = '{profile}'\n[[nic]]\nname = \"a\"\n[[endpoint]]\nnic = \"a\"\nname = \"counter\"\napplet = \"builtin:Counter\"\n\
         [[endpoint]]\nnic = \"a\"\nname = \"source\"\n",
    );
    for number in 1..=18 {
        write!(
            text,
            "[[channel]]\nsource = {number}\ncounter = {}\n\
             [[send]]\nendpoint = \"source\"\nchannel = {number}\nat = \"{number}ms\"\n\
             payload = {{ zeros = 100 }}\nrepeat = 2\nevery = \"100ms\"\n",
            1_000_000_000 + number
        )
        .expect("a string takes all that is written");
    }
    let mut messages = Messages::default();
    run(&scenario(&text, None, None), &mut messages);
    let counts: Vec<(i32, i32)> = messages
        .0
        .iter()
        .map(|message| {
            let bytes = message.payload.as_slice().try_into();
            let count = i32::from_be_bytes(bytes.expect("a report is four bytes"));
            (message.channel - 1_000_000_000, count)
        })
        .collect();
    // In the applet's table, channels 16, 17 and 18 share the sixteenth row.
    let first = (1..=16)
        .map(|channel| (channel, 1))
        .chain([(17, 2), (18, 3)]);
    let second = (1..=15).map(|channel| (channel, 2));
    let shared = [(16, 4), (17, 5), (18, 6)];
    let expected: Vec<(i32, i32)> = first.chain(second).chain(shared).collect();
    assert_eq!(counts, expected);
}
