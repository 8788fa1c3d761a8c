//! Where a method leaves: the statements that do, and what they lead to at the end of its function.

use std::fmt::Write as _;

use jive_core::Pc;
use jive_core::compiled::Target;

use super::{Body, DEPTH_MAX, Interpreted, Kind, Printer};
use crate::live::Registers;

/// How many sets of live registers a method stores at its exits. Where there are more, some exits store more registers
/// than need be.
const EXITS_MAX: usize = 24;

/// Why a method leaves at an op, with the register that decides which trap that is.
#[derive(Copy, Clone, Debug)]
pub(super) enum Why {
    /// The fuel may not suffice, when the method has executed so many instructions on the straight path.
    Fuel {
        executed: i64,
    },
    Depth,
    Element(u8),
    Division,
    Length(u8),
    Escape,
    Native,
}

/// A row of the table of stops of a class that is printed without an interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StopRow {
    pub(crate) method: usize,
    pub(crate) pc: Pc,
    pub(crate) executed: u16,
    pub(crate) cause: &'static str,
}

impl Printer<'_, '_> {
    /// Returns the statement that leaves at an op whose run has not begun.
    pub(super) fn exit(&mut self, op: usize, why: Why) -> String {
        match self.kind {
            Kind::Standalone { first_stop } => self.stop(op, why, first_stop),
            Kind::Whole | Kind::Behind => self.exit_with(op, self.live[op]),
        }
    }

    /// Returns the statement that stops at an op, in code without an interpreter.
    pub(super) fn stop(&mut self, op: usize, why: Why, first: usize) -> String {
        let (cause, value) = match why {
            Why::Fuel { .. } => ("Fuel", None),
            Why::Depth => ("Depth", None),
            Why::Element(array) => ("Element", Some(array)),
            Why::Division => ("Division", None),
            Why::Length(length) => ("Length", Some(length)),
            Why::Escape => ("Escape", None),
            Why::Native => ("Native", None),
        };
        // Fuel is missing for the next instruction. The last instruction of an op is the one that traps.
        let ends = self.method.ends[op];
        let (executed, instruction) = match why {
            Why::Fuel { executed } => {
                let executed = u16::try_from(executed).unwrap_or(ends);
                (executed, executed)
            }
            _ => (ends, ends.saturating_sub(1)),
        };
        let pc = self.method.places.get(usize::from(instruction));
        let row = StopRow {
            method: self.method.number,
            pc: pc.copied().unwrap_or(Pc(0)),
            executed,
            cause,
        };
        let known = self.stops.iter().position(|other| *other == row);
        let number = known.unwrap_or_else(|| {
            self.stops.push(row);
            self.stops.len() - 1
        });
        let value = value.map_or("0".to_owned(), |register| format!("r{register}"));
        format!("break 'x ({}, {value});", first + number)
    }

    /// Returns the statement that leaves at a call whose callee has left.
    pub(super) fn exit_behind(&mut self, op: usize, result: Option<u8>) -> String {
        if matches!(self.kind, Kind::Standalone { .. }) {
            return "return (-1, 0);".to_owned();
        }
        let mut set = self.live.get(op + 1).copied().unwrap_or_default();
        if let Some(result) = result {
            set.remove(result);
        }
        self.exit_with(op, set)
    }

    pub(super) fn exit_with(&mut self, op: usize, set: Registers) -> String {
        let at = self.method.entry as usize + op;
        let number = match self.exits.get(&set) {
            Some(number) => *number,
            None => {
                let set = if self.sets.len() < EXITS_MAX {
                    set
                } else {
                    self.all
                };
                let next = self.sets.len();
                let number = *self.exits.entry(set).or_insert(next);
                if number == next {
                    self.sets.push(set);
                }
                number
            }
        };
        format!("break 'x{number} {at};")
    }

    /// Returns why a method leaves after a branch. Its cost is the difference of two numbers: how many instructions a
    /// straight path has executed behind the branch, and before the target.
    pub(super) fn unpaid(&self, op: usize, target: Target) -> Why {
        Why::Fuel {
            executed: i64::from(self.method.ends[op]) - i64::from(target.cost),
        }
    }

    /// Puts the head of the function and its exits around the printed blocks.
    pub(super) fn finish(self) -> Result<String, Interpreted> {
        let exits = self.sets.len().max(1);
        if self.deepest + exits > DEPTH_MAX {
            return Err(Interpreted::TooDeep);
        }
        let Body { number, .. } = self.method;
        let signature = &self.signatures[*number];
        let arguments = signature.callee.arguments;
        let (name, run) = match self.kind {
            Kind::Whole => ('m', "Run"),
            Kind::Behind => ('e', "Run"),
            Kind::Standalone { .. } => ('m', "StandaloneRun"),
        };
        let mut out = format!("fn {name}{number}<N: k::Natives>(run: &mut c::{run}<'_, N>, ");
        if signature.needs_heap {
            out.push_str("heap: &mut [u8], ");
        }
        if signature.needs_fields {
            out.push_str("fields: &mut [i32; FIELDS], ");
        }
        out.push_str("fuel: isize, place: usize");
        if self.kind == Kind::Behind {
            out.push_str(", mut at: u32");
        } else {
            for argument in 0..arguments {
                let _ = write!(out, ", mut r{argument}: i32");
            }
        }
        out.push_str(") -> c::Outcome {\n");
        let prepaid = self.prepaid;
        let _ = writeln!(out, "    let mut budget = fuel.wrapping_sub({prepaid});");
        if self.kind == Kind::Behind {
            // The interpreter goes on from here if the fuel does not pay for the rest.
            out.push_str("    if budget < 0 { return (-1, 0); }\n");
            let loaded = self.loaded();
            for register in self.all.iter() {
                let value = if loaded.contains(register) {
                    format!("run.register(place, {register})")
                } else {
                    "0".to_owned()
                };
                let _ = writeln!(out, "    let mut r{register}: i32 = {value};");
            }
        } else {
            for register in self.all.iter().filter(|register| *register >= arguments) {
                let _ = writeln!(out, "    let mut r{register}: i32 = 0;");
            }
        }
        if matches!(self.kind, Kind::Standalone { .. }) {
            out.push_str("    let (stop, value): (u16, i32) = 'x: {\n");
            out.push_str(&self.out);
            let _ = writeln!(
                out,
                "    }};\n    run.stop(stop, value, budget.wrapping_add({prepaid}))\n}}"
            );
            return Ok(out);
        }
        for exit in (0..self.sets.len()).rev() {
            let _ = writeln!(out, "    let op: u32 = 'x{exit}: {{");
        }
        out.push_str(&self.out);
        for set in &self.sets {
            let registers: Vec<String> = set
                .iter()
                .map(|register| format!("({register}, r{register})"))
                .collect();
            let _ = writeln!(
                out,
                "    }};\n    return run.leave(place, {number}, op, budget.wrapping_add({prepaid}), &[{}]);",
                registers.join(", ")
            );
        }
        out.push_str("}\n");
        Ok(out)
    }

    /// Returns the registers that are read behind some call.
    pub(super) fn loaded(&self) -> Registers {
        let mut loaded = Registers::default();
        for block in (0..self.graph.blocks.len()).filter(|block| self.graph.is_entry(*block)) {
            loaded.add(&self.live[self.graph.blocks[block].first]);
        }
        loaded
    }
}
