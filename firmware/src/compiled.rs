//! The program with a compiled applet: the build script has printed its class as Rust, and no class is loaded.

use jive_core::compiled::call_standalone;
use jive_core::{CallStack, Instance, MethodId, Pc};
use nic_core::sle::{Applet, AppletError, Members};

use crate::ThisMachine;
use crate::failure::Failure;
use crate::load::room;
use crate::machine::Machine;
use crate::memory::{CompiledMemory, PACKET_BYTES_MAX, area_and_arrivals};
use crate::names::NameTable;
use crate::nic::{Call, Class, FUEL, Nic, NicState, Outcome, Performing};
use crate::report::{write_footprint, write_totals};
use crate::run::exchange;
use crate::trace::Trace;
use crate::traffic::Traffic;

include!(concat!(env!("OUT_DIR"), "/applet.rs"));

use applet::{Code, METHOD_NAMES, NAME, PROGRAM};

/// What the program knows of its class: all that was printed.
struct Printed;

impl Class for Printed {
    fn call<M: Machine>(
        instance: &mut Instance<'_>,
        stack: &mut CallStack<'_>,
        call: Call,
        args: &[i32],
        natives: &mut Performing<'_, '_, M>,
    ) -> Outcome {
        let lifetime = call.lifetime();
        call_standalone::<Code, _>(instance, stack, call.method, args, FUEL, lifetime, natives)
    }

    fn line(&self, method: MethodId, pc: Pc) -> Option<u16> {
        applet::line(method, pc)
    }
}

/// Runs the program with its arguments, which name no class. `run` must be called only once, because all memory is lent
/// once.
///
/// # Errors
///
/// Fails if the arguments are wrong, if the applet traps while it is loaded, or if the machine fails.
pub fn run(
    machine: &mut ThisMachine,
    arguments: &mut dyn Iterator<Item = &str>,
) -> Result<(), Failure> {
    let seed = arguments.next().ok_or(Failure::Usage {
        max: PACKET_BYTES_MAX,
    })?;
    let traffic = Traffic::parse(seed, arguments)?;
    let CompiledMemory { fields, heap } = CompiledMemory::lend();
    let (area, arrivals) = area_and_arrivals();
    room("fields", PROGRAM.field_count(), fields.len())?;
    let fields = &mut fields[..PROGRAM.field_count()];
    let found = PROGRAM.applet().ok_or(AppletError::NotAnApplet)?;
    let members = Members::of_names(found, METHOD_NAMES).ok_or(AppletError::NotAnApplet)?;
    let memory = (fields, heap);
    let applet = Applet::of_program(&Printed, PROGRAM, members, memory, PACKET_BYTES_MAX as u32)?;
    let names = NameTable::of_printed(NAME, METHOD_NAMES)?;

    machine.mark_stack();
    let trace = Trace::new(machine, names);
    // Registers and frames are on the host's stack.
    let stack = CallStack::new(&mut [], &mut []);
    let mut state = NicState::new(stack, area, arrivals, trace);
    let (trace, _) = exchange(Nic::new(applet, &mut state), &traffic)?;
    let (lines, hash) = trace.totals();
    let machine = trace.machine();
    if let Some(bytes) = machine.stack_since_mark() {
        machine.write_report(format_args!("run-stack {bytes}"))?;
    }
    write_totals(machine, lines, &hash)?;
    write_footprint(machine)
}
