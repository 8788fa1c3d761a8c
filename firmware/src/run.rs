//! The program: a class file is loaded, messages are sent, and what it took is reported.

use jive_core::{CallStack, ProgramStorage, program_size};
use jive_verifier::WorkArea;
use nic_runtime::sle::{Applet, LoadError};

use crate::failure::Failure;
use crate::load::{VerifierMemory, accept, link_class, room};
use crate::machine::Machine;
use crate::memory::{Bulk, Memory, PACKET_BYTES_MAX};
use crate::names::NameTable;
use crate::nic::Nic;
use crate::report::Report;
use crate::trace::Trace;
use crate::traffic::Traffic;

/// Runs the program with its arguments; to be called once, since all memory is lent once.
pub(crate) fn run<'a>(
    machine: &mut impl Machine,
    mut arguments: impl Iterator<Item = &'a str>,
) -> Result<(), Failure> {
    let (Some(path), Some(seed)) = (arguments.next(), arguments.next()) else {
        return Err(Failure::Usage {
            max: PACKET_BYTES_MAX,
        });
    };
    let traffic = Traffic::parse(seed, arguments)?;
    let (memory, bulk) = (Memory::lend(), Bulk::lend());
    let length = machine.read(path, bulk.class)?;
    let class = &bulk.class[..length];

    machine.mark_stack();
    let accepted = accept(
        class,
        VerifierMemory {
            index: memory.index,
            work: WorkArea {
                constants: memory.resolved,
                signatures: memory.signatures,
                marks: memory.marks,
                leaders: memory.leaders,
                queue: memory.queue,
                states: memory.states,
            },
        },
    )?;
    let stack_verify = machine.stack_since_mark();

    machine.mark_stack();
    let storage = ProgramStorage {
        ops: memory.ops,
        origins: memory.origins,
        methods: memory.methods,
        fields: memory.linked_fields,
        switches: memory.switches,
        constants: memory.constants,
    };
    let loaded = link_class(&accepted.verified, storage)?;
    let stack_link = machine.stack_since_mark();

    let fields = loaded.program.field_count();
    room("fields", fields, memory.fields.len())?;
    let mut report = Report {
        index: accepted.index_bytes,
        work: accepted.work_bytes,
        stack_verify,
        stack_link,
        program: program_size(&accepted.verified).map_err(LoadError::from)?,
        fields,
        frames: memory.frames.len(),
        slots: memory.slots.len(),
        ..Report::default()
    };
    let names = NameTable::new(&loaded)?;
    let fields = &mut memory.fields[..fields];
    let applet = Applet::lent(&loaded, fields, bulk.heap, PACKET_BYTES_MAX as u32)?;
    let stack = CallStack::new(memory.frames, memory.slots);

    machine.mark_stack();
    let trace = Trace::new(machine, names);
    let nic = Nic::new(applet, stack, bulk.area, bulk.arrivals, trace);
    let (trace, applet) = exchange(nic, &traffic)?;
    report.arrays = applet.heap_bytes() as usize;
    (report.lines, report.hash) = trace.finish();
    report.stack_run = machine.stack_since_mark();
    report.write(machine)
}

/// Loads the applet and sends the messages; a function of its own, so that its stack can be told from
/// its caller's.
#[inline(never)]
fn exchange<'a, 't, M: Machine>(
    mut nic: Nic<'a, 't, M>,
    traffic: &Traffic,
) -> Result<(Trace<'t, M>, Applet<'a>), Failure> {
    nic.load()?;
    for message in traffic.messages() {
        nic.send(message)?;
    }
    Ok(nic.finish())
}
