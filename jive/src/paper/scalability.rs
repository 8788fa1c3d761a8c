//! Scalability, which the paper leaves for later: throughput and latency against the number of endpoints on a NIC, with
//! and without applets.

use nic_core::time::{SimDuration, SimTime};
use nic_runtime::profile::Profile;

use super::PaperError;
use super::lab::{Happening, START, Setup};
use super::report::{
    Agreement, Axis, Curve, Drawing, Plot, Quantity, Row, Tolerance, microseconds,
};

const FIGURE: &str = "scalability";
const NOTHING: PaperError = PaperError::NothingMeasured { figure: FIGURE };

/// Numbers of endpoints on a NIC that are measured.
const ENDPOINTS: [u32; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// Messages of each endpoint, all due at the start.
const MESSAGES: u32 = 4;

/// Length of each message in bytes: the shorter length of Figure 5.
const LENGTH: u32 = 40;

const APPLET: &str = "RawUnet";

/// The results for a number of endpoints that all send.
#[derive(Copy, Clone, Debug)]
struct Load {
    messages_per_second: f64,
    /// Mean time from when a message is due to when its receive descriptor becomes visible.
    latency: SimDuration,
}

/// A compared configuration: its name, the applet at each endpoint, and the time to poll an endpoint.
struct Configuration {
    name: &'static str,
    applet: Option<&'static str>,
    poll: Option<SimDuration>,
}

const CURVES: [Configuration; 3] = [
    Configuration {
        name: "RawUnet at each",
        applet: Some(APPLET),
        poll: None,
    },
    Configuration {
        name: "base U-Net",
        applet: None,
        poll: None,
    },
    // The paper's NIC polls every endpoint, but the paper does not give the time of a poll.
    Configuration {
        name: "base U-Net, polls of 100 ns",
        applet: None,
        poll: Some(POLL),
    },
];

/// The time of a poll: about four cycles of a LanAI, which load and test a flag.
const POLL: SimDuration = SimDuration::from_ns(100);

impl Configuration {
    fn load(&self, profile: &Profile, pairs: u32) -> Result<Load, PaperError> {
        let Some(poll) = self.poll else {
            return load(profile, self.applet, pairs);
        };
        let mut changed = profile.clone();
        if let Some(base) = &mut changed.base {
            base.poll = poll;
        }
        load(&changed, self.applet, pairs)
    }
}

/// Returns the rows of this section.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let endpoints = ENDPOINTS[ENDPOINTS.len() - 1];
    let neighbours = endpoints - 1;
    let alone = latency_of_one(profile, 0)?;
    let beside = latency_of_one(profile, neighbours)?;
    let added = SimDuration::from_ps(beside.as_ps().abs_diff(alone.as_ps()));
    let added = Agreement::time(SimDuration::ZERO, added, Tolerance::Exact);
    let name = format!("base U-Net, {LENGTH} B: added by {neighbours} idle applets");
    let mut rows = vec![Row::new("S1-19", FIGURE, name, added)];
    for curve in &CURVES {
        let name = format!("{endpoints} endpoints, {}: mean latency", curve.name);
        let found = Agreement::Measured(Quantity::Time(curve.load(profile, endpoints)?.latency));
        let statement = if curve.poll.is_some() {
            "S1-14"
        } else {
            "S1-35"
        };
        rows.push(Row::new(statement, FIGURE, name, found));
    }
    Ok(rows)
}

/// Returns the figures of this section.
pub(super) fn plots(profile: &Profile) -> Result<Vec<Drawing>, PaperError> {
    let mut curves = Vec::new();
    for curve in &CURVES {
        let loads: Result<Vec<Load>, PaperError> = ENDPOINTS
            .into_iter()
            .map(|pairs| curve.load(profile, pairs))
            .collect();
        curves.push((curve.name, loads?));
    }
    let throughput = plot(
        (
            "scalability-throughput",
            "Throughput against endpoints on one NIC",
        ),
        Axis {
            label: "messages per second",
            logarithmic: false,
        },
        &curves,
        |load| load.messages_per_second,
    );
    let latency = plot(
        (
            "scalability-latency",
            "Latency against endpoints on one NIC, all sending at once",
        ),
        Axis {
            label: "mean latency (us)",
            logarithmic: true,
        },
        &curves,
        |load| microseconds(load.latency),
    );
    Ok(vec![throughput, latency])
}

fn setup(applet: Option<&str>, pairs: u32) -> Setup<'_> {
    Setup {
        applet,
        pairs,
        length: LENGTH,
        buffers: (1, 4096),
        room: 4096,
        ..Setup::ONE
    }
}

/// Returns the latency of one message between endpoints without an applet, beside idle pairs with an applet.
fn latency_of_one(profile: &Profile, neighbours: u32) -> Result<SimDuration, PaperError> {
    let idle = (neighbours, APPLET);
    let setup = Setup {
        idle,
        ..setup(None, 1)
    };
    let recording = setup.run(profile)?;
    let described = recording
        .first(Setup::receiver(0), is_described)
        .ok_or(NOTHING)?;
    Ok(described.since(START))
}

fn load(profile: &Profile, applet: Option<&str>, pairs: u32) -> Result<Load, PaperError> {
    let setup = Setup {
        messages: MESSAGES,
        ..setup(applet, pairs)
    };
    let recording = setup.run(profile)?;
    let (mut messages, mut sum, mut last) = (0u64, 0u128, SimTime::ZERO);
    for (time, happening) in recording.everywhere() {
        if is_described(happening) {
            messages += 1;
            sum += u128::from(time.since(START).as_ps());
            last = last.max(time);
        }
    }
    if messages != u64::from(pairs) * u64::from(MESSAGES) {
        return Err(NOTHING);
    }
    let mean = u64::try_from(sum / u128::from(messages)).unwrap_or(u64::MAX);
    // The numbers of messages and of nanoseconds are far below 2^52, so the conversions are exact.
    let messages_per_second = messages as f64 * 1e9 / last.since(START).as_ns() as f64;
    Ok(Load {
        messages_per_second,
        latency: SimDuration::from_ps(mean),
    })
}

fn is_described(happening: Happening) -> bool {
    matches!(happening, Happening::Described)
}

fn plot(
    (name, title): (&'static str, &str),
    y: Axis,
    curves: &[(&'static str, Vec<Load>)],
    value: fn(&Load) -> f64,
) -> Drawing {
    let curves = curves.iter().map(|(name, loads)| Curve {
        name,
        points: ENDPOINTS
            .iter()
            .zip(loads)
            .map(|(&endpoints, load)| (f64::from(endpoints), value(load)))
            .collect(),
    });
    Drawing::Curves(Plot {
        name,
        title: title.to_owned(),
        x: Axis {
            label: "endpoints on one NIC",
            logarithmic: true,
        },
        y,
        curves: curves.collect(),
        marks: Vec::new(),
    })
}
