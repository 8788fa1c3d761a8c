//! "VIA over the CLAN network" (2001): half round trips, bandwidths and a server with a completion queue.

use nic_core::time::SimDuration;
use nic_runtime::profile::{Events, Profile};

use super::lab::{FlowControl, REQUEST, Served, Service, Setup, beside_stream, time_per_request};
use super::measured::{Both, Measured};
use super::programs::{self, OwnProtocol};
use super::{Rounds, Studied, emulated, rate};
use crate::paper::report::{Agreement, Quantity, Report, Row, Tolerance};
use crate::paper::{PaperError, Progress, held};

pub(super) const LATENCY: &str = "half round trips";
pub(super) const BANDWIDTH: &str = "Figure 6: bandwidth";
pub(super) const QUEUE: &str = "Figure 7: completion queue";
const STREAM: &str = "beside a stream by DMA";
pub(super) const OWN: &str = "a server without VIA";
const MAPPINGS: &str = "mappings of a server";

/// Length of a message that shows the limit of the processor's writes, because the fixed costs of a message hardly
/// count.
const LARGE: u32 = 32 * 1024;

/// The NIC that the paper compares with: a later NIC of the family that `giganet-1999` describes.
pub(super) const EMULEX: &str = "giganet-1999";

/// Numbers of outstanding requests.
pub(super) const OUTSTANDING: [u32; 5] = [1, 4, 16, 64, 256];

/// Numbers of clients of a server without VIA, each with one outstanding request.
pub(super) const CLIENTS: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// Requests that a server with a protocol of its own answers in a second (§4.3).
pub(super) const TAILORED: u32 = 400_000;

/// Reproduces the paper under a profile.
pub(in crate::paper) fn reproduce(
    profile: &Profile,
    progress: &mut dyn Progress,
) -> Result<Report, PaperError> {
    if let Some(section) = profile.lacks(&["via", "clan"]) {
        return Err(PaperError::Lacks {
            section,
            paper: "VIA over CLAN",
        });
    }
    let mut report = STUDIED.reproduce(profile, progress)?;
    emulated::add(&mut report)?;
    Ok(report)
}

pub(super) const STUDIED: Studied = Studied {
    name: "clan",
    compared: Some(EMULEX),
    rows,
    orders,
    figures: super::figures::clan,
};

/// Returns all rows under two profiles, without the analysis of the values on which they depend.
fn rows(both: Both<'_>) -> Result<Vec<Row>, PaperError> {
    let Both { own, .. } = both;
    let mut rows = own.rows(LATENCY, |profile, _| latencies(profile))?;
    rows.extend(own.rows(STREAM, beside)?);
    rows.extend(bandwidths(own)?);
    rows.extend(bandwidth_orders(both)?);
    rows.extend(servers(both)?);
    rows.extend(server_orders(both)?);
    rows.extend(own_servers(own)?);
    rows.extend(own_server_orders(own)?);
    rows.extend(own.rows(QUEUE, |profile, rounds| Ok(vec![queue(profile, rounds)?]))?);
    rows.extend(own.rows(MAPPINGS, mappings)?);
    Ok(rows)
}

/// Returns whether each order among the rows holds under two profiles, in the order of the rows.
fn orders(both: Both<'_>) -> Result<Vec<bool>, PaperError> {
    let mut rows = both.own.rows(STREAM, beside)?;
    rows.extend(bandwidth_orders(both)?);
    rows.extend(server_orders(both)?);
    rows.extend(own_server_orders(both.own)?);
    Ok(held(&rows))
}

/// Returns what moves the messages, in the words of the rows.
fn by(transfer: &str) -> &'static str {
    match transfer {
        "pio" => "by the processor",
        "dma" => "by DMA",
        _ => "by either",
    }
}

fn order(statement: &str, figure: &'static str, name: &str, holds: bool) -> Row {
    let found = Agreement::Order { holds };
    Row::new(statement, figure, name.to_owned(), found)
}

fn latencies(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    let setup = |transfer, length| Setup {
        figure: LATENCY,
        transfer,
        length,
        flow: FlowControl::Deferred,
    };
    let time = |ns, simulated| {
        let tolerance = Tolerance::PerMille(50);
        Agreement::time(SimDuration::from_ns(ns), simulated, tolerance)
    };
    let row = |statement, name: &str, found| Row::new(statement, LATENCY, name.to_owned(), found);
    let flight = setup("pio", 0).flight(profile)?;
    let mut rows = vec![row(
        "S5-10",
        "writes of a message without bytes, from host to host",
        time(2_600, flight),
    )];
    rows.push(row(
        "S5-10",
        "two programs without VIA, an entry of a ring and its pointer",
        time(2_600, programs::half_trip(LATENCY, profile)?),
    ));
    for (statement, transfer, length, ns) in [
        ("S5-25b", "pio", 0, 3_400),
        ("S5-25b", "pio", 4, 4_600),
        ("S5-25b", "pio", 40, 4_700),
        ("S5-25b", "dma", 0, 4_400),
        ("S5-25a", "dma", 4, 6_400),
        ("S5-25a", "dma", 40, 6_800),
    ] {
        let found = time(ns, setup(transfer, length).half_trip(profile)?);
        rows.push(row(
            statement,
            &format!("{length} B {}", by(transfer)),
            found,
        ));
    }
    Ok(rows)
}

/// Length of the messages of a stream, each of which is one packet. A NIC sends packets whole, so a longer one would
/// delay the processor's writes on the wire.
const STREAMED: u32 = 1_024;

/// Returns the rows of the longest half round trips of short messages beside a stream: by the processor, and by DMA.
fn beside(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let of = |transfer| beside_stream(STREAM, profile, (transfer, STREAMED, rounds.beside));
    let times = [of("pio")?, of("dma")?];
    let names = ["40 B by the processor, longest", "40 B by DMA, longest"];
    let measured = names.iter().zip(times).map(|(name, time)| {
        let found = Agreement::Measured(Quantity::Time(time));
        Row::new("S5-20", STREAM, (*name).to_owned(), found)
    });
    let mut rows: Vec<Row> = measured.collect();
    let [by_processor, by_dma] = times;
    let name = "processor < DMA: 40 B beside a stream";
    let holds = by_processor.as_ps() * 2 < by_dma.as_ps();
    rows.push(order("S5-20", STREAM, name, holds));
    Ok(rows)
}

/// Returns the rate of a stream with credits, as the paper measures it.
pub(super) fn bandwidth(
    profile: &Profile,
    (transfer, length): (&'static str, u32),
    rounds: Rounds,
) -> Result<u64, PaperError> {
    let setup = Setup {
        figure: BANDWIDTH,
        transfer,
        length,
        flow: FlowControl::Credits,
    };
    setup.rate(profile, rounds.streamed)
}

fn bandwidths(own: &Measured) -> Result<Vec<Row>, PaperError> {
    let of = |transfer, length| own.bandwidth(transfer, length);
    let row = |statement, name: &str, found| Row::new(statement, BANDWIDTH, name.to_owned(), found);
    let mut rows = vec![
        row(
            "S5-26b",
            "limit of the processor's writes, 32 KiB",
            rate(370, of("pio", LARGE)?, Tolerance::PerMille(30)),
        ),
        row(
            "S5-10a",
            "DMA, 32 KiB",
            rate(960, of("dma", LARGE)?, Tolerance::PerMille(80)),
        ),
    ];
    for length in [96, 128] {
        for transfer in ["dma", "auto", "pio"] {
            let found = Agreement::Measured(Quantity::Rate(of(transfer, length)?));
            let name = format!("{length} B {}", by(transfer));
            rows.push(Row::new("S5-26b", BANDWIDTH, name, found));
        }
    }
    let deferred = Setup {
        figure: BANDWIDTH,
        transfer: "pio",
        length: 96,
        flow: FlowControl::Deferred,
    };
    let deferred = deferred.rate(&own.profile, own.rounds.streamed)?;
    rows.push(row(
        "S5-22",
        "96 B by the processor, deferred instead of credits",
        Agreement::Measured(Quantity::Rate(deferred)),
    ));
    Ok(rows)
}

/// Returns the rows of the orders of Figure 6's curves.
fn bandwidth_orders(Both { own, compared }: Both<'_>) -> Result<Vec<Row>, PaperError> {
    let of = |transfer, length| own.bandwidth(transfer, length);
    let emulex = |length| compared.bandwidth("auto", length);
    let row = |statement, name, holds| order(statement, BANDWIDTH, name, holds);
    Ok(vec![
        row(
            "S5-26b",
            "by DMA: 128 B < 96 B",
            of("dma", 128)? < of("dma", 96)?,
        ),
        row(
            "S5-26b",
            "by either: 128 B < 96 B",
            of("auto", 128)? < of("auto", 96)?,
        ),
        row(
            "S5-26a",
            "processor > giganet-1999, DMA: 16 B",
            of("pio", 16)? > emulex(16)?.max(of("dma", 16)?),
        ),
        row(
            "S5-26a",
            "giganet-1999 > DMA: 256 B",
            emulex(256)? > of("dma", 256)?,
        ),
        row(
            "S5-26a",
            "DMA > giganet-1999: 16 KiB",
            of("dma", 16_384)? > emulex(16_384)?,
        ),
    ])
}

/// Returns the answers of a server in a second.
pub(super) fn answers(
    profile: &Profile,
    (transfer, outstanding): (&'static str, u32),
    rounds: Rounds,
) -> Result<Served, PaperError> {
    let service = Service {
        figure: QUEUE,
        transfer,
        outstanding,
        rounds: rounds.served,
    };
    service.serve(profile)
}

fn servers(Both { own, compared }: Both<'_>) -> Result<Vec<Row>, PaperError> {
    let mut rows = Vec::new();
    for outstanding in OUTSTANDING {
        for (rate, name) in [
            (own.answers("pio", outstanding)?.rate, "by the processor"),
            (own.answers("dma", outstanding)?.rate, "by DMA"),
            (compared.answers("auto", outstanding)?.rate, EMULEX),
        ] {
            let name = format!("{outstanding} outstanding, {name}");
            let found = Agreement::Measured(Quantity::Answers(rate));
            rows.push(Row::new("S5-28", QUEUE, name, found));
        }
    }
    Ok(rows)
}

/// Returns the profile with events that reach the user without an interrupt, as a later NIC was to have them.
pub(super) fn at_user_level(profile: &Profile) -> Profile {
    let mut profile = profile.clone();
    if let Some(clan) = &mut profile.clan {
        clan.events = Events::User;
    }
    profile
}

/// Returns the rows of the orders of Figure 7's curves.
fn server_orders(Both { own, compared }: Both<'_>) -> Result<Vec<Row>, PaperError> {
    let rounds = own.rounds;
    let of = |transfer, outstanding| own.answers(transfer, outstanding);
    let busy = [of("pio", rounds.busy)?, of("pio", rounds.most)?];
    let dma = [of("dma", rounds.busy)?, of("dma", rounds.most)?];
    let emulex = compared.answers("auto", rounds.busy)?.rate;
    let user = own.at_user_level(rounds.busy)?.rate;
    let is_even = [busy, dma].iter().all(|[few, many]| {
        let has_fewer = many.rate * 1_000 < few.rate * (1_000 - rounds.even);
        !has_fewer && few.is_whole && many.is_whole
    });
    let (by_processor, by_dma) = (busy[0].rate, dma[0].rate);
    let row = |statement, name, holds| order(statement, QUEUE, name, holds);
    let name = "64 outstanding, by the processor, events at user level".to_owned();
    let found = Agreement::Measured(Quantity::Answers(user));
    Ok(vec![
        Row::new("S5-28b", QUEUE, name, found),
        row(
            "S5-28",
            "nothing lost, no fewer answers: 256 outstanding, not 64",
            is_even,
        ),
        row(
            "S5-28a",
            "giganet-1999 > processor: 64 outstanding",
            emulex > by_processor,
        ),
        row(
            "S5-28a",
            "processor > DMA: 64 outstanding",
            by_processor > by_dma,
        ),
        row(
            "S5-28b",
            "events at user level >= giganet-1999: 64 outstanding",
            user >= emulex,
        ),
        row(
            "S5-28c",
            "a protocol of its own, 400,000 /s > processor",
            u64::from(TAILORED) > by_processor,
        ),
        row("S5-28c", USER_BELOW_TAILORED, u64::from(TAILORED) > user),
    ])
}

/// The row of the bound on a server whose NIC delivers events without interrupts.
pub(in crate::paper) const USER_BELOW_TAILORED: &str =
    "a protocol of its own, 400,000 /s > events at user level";

/// Returns the answers of a server without VIA in a second.
pub(super) fn own_answers(
    profile: &Profile,
    clients: u32,
    rounds: Rounds,
) -> Result<Served, PaperError> {
    let server = OwnProtocol {
        figure: OWN,
        clients,
        rounds: rounds.served,
        length: REQUEST,
    };
    server.serve(profile)
}

fn own_servers(own: &Measured) -> Result<Vec<Row>, PaperError> {
    let row = |clients: u32| {
        let simulated = Quantity::Answers(own.own_server(clients)?.rate);
        // The paper gives the answers of a busy server alone.
        let (name, answers) = match clients {
            256 => (
                OWN_BUSY.to_owned(),
                Agreement::Stated {
                    paper: Quantity::Answers(TAILORED.into()),
                    simulated,
                    tolerance: Tolerance::PerMille(100),
                },
            ),
            1 => ("1 client".to_owned(), Agreement::Measured(simulated)),
            _ => (format!("{clients} clients"), Agreement::Measured(simulated)),
        };
        Ok(Row::new("S5-28c", OWN, name, answers))
    };
    CLIENTS.into_iter().map(row).collect()
}

/// The row of a busy server without VIA.
pub(in crate::paper) const OWN_BUSY: &str = "256 clients";

/// Returns the rows of the orders of servers with and without VIA.
fn own_server_orders(own: &Measured) -> Result<Vec<Row>, PaperError> {
    let rounds = own.rounds;
    let few = own.own_server(rounds.busy)?;
    let many = own.own_server(rounds.most)?;
    let is_even = many.rate * 1_000 >= few.rate * (1_000 - rounds.even);
    let via = own.answers("pio", rounds.busy)?.rate;
    let user = own.at_user_level(rounds.busy)?.rate;
    let row = |name, holds| order("S5-28c", OWN, name, holds);
    Ok(vec![
        row(
            "nothing lost, no fewer answers: 256 clients, not 64",
            is_even && few.is_whole && many.is_whole,
        ),
        row(
            "without VIA > VIA with interrupts: 64 clients",
            few.rate > via,
        ),
        row(
            "without VIA > VIA with events at user level: 64 clients",
            few.rate > user,
        ),
    ])
}

/// Returns by how much a request takes longer with 512 VIs than with 64.
fn queue(profile: &Profile, rounds: Rounds) -> Result<Row, PaperError> {
    let of = |vis| time_per_request(QUEUE, profile, (vis, rounds.requests));
    let [few, many] = rounds.vis;
    let (few, many) = (of(few)?.as_ps(), of(many)?.as_ps());
    let more = (i128::from(many) - i128::from(few)) * 10_000 / i128::from(few.max(1));
    let found = Agreement::Stated {
        paper: Quantity::Share(0),
        simulated: Quantity::Share(i64::try_from(more).unwrap_or(i64::MAX)),
        tolerance: Tolerance::Points(50),
    };
    let name = "a request with 512 VIs: longer than with 64".to_owned();
    Ok(Row::new("S5-28", QUEUE, name, found).derived())
}

/// Returns what the size of the cache of mappings costs a server that writes to as many regions in turn as it has VIs.
fn mappings(profile: &Profile, rounds: Rounds) -> Result<Vec<Row>, PaperError> {
    let mut rows = Vec::new();
    let vis = rounds.busy;
    for (size, name) in [
        (vis / 4, "a quarter as many as VIs"),
        (vis - 1, "one less than VIs"),
        (vis, "as many as VIs"),
        (2 * vis, "twice as many as VIs"),
    ] {
        let mut changed = profile.clone();
        if let (Some(clan), Ok(size)) = (&mut changed.clan, size.try_into()) {
            clan.mappings = size;
        }
        let rate = answers(&changed, ("pio", vis), rounds)?.rate;
        let name = format!("{name} (64), by the processor");
        let found = Agreement::Measured(Quantity::Answers(rate));
        rows.push(Row::new("S5-20", MAPPINGS, name, found));
    }
    Ok(rows)
}
