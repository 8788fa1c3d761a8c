//! The program: loads a class file, sends messages, and reports the memory use.

use jive_core::CallStack;
use jive_load::Storage;
use nic_core::sle::Applet;

use crate::ThisMachine;
use crate::failure::Failure;
use crate::load::{accept, link_class, room};
use crate::machine::Machine;
use crate::memory::{Bulk, InstanceMemory, LoadMemory, PACKET_BYTES_MAX};
use crate::names::NameTable;
use crate::nic::{Class, Nic, NicState};
use crate::report::Report;
use crate::trace::Trace;
use crate::traffic::Traffic;

/// Runs the program with its arguments. `run` must be called only once, because all memory is lent once.
///
/// # Errors
///
/// Fails if the arguments are wrong, if the class is refused or traps while it is loaded, or if the machine fails.
pub fn run(
    machine: &mut ThisMachine,
    arguments: &mut dyn Iterator<Item = &str>,
) -> Result<(), Failure> {
    let (Some(path), Some(seed)) = (arguments.next(), arguments.next()) else {
        return Err(Failure::Usage {
            max: PACKET_BYTES_MAX,
        });
    };
    let traffic = Traffic::parse(seed, arguments)?;
    let LoadMemory { kept, scratch } = LoadMemory::lend();
    let kept = Storage::new(kept);
    let (instance, bulk) = (InstanceMemory::lend(), Bulk::lend());
    let length = machine.read(path, bulk.class)?;
    let class = &bulk.class[..length];

    machine.mark_stack();
    let accepted = accept(class, &kept, scratch)?;
    let stack_verify = machine.stack_since_mark();

    machine.mark_stack();
    let linked = link_class(&accepted.verified, accepted.size.program, &kept, scratch)?;
    let stack_link = machine.stack_since_mark();

    let mut report = Report {
        index: accepted.index_bytes,
        verifier: accepted.size.work.bytes(),
        linker: linked.work_bytes,
        stack_verify,
        stack_link,
        program: linked.kept,
        calls: size_of_val(instance.frames) + size_of_val(instance.slots),
        ..Report::default()
    };
    let field_count = linked.class.program.field_count();
    room("fields", field_count, instance.fields.len())?;
    let fields = &mut instance.fields[..field_count];
    let applet = Applet::lent(&linked.class, fields, bulk.heap, PACKET_BYTES_MAX as u32)?;
    let stack = CallStack::new(instance.frames, instance.slots);
    let names = NameTable::new(&linked.class.class)?;

    machine.mark_stack();
    let trace = Trace::new(machine, names);
    let mut state = NicState::new(stack, bulk.area, bulk.arrivals, trace);
    let (trace, applet) = exchange(Nic::new(applet, &mut state), &traffic)?;
    report.arrays = applet.heap_bytes() as usize;
    (report.lines, report.hash) = trace.totals();
    let machine = trace.machine();
    report.stack_run = machine.stack_since_mark();
    report.write(machine)
}

/// Loads the applet and sends the messages. `exchange` is a separate function, so that its stack use can be measured.
#[inline(never)]
pub(crate) fn exchange<'p, 'n, M: Machine, C: Class>(
    mut nic: Nic<'p, 'n, M, C>,
    traffic: &Traffic,
) -> Result<(&'n mut Trace<'n, M>, Applet<'p, C>), Failure> {
    nic.load()?;
    for message in traffic.messages() {
        nic.send(message)?;
    }
    Ok(nic.finish())
}
