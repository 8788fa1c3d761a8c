//! The memory of idle endpoints and of waiting users.

#![forbid(unsafe_code)]

use allocations::{CountingAllocator, allocated};
use nic_core::event::{Event, EventKind, Names, Sink, SleEvent};
use nic_runtime::Run;
use nic_runtime::scenario::parse;
use nic_runtime::spec::Scenario;
use traffic::Traffic;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The memory that a run needed, and the applets that it loaded.
#[derive(Default)]
struct Most {
    /// Maximum number of bytes in use at any event.
    bytes: i64,
    applets: u32,
}

impl Sink for Most {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        self.bytes = self.bytes.max(allocated().bytes);
        self.applets += u32::from(matches!(event.kind, EventKind::Sle(SleEvent::Load { .. })));
    }
}

/// Runs a scenario, and returns its memory relative to the bytes in use before the run.
fn most(scenario: &Scenario) -> Most {
    let before = allocated().bytes;
    let mut most = Most::default();
    Run::new(scenario)
        .sink(&mut most)
        .execute()
        .expect("the scenario can be simulated");
    most.bytes -= before;
    most
}

#[test]
fn idle_endpoint_takes_at_most_908_bytes() {
    let one = Traffic::of_one_pair(1);
    let many = Traffic {
        endpoints: 501,
        ..one
    };
    let [few, many] = [one, many].map(|traffic| {
        let scenario = traffic.scenario();
        // A scenario contains each class file once, and a run loads each class of the scenario once.
        assert_eq!(scenario.classes.len(), 1);
        let most = most(&scenario);
        assert_eq!(most.applets, 2 * traffic.endpoints);
        let endpoint = &scenario.endpoints[0];
        let lent = endpoint.buffer_area + endpoint.heap + scenario.profile.memory.max_packet.get();
        most.bytes - i64::from(lent) * i64::from(2 * traffic.endpoints)
    });
    let idle = (many - few) / 1_000;
    // The limit is 5 % above the memory of an idle endpoint before other interfaces were added to U-Net.
    assert!((1..=908).contains(&idle), "{idle} bytes");
}

/// Returns a scenario with a server whose `vis` VIs all report to one completion queue, and with idle clients.
fn idle_vis(profile: &str, vis: u32) -> Scenario {
    let mut text = format!(
        "profile = '{profile}'\n[[nic]]\nname = 'a'\nsram = '256MiB'\n[[nic]]\nname = 'b'\nsram = '256MiB'\n\
         [[process]]\nname = 'server'\nnic = 'b'\n"
    );
    for vi in 0..vis {
        let common =
            "interface = 'via'\nbuffer_area = 512\nfree_buffers = { count = 2, length = 64 }";
        text += &format!(
            "[[endpoint]]\nnic = 'a'\nname = 'c{vi}'\n{common}\n\
             [[endpoint]]\nnic = 'b'\nname = 's{vi}'\nprocess = 'server'\n{common}\n\
             completion = {{ send = 'q', receive = 'q' }}\n[[channel]]\nc{vi} = 1\ns{vi} = 1\n"
        );
    }
    parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn idle_vi_takes_at_most_2_kib() {
    for profile in ["giganet-1999", "clan-2001"] {
        let [few, many] = [12, 512].map(|vis| {
            let buffer_areas = 512 * 2 * i64::from(vis);
            most(&idle_vis(profile, vis)).bytes - buffer_areas
        });
        let idle = (many - few) / 1_000;
        println!("an idle VI under {profile}: {idle} bytes, without its buffer area");
        assert!((1..=2_048).contains(&idle), "{idle} bytes");
    }
}

#[test]
fn messages_that_are_due_but_not_posted_take_no_memory() {
    let scenario = |repeat: u32| {
        let text = format!(
            r#"
            until = "20us"
            [[nic]]
            name = "a"
            [[endpoint]]
            nic = "a"
            name = "self"
            [[channel]]
            self = [1, 2]
            [[send]]
            endpoint = "self"
            channel = 1
            at = "10us"
            payload = {{ zeros = 64 }}
            repeat = {repeat}
            every = "0us"
            "#
        );
        parse(text.as_bytes(), None, None).unwrap_or_else(|error| panic!("{error:?}"))
    };
    let [few, many] = [1_000, 500_000].map(|repeat| most(&scenario(repeat)).bytes);
    assert_eq!(few, many);
}
