//! An applet that makes new arrays for each message, with arrays that live until their call ends and with a collected heap.
//! The authors leave garbage collection for later (S1-35), so no row has a number of the paper.

use nic_core::event::{Event, EventKind, HostEvent, Names, Sink, UnetEvent};
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::profile::Profile;
use nic_runtime::scenario;

use super::PaperError;
use super::report::{Agreement, Quantity, Row};

/// The name of the part.
pub(super) const FIGURE: &str = "a collected heap";

const STATEMENT: &str = "S1-35";

/// Messages of a measurement, far enough apart that none waits for another. They fill the heap several times.
const MESSAGES: u64 = 120;

/// What is kept of a heap's arrays: the name, and the key of the endpoints.
const HEAPS: [(&str, &str); 2] = [
    ("arrays of a call", ""),
    ("collected", "heap = 'collected'\n"),
];

/// Returns the rows: the mean time of a message from post to receive descriptor, and the longest pause for a collection.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let mut rows = Vec::new();
    for length in [40, 4096] {
        for (heap, key) in HEAPS {
            let seen = run(profile, length, key)?;
            let whole: u64 = seen.took.iter().map(|time| time.as_ps()).sum();
            let mean = SimDuration::from_ps(whole / MESSAGES);
            for (what, time) in [("time of a message", mean), ("longest pause", seen.longest)] {
                let name = format!("new arrays for each message, {length} B, {heap}: {what}");
                let found = Agreement::Measured(Quantity::Time(time));
                rows.push(Row::new(STATEMENT, FIGURE, name, found));
            }
        }
    }
    Ok(rows)
}

fn run(profile: &Profile, length: u32, heap: &str) -> Result<Seen, PaperError> {
    let nothing = PaperError::NothingMeasured { figure: FIGURE };
    let host = |nic: &str, name: &str| {
        format!(
            "[[nic]]\nname = '{nic}'\n[[endpoint]]\nnic = '{nic}'\nname = '{name}'\napplet = 'builtin:RawUnet'\n{heap}"
        )
    };
    let text = format!(
        "until = '10s'\nmax_events = 100000000\n{}{}[[channel]]\nleft = 1\nright = 1\n\
         [[send]]\nendpoint = 'left'\nchannel = 1\nat = '1ms'\nevery = '2ms'\nrepeat = {MESSAGES}\n\
         payload = {{ zeros = {length} }}\n",
        host("a", "left"),
        host("b", "right"),
    );
    let mut scenario = scenario::parse_on(&text, profile).map_err(|_| nothing)?;
    for class in &mut scenario.classes {
        class.origin = "Fresh".to_owned();
        class.bytes = applets::FRESH.to_vec();
    }
    let mut seen = Seen::default();
    Run::new(&scenario).sink(&mut seen).execute()?;
    match seen.took.len() as u64 {
        MESSAGES => Ok(seen),
        _ => Err(nothing),
    }
}

/// When messages were posted at the left, and how long they took to the right.
#[derive(Debug, Default)]
struct Seen {
    posted: Option<SimTime>,
    took: Vec<SimDuration>,
    /// The longest collection.
    longest: SimDuration,
}

const LEFT: EndpointId = EndpointId(0);
const RIGHT: EndpointId = EndpointId(1);

impl Sink for Seen {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match (event.kind, event.endpoint) {
            (EventKind::Unet(UnetEvent::TxPost { .. }), Some(LEFT)) => {
                self.posted = Some(event.time);
            }
            (EventKind::Unet(UnetEvent::RxDescriptor { .. }), Some(RIGHT)) => {
                let took = self.posted.take().map(|posted| event.time.since(posted));
                self.took.extend(took);
            }
            (EventKind::Host(HostEvent::Collection { duration, .. }), _) => {
                self.longest = self.longest.max(duration);
            }
            _ => {}
        }
    }
}
