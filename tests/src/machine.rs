//! The stages from bytes to a running instance, over memory of the host.
//!
//! `jive` itself keeps a loaded class in an arena; tests need one only while they look at it, so each
//! stage here lends its memory to a closure.

use jive_core::{
    CallStack, ClassFile, Frame, Heap, Instance, Lifetime, LinkError, LinkSite, LinkedConstant,
    LinkedField, LinkedMethod, Mark, MethodId, NativeDecl, Natives, Op, ParseError, Pc, Program,
    ProgramStorage, SwitchCase, Trap, Verified, link, program_size,
};
use jive_verifier::{
    CodeMarks, Location, Policy, Resolved, VerifyError, WorkArea, verify, work_size,
};

use crate::fixture::{Call, Outcome, Place};

/// Parses a class file and hands it on.
pub fn parsed<R>(bytes: &[u8], then: impl FnOnce(ClassFile<'_>) -> R) -> Result<R, ParseError> {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    Ok(then(ClassFile::parse(bytes, &mut index)?))
}

/// Verifies a class and hands it on.
pub fn verified<R>(
    class: ClassFile<'_>,
    policy: Policy,
    natives: &'static [NativeDecl],
    then: impl FnOnce(Verified<'_>) -> R,
) -> Result<R, VerifyError> {
    let size = work_size(&class);
    let work = WorkArea {
        constants: &mut vec![Resolved::default(); size.constants],
        signatures: &mut vec![0; size.signatures],
        marks: &mut vec![CodeMarks::default(); size.marks],
        leaders: &mut vec![0; size.leaders],
        queue: &mut vec![0; size.queue],
        states: &mut vec![0; size.states],
    };
    Ok(then(verify(class, policy, natives, work)?))
}

/// Links a verified class and hands the program on.
pub fn linked<R>(
    verified: &Verified<'_>,
    then: impl FnOnce(Program<'_>) -> R,
) -> Result<R, LinkError> {
    let size = program_size(verified)?;
    let mut ops = vec![Op::default(); size.ops];
    let mut ends = vec![0; size.ops];
    let mut places = vec![Pc(0); size.places];
    let mut marks = vec![Mark::default(); size.marks];
    let mut methods = vec![LinkedMethod::default(); size.methods];
    let mut fields = vec![LinkedField::default(); size.fields];
    let mut switches = vec![SwitchCase::default(); size.switches];
    let mut constants = vec![LinkedConstant::default(); size.constants];
    let storage = ProgramStorage {
        ops: &mut ops,
        ends: &mut ends,
        places: &mut places,
        marks: &mut marks,
        methods: &mut methods,
        fields: &mut fields,
        switches: &mut switches,
        constants: &mut constants,
    };
    Ok(then(link(verified, storage)?))
}

/// How much a [`Machine`] has of everything.
#[derive(Copy, Clone, Debug)]
pub struct Room {
    /// Bytes of heap.
    pub heap: usize,
    /// Nested calls.
    pub frames: usize,
    /// Instructions per call.
    pub fuel: u64,
}

impl Default for Room {
    /// What `jive exec` gives.
    fn default() -> Room {
        Room {
            heap: 1 << 20,
            frames: 200,
            fuel: 10_000_000,
        }
    }
}

/// An instance with a call stack, its names still at hand.
#[derive(Debug)]
pub struct Machine<'m> {
    /// The class as parsed.
    pub class: ClassFile<'m>,
    /// The instance.
    pub instance: Instance<'m>,
    /// The stack of the one processor.
    pub stack: CallStack<'m>,
    /// Instructions per call.
    pub fuel: u64,
}

/// Parses, verifies and links a class, and hands on a machine on which nothing has run yet.
///
/// The error says how the class was rejected.
pub fn machine<R>(
    bytes: &[u8],
    policy: Policy,
    natives: &'static [NativeDecl],
    room: Room,
    then: impl FnOnce(&mut Machine<'_>) -> R,
) -> Result<R, Outcome> {
    let verdict = parsed(bytes, |class| {
        let verdict = verified(class, policy, natives, |verified| {
            linked(&verified, |program| {
                let mut fields = vec![0; program.field_count()];
                let mut memory = vec![0; room.heap];
                let mut frames = vec![Frame::default(); room.frames];
                let mut slots = vec![0; program.slots_for(room.frames)];
                then(&mut Machine {
                    class,
                    instance: Instance::new(program, &mut fields, Heap::new(&mut memory)),
                    stack: CallStack::new(&mut frames, &mut slots),
                    fuel: room.fuel,
                })
            })
        });
        match verdict {
            Err(error) => Err(rejection(class, error)),
            Ok(Err(error)) => Err(link_rejection(class, error)),
            Ok(Ok(result)) => Ok(result),
        }
    });
    verdict.unwrap_or_else(|error| {
        Err(Outcome::Rejected {
            code: error.code().to_owned(),
            at: Place::Byte(error.offset),
        })
    })
}

/// Says how a class is judged, without running it.
#[must_use]
pub fn judge(bytes: &[u8], policy: Policy, natives: &'static [NativeDecl]) -> Outcome {
    let verdict = parsed(bytes, |class| {
        verified(class, policy, natives, |_| ()).map_err(|error| rejection(class, error))
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

impl Machine<'_> {
    /// Runs the static initializer and the constructor, as loading does.
    pub fn load(&mut self, natives: &mut impl Natives) -> Result<(), Trap> {
        let program = self.instance.program();
        let constructor = program
            .applet()
            .map(|applet| applet.constructor)
            .or(program.constructor());
        for method in [program.initializer(), constructor].into_iter().flatten() {
            self.call(method, &[], Lifetime::Persistent, natives)?;
        }
        Ok(())
    }

    /// Makes one call with the machine's fuel.
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

    /// Returns the method of this name.
    ///
    /// # Panics
    ///
    /// Where the class has none.
    #[must_use]
    pub fn method(&self, name: &str) -> MethodId {
        self.class
            .methods()
            .find(|method| method.name == name)
            .unwrap_or_else(|| panic!("the class has a method {name}"))
            .id
    }

    /// Loads the class, makes the call and says what becomes of it.
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

    /// Gives a trap the name of its method.
    #[must_use]
    pub fn trapped(&self, trap: Trap) -> Outcome {
        Outcome::Trapped {
            trap: trap.kind.name().to_owned(),
            method: method_name(self.class, trap.method),
            pc: trap.pc.0,
        }
    }
}

/// Gives a rejection the names of what it rejects.
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

/// What the linker refuses, the verifier should have: a fixture never expects this.
fn link_rejection(class: ClassFile<'_>, error: LinkError) -> Outcome {
    let at = match error.at {
        LinkSite::Class | LinkSite::Field(_) => Place::Class,
        LinkSite::Method(method) => Place::Method(method_name(class, method)),
        LinkSite::Code { method, pc } => Place::Code {
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
