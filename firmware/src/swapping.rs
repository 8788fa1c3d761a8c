//! The program that replaces its applet by classes that come on the serial line, each with a certificate.
//!
//! There is memory for two applets, the one that runs and the next one. They take turns in it.

use core::mem::MaybeUninit;

use heapless::Vec;
use jive_core::CallStack;
use jive_load::CertifiedError;
use nic_core::sle::capsule::{INSTALLED, answer_header};
use nic_core::sle::line::frame;
use nic_core::sle::{CapsuleRefusal, CodeLine, LineEvent};

use crate::ThisMachine;
use crate::failure::Failure;
use crate::machine::{Line, Machine, Wait};
use crate::memory::{InstanceMemory, PACKET_BYTES_MAX, area_and_arrivals};
use crate::nic::{Nic, NicState, Swapped};
use crate::report::{write_footprint, write_totals};
use crate::slots::{Loaded, Misfit, Slot, SwapMemory};
use crate::trace::Trace;
use crate::traffic::{Step, Traffic};

/// Runs the program with its arguments. `run` must be called only once, because all memory is lent once.
///
/// # Errors
///
/// Fails if the arguments are wrong, if the first class is refused or traps while it is loaded, or if the machine fails.
/// A class that comes on the line and is refused is no failure.
pub fn run(
    machine: &mut ThisMachine,
    arguments: &mut dyn Iterator<Item = &str>,
) -> Result<(), Failure> {
    let usage = Failure::UsageOfSwapping {
        max: PACKET_BYTES_MAX,
    };
    let (Some(path), Some(certificate_path), Some(seed)) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err(usage);
    };
    let traffic = Traffic::with_swaps(seed, arguments).map_err(|_| usage)?;
    let SwapMemory {
        slots: [mut one, mut other],
        frame,
        parts: [certificate, class],
        scratch,
        aside,
    } = SwapMemory::lend();
    let length = machine.read(path, one.class)?;
    let certificate_length = machine.read(certificate_path, certificate)?;
    let first = &certificate[..certificate_length];
    let Loaded { applet, names } = one.load(length, first, scratch).map_err(unloaded)?;
    let InstanceMemory { frames, slots, .. } = InstanceMemory::lend();
    let (area, arrivals) = area_and_arrivals();
    let stack = CallStack::new(frames, slots);
    let trace = Trace::new(machine, names);
    let mut state = NicState::new(stack, area, arrivals, trace);
    let mut nic = Nic::new(applet, &mut state);
    nic.load()?;
    let mut rest = Rest {
        steps: &mut traffic.steps(),
        line: CodeLine::new(frame, certificate, class),
        scratch,
        aside,
    };
    loop {
        // The applet is in `one`.
        let mut next = loop {
            match rest.run_in(nic, &mut other)? {
                Turn::Moved(moved) => break moved,
                Turn::Stays(same) => nic = same,
                Turn::Ended(trace) => return ended(trace),
            }
        };
        // The applet is in `other`.
        nic = loop {
            match rest.run_in(next, &mut one)? {
                Turn::Moved(moved) => break moved,
                Turn::Stays(same) => next = same,
                Turn::Ended(trace) => return ended(trace),
            }
        };
    }
}

/// Why the first class is refused.
fn unloaded(misfit: Misfit<'_>) -> Failure {
    match misfit {
        Misfit::Check(error) => Failure::Certified(error.into()),
        Misfit::Class { reason, .. } => Failure::First(reason.word()),
    }
}

/// Reports how long the trace is, its hash, and the size of the program.
fn ended(trace: &mut Trace<'_, ThisMachine>) -> Result<(), Failure> {
    let (lines, hash) = trace.totals();
    write_totals(trace.machine(), lines, &hash)?;
    write_footprint(trace.machine())
}

/// What the program does besides the NIC: the steps that are left, and the line.
struct Rest<'r, I> {
    steps: &'r mut I,
    line: CodeLine<'static>,
    scratch: &'static mut [MaybeUninit<u8>],
    aside: &'static mut [u8],
}

/// A NIC after some steps.
enum Turn<'p, 'q, 'n> {
    /// The applet was replaced by one in the slot that was free.
    Moved(Nic<'q, 'n, ThisMachine>),
    /// The applet was not replaced.
    Stays(Nic<'p, 'n, ThisMachine>),
    /// No step is left.
    Ended(&'n mut Trace<'n, ThisMachine>),
}

impl<I: Iterator<Item = Step>> Rest<'_, I> {
    /// Does the steps up to one at which a class comes, and judges the class in the free slot.
    fn run_in<'p, 'q, 'n>(
        &mut self,
        mut nic: Nic<'p, 'n, ThisMachine>,
        free: &'q mut Slot,
    ) -> Result<Turn<'p, 'q, 'n>, Failure> {
        while let Some(step) = self.steps.next() {
            match step {
                Step::Message(message) => nic.send(message)?,
                Step::Swap(time) => {
                    nic.pass_to(time)?;
                    if let Some(number) = self.next_capsule(nic.machine())? {
                        return self.judge(nic, free, number);
                    }
                }
            }
        }
        Ok(Turn::Ended(nic.finish().0))
    }

    /// Waits for a capsule, and returns its number. Returns `None` if something came and then nothing for a while: half a
    /// capsule, or what noise has left of one. The NIC goes on then.
    fn next_capsule(&mut self, machine: &mut ThisMachine) -> Result<Option<u32>, Failure> {
        let mut wait = Wait::Forever;
        while let Some(byte) = machine.receive(wait)? {
            wait = Wait::Patience;
            match self.line.take(byte) {
                LineEvent::Quiet => {}
                LineEvent::Answer { number, text } => answer(machine, number, text)?,
                LineEvent::Whole { number } => return Ok(Some(number)),
            }
        }
        if let Some(number) = self.line.give_up() {
            answer(machine, number, CapsuleRefusal::Gap.word())?;
        }
        Ok(None)
    }

    /// Checks a class that has come, makes it the applet, and answers.
    fn judge<'p, 'q, 'n>(
        &mut self,
        mut nic: Nic<'p, 'n, ThisMachine>,
        free: &'q mut Slot,
        number: u32,
    ) -> Result<Turn<'p, 'q, 'n>, Failure> {
        let class = self.line.class();
        // Both have room for the longest class.
        free.class[..class.len()].copy_from_slice(class);
        let certificate = self.line.certificate();
        let (mut turn, text) = match free.load(class.len(), certificate, self.scratch) {
            // The simulator has no certificates, so its trace has no word for a class that is refused with one.
            Err(Misfit::Check(error)) => (Turn::Stays(nic), CertifiedError::from(error).code()),
            Err(Misfit::Class { reason, name }) => {
                nic.refused(name, reason)?;
                (Turn::Stays(nic), reason.word())
            }
            Ok(Loaded { applet, names }) => match nic.swap(applet, names, self.aside)? {
                Swapped::Made(nic) => (Turn::Moved(nic), INSTALLED),
                Swapped::Refused(nic, reason) => (Turn::Stays(nic), reason.word()),
            },
        };
        self.line.answered(number, text);
        let machine = match &mut turn {
            Turn::Moved(nic) => nic.machine(),
            Turn::Stays(nic) => nic.machine(),
            Turn::Ended(_) => return Ok(turn),
        };
        answer(machine, number, text)?;
        Ok(turn)
    }
}

/// Longest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 80;

/// Answers a capsule.
fn answer(machine: &mut ThisMachine, number: u32, text: &str) -> Result<(), Failure> {
    let mut packet = Vec::<u8, ANSWER_BYTES_MAX>::new();
    packet.extend(answer_header(number));
    let room = ANSWER_BYTES_MAX - packet.len();
    packet.extend(text.bytes().take(room));
    machine.transmit(frame(&packet))
}
