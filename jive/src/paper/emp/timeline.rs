//! One message under each placement, as a timeline of processors and wires.

use nic_core::time::SimTime;
use nic_runtime::profile::Profile;
use nic_runtime::spec::EmpStage;

use super::lab::{Busy, Rounds, SCHEMES, Scheme, Setup, Span};
use crate::paper::PaperError;
use crate::paper::report::{Drawing, Timeline, TimelineSpan, Track, microseconds};

/// Length of the message, which has four frames, so that it is acknowledged once.
const LENGTH: u32 = 4 * 1_486;

/// Kinds of frames on the wires.
const FRAMES: [&str; 3] = ["header", "data", "ack"];

/// Returns the drawing of each placement of the paper.
pub(super) fn plots(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    let placements = SCHEMES
        .into_iter()
        .filter(|&scheme| scheme != Scheme::Dynamic);
    placements
        .map(|scheme| timeline(profile, scheme).map(Drawing::Timeline))
        .collect()
}

fn timeline(profile: &Profile, scheme: Scheme) -> Result<Timeline, PaperError> {
    let setup = Setup {
        scheme,
        length: LENGTH,
        rounds: Rounds {
            before: 0,
            measured: 1,
        },
    };
    let spans = setup.spans(profile)?;
    let processor = |nic, processor| Busy::Processor { nic, processor };
    let tracks = [
        ("sender A", processor(0, 0)),
        ("sender B", processor(0, 1)),
        ("wire to", Busy::WireOf { nic: 0 }),
        ("wire back", Busy::WireOf { nic: 1 }),
        ("receiver A", processor(1, 0)),
        ("receiver B", processor(1, 1)),
    ];
    let tracks = tracks.map(|(name, busy)| Track {
        name: name.to_owned(),
        spans: spans
            .iter()
            .filter(|span| span.busy == busy)
            .map(shown)
            .collect(),
    });
    let name = match scheme {
        Scheme::Base | Scheme::Dynamic => "emp-timeline-base",
        Scheme::So => "emp-timeline-so",
        Scheme::Ro => "emp-timeline-ro",
        Scheme::Dsr => "emp-timeline-dsr",
        Scheme::Sr => "emp-timeline-sr",
    };
    Ok(Timeline {
        name,
        title: format!("{}: a message of four frames", scheme.name()),
        tracks: tracks.into(),
        labels: EmpStage::ALL
            .map(EmpStage::name)
            .into_iter()
            .chain(FRAMES)
            .collect(),
    })
}

fn shown(span: &Span) -> TimelineSpan {
    let at = |time: SimTime| microseconds(time.since(SimTime::ZERO));
    TimelineSpan {
        label: span.label,
        from: at(span.begun),
        to: at(span.begun + span.takes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_box_has_the_colour_of_its_label() {
        let profile = Profile::builtin("tigon2-2002").unwrap();
        for drawing in plots(&profile).unwrap() {
            let Drawing::Timeline(timeline) = drawing else {
                panic!("{} is no timeline", drawing.name());
            };
            let spans = timeline.tracks.iter().flat_map(|track| &track.spans);
            let unknown = spans.filter(|span| !timeline.labels.contains(&span.label));
            assert_eq!(unknown.count(), 0, "{}", timeline.name);
        }
    }
}
