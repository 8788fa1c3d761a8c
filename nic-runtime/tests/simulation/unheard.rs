//! A run ends when its sink has failed.

use nic_core::event::{EndReason, Event, Names, Sink};
use nic_runtime::scenario::{builtin, parse};
use nic_runtime::sim;

/// A sink that accepts this number of events, and then fails.
struct Taking(u32);

impl Sink for Taking {
    fn event(&mut self, _names: &dyn Names, _event: &Event<'_>) {
        self.0 = self.0.saturating_sub(1);
    }

    fn has_failed(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn a_listener_that_fails_ends_the_run_at_once() {
    let text = builtin("pingpong").expect("it is built in").text;
    let scenario = parse(text.as_bytes(), None, None).expect("it is a scenario");
    let whole = sim::run(&scenario, &mut ()).expect("it runs");
    assert_eq!(whole.reason, EndReason::Idle);
    let cut = sim::run(&scenario, &mut Taking(10)).expect("it runs");
    assert_eq!(cut.reason, EndReason::Unheard);
    assert!(cut.events < whole.events / 2 && cut.time < whole.time);
    let patient = sim::run(&scenario, &mut Taking(u32::MAX)).expect("it runs");
    assert_eq!(patient, whole);
}
