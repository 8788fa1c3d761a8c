//! The trace: writes each event in the simulator's format, and hashes all lines.

use core::fmt::{self, Write};

use heapless::Vec;
use nic_core::event::fields::PayloadMode;
use nic_core::event::line::Line;
use nic_core::event::{EventOf, Family};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;
use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::machine::Machine;
use crate::names::NameTable;

/// How many bytes of the trace one call writes. Chosen: a larger piece means fewer semihosting calls, each of which
/// stops the device.
const PIECE_BYTES: usize = 512;

/// The trace of a run.
pub(crate) struct Trace<'m, M: Machine> {
    machine: &'m mut M,
    names: NameTable,
    hash: Sha256,
    piece: Vec<u8, PIECE_BYTES>,
    lines: u32,
}

impl<'m, M: Machine> Trace<'m, M> {
    /// Starts a trace.
    pub(crate) fn new(machine: &'m mut M, names: NameTable) -> Trace<'m, M> {
        Trace {
            machine,
            names,
            hash: Sha256::new(),
            piece: Vec::new(),
            lines: 0,
        }
    }

    /// Writes the line for an event of the only endpoint.
    pub(crate) fn event(&mut self, time: SimTime, kind: impl Family) -> Result<(), Failure> {
        let event = EventOf {
            time,
            nic: NicId(0),
            endpoint: Some(EndpointId(0)),
            kind,
        };
        let mut pieces = Pieces {
            machine: &mut *self.machine,
            hash: &mut self.hash,
            piece: &mut self.piece,
        };
        let line = Line::new(&self.names, &event, PayloadMode::Shown);
        writeln!(pieces, "{line}")?;
        self.lines += 1;
        pieces.flush()
    }

    /// Returns the machine.
    pub(crate) fn machine(&mut self) -> &mut M {
        self.machine
    }

    /// Shows other names from now on, and returns those before.
    pub(crate) fn rename(&mut self, names: NameTable) -> NameTable {
        core::mem::replace(&mut self.names, names)
    }

    /// Returns the number of lines so far, and the hash of all lines. The next trace begins anew.
    pub(crate) fn totals(&mut self) -> (u32, [u8; 32]) {
        (
            core::mem::take(&mut self.lines),
            self.hash.finalize_reset().into(),
        )
    }
}

/// Hashes text of the trace and writes the text in pieces.
struct Pieces<'t, M: Machine> {
    machine: &'t mut M,
    hash: &'t mut Sha256,
    piece: &'t mut Vec<u8, PIECE_BYTES>,
}

impl<M: Machine> Pieces<'_, M> {
    fn flush(&mut self) -> Result<(), Failure> {
        self.hash.update(&self.piece[..]);
        self.machine.write_trace(self.piece)?;
        self.piece.clear();
        Ok(())
    }
}

impl<M: Machine> Write for Pieces<'_, M> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.as_bytes().chunks(PIECE_BYTES) {
            if part.len() > PIECE_BYTES - self.piece.len() {
                self.flush().map_err(|_| fmt::Error)?;
            }
            self.piece.extend_from_slice(part).map_err(|_| fmt::Error)?;
        }
        Ok(())
    }
}
