//! Instances of loaded classes, with their own memory. A program calls the methods of an instance by name, and errors
//! contain these names.

use std::fmt;

use jive_core::{
    ArrayKind, CallStack, Cut, FieldType, Frame, Heap, Instance as CoreInstance, Lifetime,
    MethodDescriptor, MethodId, Natives, Program, Trap, TrapKind, ValueKind,
};
use self_cell::{MutBorrow, self_cell};

use crate::owned::LoadedClass;
use crate::{fields, names};

/// Resource limits of an instance.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of the instance's heap for arrays, in bytes. At most `i32::MAX`.
    pub heap_bytes: usize,
    /// Greatest depth of nested calls, including the call from the embedding program. At most `u16::MAX`.
    pub nested_calls: usize,
    /// Number of instructions that a call from the embedding program may execute, including the methods that it calls.
    pub fuel: u64,
}

impl Default for Limits {
    /// The default limits are a heap of 64 KiB, 32 nested calls, and a million instructions.
    fn default() -> Self {
        Self {
            heap_bytes: 64 << 10,
            nested_calls: 32,
            fuel: 1_000_000,
        }
    }
}

/// An argument or a result of a method.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// An `int`. An `int`, or a `boolean`, `byte` or `short`, each of which the JVM represents as `int`.
    Int(i32),
    /// The null reference.
    Null,
    /// An array on the heap of the instance.
    Array(ArrayRef),
    /// The single object that an instance has of its class.
    This,
}

/// An array on the heap of an instance. An array refers to nothing or to an unrelated array if it is passed to another
/// instance.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayRef(i32);

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The class has no method with this name.
    #[error("expected a method of `{class}`, found `{method}`")]
    NoMethod {
        /// The class.
        class: String,
        /// The method name that the caller passed.
        method: String,
    },
    /// The arguments of a call do not match the method's parameters.
    #[error("expected arguments that fit `{method}`, found {found:?}")]
    Arguments {
        /// The method that was called, with its descriptor.
        method: String,
        /// The arguments.
        found: Vec<Value>,
    },
    /// The call trapped.
    #[error("{trap}")]
    Trap {
        /// The trap that ended the call, and its location.
        trap: NamedTrap,
    },
    /// A limit of the instance is above the greatest that it may have, or memory for it is not to be had.
    #[error("expected `{limit}` of at most {most} and memory for it, found {found}")]
    Limit {
        /// The field of [`Limits`].
        limit: &'static str,
        /// The greatest value.
        most: usize,
        /// The value that the caller asked for.
        found: usize,
    },
    /// The call returned a transient array, which was freed at the end of the call.
    #[error("expected a result that outlives the call, found an array that `{method}` made")]
    TransientResult {
        /// The method.
        method: String,
    },
}

/// A trap with the name of the method, the pc, and the line of the Java source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTrap {
    /// The trap.
    pub trap: Trap,
    /// Name and descriptor of the method whose instruction trapped.
    pub method: String,
    /// Name of the method's source file, if the class file has it.
    pub source: Option<String>,
    /// Line number of the trap in the source file, if the class file has line numbers.
    pub line: Option<u16>,
}

impl fmt::Display for NamedTrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Trap { kind, pc, .. } = self.trap;
        write!(f, "{kind} in {} at pc {pc}", self.method)?;
        match (&self.source, self.line) {
            (Some(source), Some(line)) => write!(f, " ({source}:{line})"),
            (None, Some(line)) => write!(f, " (line {line})"),
            (_, None) => Ok(()),
        }
    }
}

/// An instance of a loaded class: its fields, its heap, and its natives.
pub struct Instance<'c, N> {
    class: &'c LoadedClass,
    state: State<'c>,
    frames: Vec<Frame>,
    slots: Vec<i32>,
    fuel: u64,
    natives: N,
}

struct Buffers {
    fields: Vec<i32>,
    heap: Vec<u8>,
}

struct Owner<'c> {
    program: Program<'c>,
    buffers: MutBorrow<Buffers>,
}

self_cell! {
    struct State<'c> {
        owner: Owner<'c>,

        #[covariant]
        dependent: CoreInstance,
    }
}

/// Offsets into a heap are `int`s.
const HEAP_BYTES_MAX: usize = i32::MAX as usize;

/// Far deeper than any stack of a JVM, and small enough that frames and registers of every class can be counted.
const NESTED_CALLS_MAX: usize = u16::MAX as usize;

/// Allocates what a limit stands for.
fn zeros<T: Clone + Default>(
    limit: &'static str,
    found: usize,
    most: usize,
    count: usize,
) -> Result<Vec<T>, CallError> {
    let refused = CallError::Limit { limit, most, found };
    let mut memory = Vec::new();
    if found > most || memory.try_reserve_exact(count).is_err() {
        return Err(refused);
    }
    memory.resize(count, T::default());
    Ok(memory)
}

impl<'c, N: Natives> Instance<'c, N> {
    pub(crate) fn new(
        class: &'c LoadedClass,
        limits: Limits,
        natives: N,
    ) -> Result<Instance<'c, N>, CallError> {
        let program = class.linked().program;
        let heap = zeros(
            "heap_bytes",
            limits.heap_bytes,
            HEAP_BYTES_MAX,
            limits.heap_bytes,
        )?;
        let depth = limits.nested_calls;
        let frames = zeros("nested_calls", depth, NESTED_CALLS_MAX, depth)?;
        let slots = program.slots_for(depth);
        let slots = zeros("nested_calls", depth, NESTED_CALLS_MAX, slots)?;
        let owner = Owner {
            program,
            buffers: MutBorrow::new(Buffers {
                fields: vec![0; program.field_count()],
                heap,
            }),
        };
        let state = State::new(owner, |owner| {
            let Buffers { fields, heap } = owner.buffers.borrow_mut();
            CoreInstance::new(owner.program, fields, Heap::new(heap))
        });
        let mut instance = Instance {
            class,
            state,
            frames,
            slots,
            fuel: limits.fuel,
            natives,
        };
        for method in program.initializers() {
            instance.run(method, &[], Lifetime::Persistent)?;
        }
        Ok(instance)
    }

    /// Calls a method by name. The instance is the receiver of a method that is not static.
    ///
    /// Arrays that the call allocates are freed at its end, so that calls do not fill the heap.
    ///
    /// # Errors
    ///
    /// Fails if there is no method of this name, if the arguments do not match, or if the call traps. After a trap the
    /// instance can still be called: its fields and permanent arrays keep the state of the trapped call.
    pub fn call(&mut self, method: &str, arguments: &[Value]) -> Result<Option<Value>, CallError> {
        let id = self.find(method)?;
        let values = self.arguments(id, arguments)?;
        let Some(value) = self.run(id, &values, Lifetime::PerCall)? else {
            return Ok(None);
        };
        if !self.returns_reference(id) {
            return Ok(Some(Value::Int(value)));
        }
        let heap = self.state.borrow_dependent().heap();
        Ok(Some(match value {
            0 => Value::Null,
            value if heap.array(value).is_some() => Value::Array(ArrayRef(value)),
            value if value < 0 => Value::This,
            _ => {
                return Err(CallError::TransientResult {
                    method: self.named(id),
                });
            }
        }))
    }

    /// Allocates a zeroed array that lives as long as the instance.
    ///
    /// # Errors
    ///
    /// Fails if the heap has no room for the array.
    pub fn new_array(&mut self, kind: ArrayKind, length: usize) -> Result<ArrayRef, TrapKind> {
        let length = i32::try_from(length).map_err(|_| TrapKind::OutOfMemoryError)?;
        self.state.with_dependent_mut(|_, instance| {
            instance.heap_mut().allocate(kind, length).map(ArrayRef)
        })
    }

    /// Allocates a `byte[]` that contains a copy of `bytes` and lives as long as the instance.
    ///
    /// # Errors
    ///
    /// Fails if the heap has no room for the array.
    pub fn bytes_from(&mut self, bytes: &[u8]) -> Result<ArrayRef, TrapKind> {
        let array = self.new_array(ArrayKind::Byte, bytes.len())?;
        if let Some(memory) = self.bytes_mut(array) {
            memory.copy_from_slice(bytes);
        }
        Ok(array)
    }

    /// Borrows the bytes of an array of the instance. Elements of a `short[]` or `int[]` are in little-endian order.
    pub fn bytes(&self, array: ArrayRef) -> Option<&[u8]> {
        self.state.borrow_dependent().heap().bytes(array.0)
    }

    /// Borrows the bytes of an array of the instance mutably.
    pub fn bytes_mut(&mut self, array: ArrayRef) -> Option<&mut [u8]> {
        self.state
            .with_dependent_mut(|_, instance| instance.heap_mut().bytes_mut(array.0))
    }

    /// Returns the value of an `int` field of the instance. The name may contain the field's type, as in `count:I`; it
    /// must where several fields of the class have the name. Returns `None` if no single field has the name, or if the
    /// field is a reference.
    pub fn int_field(&self, name: &str) -> Option<i32> {
        let linked = self.class.linked();
        let field = fields::find_in(&linked.class, name).ok()?;
        let kind = linked.program.fields().get(field.id.index())?.kind;
        (kind != ValueKind::Reference).then(|| self.state.borrow_dependent().field(field.id))
    }

    /// Borrows the natives of the instance.
    pub const fn natives(&self) -> &N {
        &self.natives
    }

    /// Borrows the natives of the instance mutably.
    pub const fn natives_mut(&mut self) -> &mut N {
        &mut self.natives
    }

    fn run(
        &mut self,
        method: MethodId,
        values: &[i32],
        lifetime: Lifetime,
    ) -> Result<Option<i32>, CallError> {
        let Self {
            state,
            frames,
            slots,
            fuel,
            natives,
            ..
        } = self;
        let outcome = state.with_dependent_mut(|_, instance| {
            let mut stack = CallStack::new(frames, slots);
            instance.call(&mut stack, method, values, *fuel, lifetime, natives)
        });
        outcome.map_err(|trap| CallError::Trap {
            trap: self.placed(trap),
        })
    }

    /// Returns the method with this name. The method's name is unique, because the subset has no overloaded methods.
    fn find(&self, name: &str) -> Result<MethodId, CallError> {
        let class = self.class.linked().class;
        let is_initializer = name.starts_with('<');
        let found = class
            .methods()
            .find(|method| !is_initializer && method.name == name && method.code().is_some());
        found
            .map(|method| method.id)
            .ok_or_else(|| CallError::NoMethod {
                class: names::class_name(&class),
                method: name.to_owned(),
            })
    }

    /// Converts arguments to the interpreter's values.
    fn arguments(&self, id: MethodId, arguments: &[Value]) -> Result<Vec<i32>, CallError> {
        let mismatch = || CallError::Arguments {
            method: self.named(id),
            found: arguments.to_vec(),
        };
        let class = self.class.linked().class;
        let method = class.method(id).ok_or_else(mismatch)?;
        let descriptor =
            MethodDescriptor::parse(method.descriptor.as_bytes()).map_err(|_| mismatch())?;
        if descriptor.parameters().len() != arguments.len() {
            return Err(mismatch());
        }
        let heap = self.state.borrow_dependent().heap();
        let values = descriptor
            .parameters()
            .zip(arguments)
            .map(|(kind, argument)| {
                match (kind.array_kind(), *argument) {
                    (None, Value::Int(value)) if !is_object(kind) => Some(value),
                    (Some(_), Value::Null) => Some(0),
                    (None, Value::Null) if is_object(kind) => Some(0),
                    (Some(kind), Value::Array(array)) => {
                        let found = heap.array(array.0)?;
                        (found.kind == kind).then_some(array.0)
                    }
                    // The value that the interpreter uses as a reference to the single object.
                    (None, Value::This) if is_object(kind) => Some(-1),
                    (_, Value::Int(_) | Value::Null | Value::Array(_) | Value::This) => None,
                }
            });
        values.collect::<Option<Vec<_>>>().ok_or_else(mismatch)
    }

    fn returns_reference(&self, id: MethodId) -> bool {
        let method = self.class.linked().class.method(id);
        let result = method.and_then(|method| {
            MethodDescriptor::parse(method.descriptor.as_bytes())
                .ok()?
                .result()
        });
        result.is_some_and(|kind| is_object(kind) || kind.array_kind().is_some())
    }

    /// Returns the name and descriptor of a method, safe for display on a terminal.
    fn named(&self, id: MethodId) -> String {
        match self.class.linked().class.method(id) {
            Some(method) => format!("{}{}", Cut(method.name), Cut(method.descriptor)),
            None => String::new(),
        }
    }

    fn placed(&self, trap: Trap) -> NamedTrap {
        let class = self.class.linked().class;
        let code = class.method(trap.method).and_then(|method| method.code());
        NamedTrap {
            trap,
            method: self.named(trap.method),
            source: names::source_name(&class),
            line: code.and_then(|code| code.line(trap.pc)),
        }
    }
}

const fn is_object(kind: FieldType<'_>) -> bool {
    matches!(kind, FieldType::Object(_))
}

impl<N> fmt::Debug for Instance<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("class", &self.class)
            .finish_non_exhaustive()
    }
}
