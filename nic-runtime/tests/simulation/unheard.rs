//! A run ends when its sink has failed.

use nic_core::event::{EndReason, Event, Names, Sink};
use nic_runtime::Run;
use nic_runtime::scenario::{builtin, parse};

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
    let whole = Run::new(&scenario).execute().expect("it runs").end;
    assert_eq!(whole.reason, EndReason::Idle);
    let cut = Run::new(&scenario)
        .sink(&mut Taking(10))
        .execute()
        .expect("it runs")
        .end;
    assert_eq!(cut.reason, EndReason::Unheard);
    assert!(cut.events < whole.events / 2 && cut.time < whole.time);
    let patient = Run::new(&scenario)
        .sink(&mut Taking(u32::MAX))
        .execute()
        .expect("it runs")
        .end;
    assert_eq!(patient, whole);
}
