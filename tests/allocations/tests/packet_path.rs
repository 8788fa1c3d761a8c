//! A run without a sink does not allocate per packet: 10,000 additional packets cause no additional request.

#![forbid(unsafe_code)]

use allocations::{CountingAllocator, allocated};
use nic_core::event::{
    DropReason, Event, EventKind, Names, NicEvent, Sink, UnetEvent, WireDropReason,
};
use nic_runtime::Run;
use nic_runtime::scenario::parse;
use nic_runtime::spec::Scenario;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Number of packets after which all queues and stores have reached their final sizes.
const WARM_UP: u64 = 5_000;
/// Number of packets that must not allocate.
const PACKETS: u64 = 10_000;

/// A scenario of two NICs with one endpoint each, in which the client sends to the server.
struct Case {
    /// Keys of the link.
    link: &'static str,
    /// Keys of the client.
    client: &'static str,
    /// Keys of the server.
    server: &'static str,
    /// Bytes of each message.
    length: u32,
    /// Time between two messages.
    every: &'static str,
}

const RAW_UNET: &str = "applet = \"builtin:RawUnet\"";

impl Default for Case {
    fn default() -> Case {
        Case {
            link: "",
            client: RAW_UNET,
            server: RAW_UNET,
            length: 64,
            every: "100us",
        }
    }
}

impl Case {
    fn scenario(&self, packets: u64) -> Scenario {
        let Case {
            link,
            client,
            server,
            length,
            every,
        } = self;
        let text = format!(
            r#"
            until = "1000s"
            [[nic]]
            name = "a"
            [[nic]]
            name = "b"
            [[link]]
            between = ["a", "b"]
            {link}
            [[endpoint]]
            nic = "a"
            name = "client"
            {client}
            [[endpoint]]
            nic = "b"
            name = "server"
            {server}
            [[channel]]
            client = 1
            server = 7
            [[send]]
            endpoint = "client"
            channel = 1
            at = "10us"
            payload = {{ zeros = {length} }}
            repeat = {packets}
            every = "{every}"
            "#
        );
        parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
    }

    /// Asserts that packets do not allocate, and returns how many packets were received and lost.
    fn allocates_nothing_per_packet(&self) -> Counts {
        let requests = [WARM_UP, WARM_UP + PACKETS].map(|packets| {
            let scenario = self.scenario(packets);
            let before = allocated().requests;
            Run::new(&scenario)
                .execute()
                .expect("the scenario can be simulated");
            allocated().requests - before
        });
        assert!(requests[0] > 0, "nothing was counted at all");
        assert_eq!(
            requests[0], requests[1],
            "requests for memory, with and without {PACKETS} packets"
        );

        let mut counts = Counts::default();
        Run::new(&self.scenario(WARM_UP + PACKETS))
            .sink(&mut counts)
            .execute()
            .expect("the scenario can be simulated");
        assert_eq!(counts.posted, WARM_UP + PACKETS);
        counts
    }
}

/// How many packets were received, lost or dropped.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    posted: u64,
    /// Messages that a user received.
    received: u64,
    lost: u64,
    crc: u64,
    trapped: u64,
    no_free_buffer: u64,
    rx_queue_full: u64,
}

impl Sink for Counts {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let client = event
            .endpoint
            .is_some_and(|id| names.endpoint(id) == "client");
        let count = match event.kind {
            EventKind::Unet(UnetEvent::TxPost { .. }) if client => &mut self.posted,
            EventKind::Unet(UnetEvent::RxDescriptor { .. }) => &mut self.received,
            EventKind::Nic(NicEvent::WireDrop {
                reason: WireDropReason::Loss,
                ..
            }) => &mut self.lost,
            EventKind::Nic(NicEvent::WireDrop {
                reason: WireDropReason::Crc,
                ..
            }) => &mut self.crc,
            EventKind::Nic(NicEvent::Drop {
                reason: DropReason::AppletTrap,
                ..
            }) => &mut self.trapped,
            EventKind::Nic(NicEvent::Drop {
                reason: DropReason::NoFreeBuffer,
                ..
            }) => &mut self.no_free_buffer,
            EventKind::Nic(NicEvent::Drop {
                reason: DropReason::RxQueueFull,
                ..
            }) => &mut self.rx_queue_full,
            _ => return,
        };
        *count += 1;
    }
}

#[test]
fn messages_of_0_to_9000_bytes() {
    for length in [0, 5, 56, 57, 64, 9_000] {
        let case = Case {
            length,
            every: "1ms",
            ..Case::default()
        };
        let counts = case.allocates_nothing_per_packet();
        assert_eq!(counts.received, WARM_UP + PACKETS, "{length} bytes");
    }
}

#[test]
fn messages_that_come_back() {
    let case = Case {
        server: "applet = \"builtin:RawUnet\"\nhost = \"echo\"\nnotify = \"upcall\"",
        every: "500us",
        ..Case::default()
    };
    let counts = case.allocates_nothing_per_packet();
    assert_eq!(counts.received, 2 * (WARM_UP + PACKETS));
}

#[test]
fn messages_of_endpoints_without_applets() {
    for length in [0, 5, 56, 57, 64, 9_000] {
        let case = Case {
            client: "",
            server: "",
            length,
            every: "1ms",
            ..Case::default()
        };
        let counts = case.allocates_nothing_per_packet();
        assert_eq!(counts.received, WARM_UP + PACKETS, "{length} bytes");
    }
}

#[test]
fn packets_on_a_faulty_wire() {
    let case = Case {
        link: "loss = 0.1\nduplicate = 0.1\ncorrupt = 0.1\nreorder = 0.1",
        ..Case::default()
    };
    let counts = case.allocates_nothing_per_packet();
    assert!(
        counts.lost > 1_000 && counts.crc > 900 && counts.received > 9_000,
        "{counts:?}"
    );
}

#[test]
fn packets_for_which_there_is_no_buffer() {
    // The user reads rarely, so the only buffer is in use when most messages arrive.
    let server = "free_buffers = { count = 1, length = 4096 }\npoll_every = \"1ms\"";
    let case = Case {
        client: "",
        server,
        ..Case::default()
    };
    let counts = case.allocates_nothing_per_packet();
    assert!(
        counts.no_free_buffer > 10_000 && counts.received > 1_000,
        "{counts:?}"
    );
}

#[test]
fn packets_for_which_the_receive_queue_is_full() {
    for applet in ["", RAW_UNET] {
        let server = format!("{applet}\nrx_queue = 1\npoll_every = \"1ms\"").leak();
        let case = Case {
            server,
            ..Case::default()
        };
        let counts = case.allocates_nothing_per_packet();
        assert!(
            counts.rx_queue_full > 10_000 && counts.received > 1_000,
            "{counts:?}"
        );
    }
}

#[test]
fn packets_on_which_the_applet_traps() {
    // The fuel suffices for `RawUnet`'s initializers, but not for a message in two buffers.
    let server = "applet = \"builtin:RawUnet\"\nfuel = 40";
    let case = Case {
        server,
        ..Case::default()
    };
    let counts = case.allocates_nothing_per_packet();
    assert_eq!((counts.trapped, counts.received), (WARM_UP + PACKETS, 0));
}
