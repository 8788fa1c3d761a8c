//! The stages from class file bytes to a running instance, in memory of the host.
//!
//! `jive` keeps a loaded class in an arena. Tests need a class only briefly, so each stage lends its memory to a
//! closure. The memory is never cleared: each class finds the remains of the last class of the same thread, as in
//! memory that an embedder lends.

use std::cell::RefCell;
use std::thread::LocalKey;

use jive_core::{
    CallStack, ClassFile, Frame, Heap, Instance, Lifetime, LinkError, MethodId, NativeDecl,
    Natives, ParseError, Program, Step, Trap, Verified, Watcher, link, program_size,
};
use jive_verifier::{Location, Policy, VerifyError, verify, work_size};

use crate::fixture::{Call, Outcome, Place};
use crate::lent::{Lent, Storage, Work};

thread_local! {
    static INDEX: RefCell<Lent<u32>> = RefCell::default();
    static WORK: RefCell<Work> = RefCell::default();
    static STORAGE: RefCell<Storage> = RefCell::default();
    static RUN: RefCell<Run> = RefCell::default();
}

/// The memory of an instance and its call stack.
#[derive(Default)]
struct Run {
    fields: Lent<i32>,
    heap: Lent<u8>,
    frames: Lent<Frame>,
    slots: Lent<i32>,
}

/// Lends the thread's memory of one kind to a closure; a nested use of the same stage receives new memory.
fn lent<M: Default, R>(memory: &'static LocalKey<RefCell<M>>, then: impl FnOnce(&mut M) -> R) -> R {
    let mut taken = memory.take();
    let result = then(&mut taken);
    memory.replace(taken);
    result
}

/// Parses a class file and passes the class to `then`.
pub fn parsed<R>(bytes: &[u8], then: impl FnOnce(ClassFile<'_>) -> R) -> Result<R, ParseError> {
    lent(&INDEX, |index| {
        let index = index.lend(ClassFile::index_len(bytes));
        Ok(then(ClassFile::parse(bytes, index)?))
    })
}

/// Verifies a class and passes the verified class to `then`.
pub fn verified<R>(
    class: ClassFile<'_>,
    policy: Policy,
    natives: &'static [NativeDecl<'static>],
    then: impl FnOnce(Verified<'_>) -> R,
) -> Result<R, VerifyError> {
    let verified = lent(&WORK, |work| {
        verify(class, policy, natives, work.lend(&work_size(&class)))
    });
    Ok(then(verified?))
}

/// Links a verified class and passes the program to `then`.
pub fn linked<R>(
    verified: &Verified<'_>,
    then: impl FnOnce(Program<'_>) -> R,
) -> Result<R, LinkError> {
    let size = program_size(verified)?;
    lent(&STORAGE, |storage| {
        Ok(then(link(verified, storage.lend(&size))?))
    })
}

/// The resources of a [`Machine`].
#[derive(Copy, Clone, Debug)]
pub struct Room {
    /// Bytes of heap.
    pub heap: usize,
    /// Maximum number of nested calls.
    pub frames: usize,
    /// Fuel of each call.
    pub fuel: u64,
}

impl Default for Room {
    /// The defaults of `jive exec`.
    fn default() -> Room {
        Room {
            heap: 1 << 20,
            frames: 200,
            fuel: 10_000_000,
        }
    }
}

/// An instance with a call stack, and its class file for names.
#[derive(Debug)]
pub struct Machine<'m> {
    /// The parsed class.
    pub class: ClassFile<'m>,
    /// The instance.
    pub instance: Instance<'m>,
    /// The call stack of the only processor.
    pub stack: CallStack<'m>,
    /// Fuel of each call.
    pub fuel: u64,
}

/// Parses, verifies and links a class, and passes a fresh machine to `then`.
///
/// The error is the rejection of the class.
///
/// # Panics
///
/// Panics when the linker rejects a class that the verifier accepted.
pub fn machine<R>(
    bytes: &[u8],
    policy: Policy,
    natives: &'static [NativeDecl<'static>],
    room: Room,
    then: impl FnOnce(&mut Machine<'_>) -> R,
) -> Result<R, Outcome> {
    let verdict = parsed(bytes, |class| {
        let verdict = verified(class, policy, natives, |verified| {
            linked(&verified, |program| {
                lent(&RUN, |run| {
                    let fields = run.fields.lend(program.field_count());
                    let frames = run.frames.lend(room.frames);
                    let slots = run.slots.lend(program.slots_for(room.frames));
                    let heap = Heap::new(run.heap.lend(room.heap));
                    then(&mut Machine {
                        class,
                        instance: Instance::new(program, fields, heap),
                        stack: CallStack::new(frames, slots),
                        fuel: room.fuel,
                    })
                })
            })
        });
        match verdict {
            Err(error) => Err(rejection(class, error)),
            Ok(linked) => Ok(taken(linked)),
        }
    });
    verdict.unwrap_or_else(|error| {
        Err(Outcome::Rejected {
            code: error.code().to_owned(),
            at: Place::Byte(error.offset),
        })
    })
}

/// Returns the verdict on a class without running it, but links an accepted class.
///
/// # Panics
///
/// Panics when the linker rejects a class that the verifier accepted.
#[must_use]
pub fn judge(bytes: &[u8], policy: Policy, natives: &'static [NativeDecl<'static>]) -> Outcome {
    let verdict = parsed(bytes, |class| {
        verified(class, policy, natives, |verified| {
            taken(linked(&verified, |_| ()))
        })
        .map_err(|error| rejection(class, error))
    });
    match verdict {
        Ok(Ok(())) => Outcome::Accepted,
        Ok(Err(outcome)) => outcome,
        Err(error) => Outcome::Rejected {
            code: error.code().to_owned(),
            at: Place::Byte(error.offset),
        },
    }
}

/// Unwraps the result of the linker, which must not reject a class that the verifier accepted.
fn taken<R>(linked: Result<R, LinkError>) -> R {
    linked.unwrap_or_else(|error| panic!("the verifier accepts what the linker refuses: {error}"))
}

impl Machine<'_> {
    /// Runs the static initializer and the constructor, as loading does.
    pub fn load(&mut self, natives: &mut impl Natives) -> Result<(), Trap> {
        let program = self.instance.program();
        for method in program.initializers() {
            self.call(method, &[], Lifetime::Persistent, natives)?;
        }
        Ok(())
    }

    /// Makes a call with the machine's fuel.
    pub fn call(
        &mut self,
        method: MethodId,
        arguments: &[i32],
        lifetime: Lifetime,
        natives: &mut impl Natives,
    ) -> Result<Option<i32>, Trap> {
        self.instance.call(
            &mut self.stack,
            method,
            arguments,
            self.fuel,
            lifetime,
            natives,
        )
    }

    /// Makes a call as [`Machine::call`] does, and reports each instruction to `watcher`.
    pub fn call_watched(
        &mut self,
        method: MethodId,
        arguments: &[i32],
        lifetime: Lifetime,
        natives: &mut impl Natives,
        watcher: &mut impl Watcher,
    ) -> Result<Option<i32>, Trap> {
        let Machine {
            instance, stack, ..
        } = self;
        instance.start(stack, method, arguments, self.fuel, lifetime)?;
        loop {
            let id = match instance.run_watched(stack, watcher) {
                Step::Returned(value) => return Ok(value),
                Step::Trapped(trap) => return Err(trap),
                Step::Native { id, .. } => id,
            };
            let outcome = stack
                .charge(natives.extra_fuel(id))
                .and_then(|()| natives.call(id, stack.native_arguments(), instance.heap_mut()));
            stack.resume(outcome);
        }
    }

    /// Returns the method with this name.
    ///
    /// # Panics
    ///
    /// Panics if the class has no method of this name.
    #[must_use]
    pub fn method(&self, name: &str) -> MethodId {
        self.class
            .methods()
            .find(|method| method.name == name)
            .unwrap_or_else(|| panic!("the class has a method {name}"))
            .id
    }

    /// Loads the class, makes the call, and returns the outcome.
    pub fn outcome(
        &mut self,
        call: &Call,
        lifetime: Lifetime,
        natives: &mut impl Natives,
    ) -> Outcome {
        let result = self.load(natives).and_then(|()| {
            self.call(
                self.method(&call.method),
                &call.arguments,
                lifetime,
                natives,
            )
        });
        match result {
            Ok(value) => Outcome::Returned {
                method: call.method.clone(),
                value,
            },
            Err(trap) => self.trapped(trap),
        }
    }

    /// Returns the outcome of a trap, with the name of the method that trapped.
    #[must_use]
    pub fn trapped(&self, trap: Trap) -> Outcome {
        Outcome::Trapped {
            trap: trap.kind.name().to_owned(),
            method: method_name(self.class, trap.method),
            pc: trap.pc.0,
        }
    }
}

/// Adds the names of members to a rejection.
fn rejection(class: ClassFile<'_>, error: VerifyError) -> Outcome {
    let at = match error.at {
        Location::Class => Place::Class,
        Location::Field(field) => Place::Field(
            class
                .field(field)
                .map_or_else(|| field.to_string(), |field| field.name.to_string()),
        ),
        Location::Method(method) => Place::Method(method_name(class, method)),
        Location::Code { method, pc } => Place::Code {
            method: method_name(class, method),
            pc: pc.0,
        },
    };
    Outcome::Rejected {
        code: error.kind.code().to_owned(),
        at,
    }
}

fn method_name(class: ClassFile<'_>, id: MethodId) -> String {
    class
        .method(id)
        .map_or_else(|| id.to_string(), |method| method.name.to_string())
}
