//! Tables 1 and 2: the times of the stages, and the processor that runs each of them.

use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;
use nic_runtime::spec::EmpStage;

use super::lab::{Busy, Rounds, Scheme, Setup, Span};
use crate::paper::PaperError;
use crate::paper::report::{Agreement, Row, Tolerance};

/// A step of the tables, and the stages that it consists of.
#[derive(Copy, Clone, Debug)]
struct Step {
    name: &'static str,
    stages: &'static [EmpStage],
}

const BOOKKEEPING: Step = Step {
    name: "send bookkeeping",
    stages: &[EmpStage::SendBookkeeping],
};
const TRANSMISSION: Step = Step {
    name: "transmission",
    stages: &[EmpStage::Transmission],
};
const RECEIVE_ACK: Step = Step {
    name: "receive acknowledgement",
    stages: &[EmpStage::ReceiveAck, EmpStage::UpdateRecord],
};
const CLASSIFY: Step = Step {
    name: "receive bookkeeping",
    stages: &[EmpStage::ReceiveBookkeeping],
};
const FRAME: Step = Step {
    name: "receive frame",
    stages: &[EmpStage::ReceiveFrame],
};
/// The bookkeeping of a receive, which Table 1 shows as one step in place of `CLASSIFY` and `FRAME`.
const RECEIVE_BOOKKEEPING: Step = Step {
    name: "receive bookkeeping",
    stages: &[EmpStage::ReceiveBookkeeping, EmpStage::ReceiveFrame],
};
const DMA: Step = Step {
    name: "receive DMA",
    stages: &[EmpStage::ReceiveDma],
};
const RECEIVING: Step = Step {
    name: "receiving",
    ..DMA
};
const SEND_ACK: Step = Step {
    name: "send acknowledgement",
    stages: &[EmpStage::SendAck],
};

/// The NIC on which a step runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Side {
    Sending,
    Receiving,
}

/// A step with its time in nanoseconds.
type Timed = (Step, u64);

/// Table 1: the steps with one processor.
const TABLE_1: [(Side, Timed); 6] = [
    (Side::Sending, (BOOKKEEPING, 5_250)),
    (Side::Sending, (TRANSMISSION, 5_500)),
    (Side::Sending, (RECEIVE_ACK, 5_750)),
    (Side::Receiving, (RECEIVE_BOOKKEEPING, 10_500)),
    (Side::Receiving, (RECEIVING, 2_750)),
    (Side::Receiving, (SEND_ACK, 2_500)),
];

/// One scheme of Table 2: the steps of processor A and of processor B on one side.
struct Column {
    scheme: Scheme,
    side: Side,
    a: &'static [Timed],
    b: &'static [Timed],
}

/// Table 2.
const TABLE_2: [Column; 8] = [
    Column {
        scheme: Scheme::So,
        side: Side::Sending,
        a: &[(BOOKKEEPING, 5_250), (RECEIVE_ACK, 5_750)],
        b: &[(TRANSMISSION, 5_500)],
    },
    Column {
        scheme: Scheme::Ro,
        side: Side::Sending,
        a: &[
            (BOOKKEEPING, 5_250),
            (TRANSMISSION, 5_500),
            (RECEIVE_ACK, 5_750),
        ],
        b: &[],
    },
    Column {
        scheme: Scheme::Dsr,
        side: Side::Sending,
        a: &[
            (BOOKKEEPING, 5_250),
            (TRANSMISSION, 5_500),
            (RECEIVE_ACK, 2_500),
        ],
        b: &[(RECEIVE_ACK, 3_250)],
    },
    Column {
        scheme: Scheme::Sr,
        side: Side::Sending,
        a: &[(BOOKKEEPING, 5_250), (RECEIVE_ACK, 5_750)],
        b: &[(TRANSMISSION, 5_500)],
    },
    Column {
        scheme: Scheme::So,
        side: Side::Receiving,
        a: &[(CLASSIFY, 6_250), (FRAME, 4_250), (DMA, 2_750)],
        b: &[(SEND_ACK, 2_500)],
    },
    Column {
        scheme: Scheme::Ro,
        side: Side::Receiving,
        a: &[(CLASSIFY, 6_250), (SEND_ACK, 2_500)],
        b: &[(FRAME, 4_250), (DMA, 2_750)],
    },
    Column {
        scheme: Scheme::Dsr,
        side: Side::Receiving,
        a: &[(SEND_ACK, 2_500)],
        b: &[(CLASSIFY, 6_250), (FRAME, 4_250), (DMA, 2_750)],
    },
    Column {
        scheme: Scheme::Sr,
        side: Side::Receiving,
        a: &[(CLASSIFY, 6_250)],
        b: &[(FRAME, 4_250), (SEND_ACK, 2_500), (DMA, 2_750)],
    },
];

/// Returns the rows of both tables.
pub(super) fn rows(profile: &Profile) -> Result<Vec<Row>, PaperError> {
    // The tables give the time of each stage alone, so the profile must not let stages slow each other.
    let profile = profile.without_contention();
    let of = |scheme| {
        let length = profile.emp.map_or(0, |emp| emp.payload.get());
        let rounds = Rounds {
            before: 0,
            measured: 1,
        };
        let setup = Setup {
            scheme,
            length,
            rounds,
        };
        setup.spans(&profile)
    };
    let mut rows = Vec::new();
    let base = of(Scheme::Base)?;
    for (side, step) in TABLE_1 {
        rows.push(row(
            "S3-10",
            "Table 1",
            step.0.name.to_owned(),
            (side, 0, step),
            &base,
        ));
    }
    for column in &TABLE_2 {
        let work = of(column.scheme)?;
        let (statement, side) = match column.side {
            Side::Sending => ("S3-11", "sending"),
            Side::Receiving => ("S3-12", "receiving"),
        };
        for (processor, steps) in [(0, column.a), (1, column.b)] {
            for &step in steps {
                let letter = ["A", "B"][processor as usize];
                let name = format!("{} {side}, {letter}: {}", column.scheme.name(), step.0.name);
                let place = (column.side, processor, step);
                rows.push(row(statement, "Table 2", name, place, &work));
            }
        }
    }
    Ok(rows)
}

/// Returns the row of a step: the time of its stages on this processor in a run with one message.
fn row(
    statement: &str,
    figure: &'static str,
    name: String,
    (side, processor, (step, ns)): (Side, u32, Timed),
    work: &[Span],
) -> Row {
    let nic = match side {
        Side::Sending => 0,
        Side::Receiving => 1,
    };
    let own = work.iter().filter(|work| {
        let is_stage = step.stages.iter().any(|stage| stage.name() == work.label);
        is_stage && work.busy == Busy::Processor { nic, processor }
    });
    let takes = own.fold(SimDuration::ZERO, |sum, work| sum + work.takes);
    let found = Agreement::time(SimDuration::from_ns(ns), takes, Tolerance::Exact);
    Row::new(statement, figure, name, found)
}
