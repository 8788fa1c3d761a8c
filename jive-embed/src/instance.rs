//! Instances of loaded classes, with their own memory. Handles name the methods and fields of an instance, and errors
//! contain the names.

use std::fmt;
use std::sync::Arc;

use jive_core::{
    ArrayKind, CallStack, Cut, FieldId, Frame, Heap, Instance as CoreInstance, Lifetime, MethodId,
    Natives, Step, Trap, TrapKind,
};
use self_cell::{MutBorrow, self_cell};

use crate::error::{CallError, HandleError, NamedTrap};
use crate::handle::{ClassNumber, Field, Kind, Method, Scalar, Signature, from_bytes, to_bytes};
use crate::host::{Host, Performing};
use crate::limits::Limits;
use crate::names;
use crate::owned::Loaded;
use crate::preset::{Stores, stored_field};

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

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::Int(value)
    }
}

impl From<ArrayRef> for Value {
    fn from(array: ArrayRef) -> Value {
        Value::Array(array)
    }
}

/// An array on the heap of an instance. An array refers to nothing or to an unrelated array if it is passed to another
/// instance.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayRef(i32);

/// What a call returned, and what it cost.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Returned {
    /// The result, unless the method is void.
    pub value: Option<Value>,
    /// How much fuel the call has used: one for each instruction, and the extra fuel of natives.
    pub fuel: u64,
}

/// Values that static fields have before the static initializer runs.
#[derive(Clone, Debug, Default)]
pub struct State(Vec<(ClassNumber, FieldId, bool, Set)>);

#[derive(Clone, Debug)]
enum Set {
    One(i32),
    Array(ArrayKind, Vec<u8>, usize),
}

impl State {
    /// Returns the state with a value for a field.
    #[must_use]
    pub fn with<T: Scalar>(mut self, field: Field<T>, value: T) -> State {
        let value = Set::One(value.to_int());
        self.0.push((field.class, field.id, field.is_static, value));
        self
    }

    /// Returns the state with a new array for a field, which lives as long as the instance.
    #[must_use]
    pub fn with_array<T: Scalar>(mut self, field: Field<[T]>, elements: &[T]) -> State {
        let value = Set::Array(T::ARRAY, to_bytes(elements), elements.len());
        self.0.push((field.class, field.id, field.is_static, value));
        self
    }
}

/// An instance of a loaded class: its fields, its heap, its call stack and its natives.
///
/// An instance owns its memory and shares its class, so it can be moved to another thread, and kept in one struct with
/// the class.
pub struct Instance<H> {
    /// The class's memory, and the parts that borrow from it and from the instance's own memory.
    parts: Owned,
    limits: Limits,
    natives: H,
    /// The arguments of a call, in memory that all calls use.
    arguments: Vec<i32>,
    /// The method that ran out of fuel, and the fuel it has had, as long as it can be resumed.
    exhausted: Option<(MethodId, u64)>,
}

struct Buffers {
    fields: Vec<i32>,
    heap: Vec<u8>,
    frames: Vec<Frame>,
    slots: Vec<i32>,
}

struct Owner {
    class: Arc<Loaded>,
    is_preset: bool,
    buffers: MutBorrow<Buffers>,
}

struct Parts<'m> {
    instance: CoreInstance<'m>,
    stack: CallStack<'m>,
}

self_cell! {
    struct Owned {
        owner: Owner,

        #[covariant]
        dependent: Parts,
    }
}

/// Offsets into a heap are `int`s.
const HEAP_BYTES_MAX: usize = i32::MAX as usize;

/// Far deeper than any stack of a JVM, and small enough that frames and registers of every class can be counted.
const NESTED_CALLS_MAX: usize = u16::MAX as usize;

/// The value that the interpreter uses as a reference to the single object.
const THIS: i32 = -1;

/// Allocates what a limit stands for.
fn zeros<T: Clone + Default, E>(
    limit: &'static str,
    found: usize,
    most: usize,
    count: usize,
) -> Result<Vec<T>, CallError<E>> {
    let refused = CallError::Limit { limit, most, found };
    let mut memory = Vec::new();
    if found > most || memory.try_reserve_exact(count).is_err() {
        return Err(refused);
    }
    memory.resize(count, T::default());
    Ok(memory)
}

impl<H: Host> Instance<H> {
    pub(crate) fn new(
        class: &Arc<Loaded>,
        state: &State,
        limits: Limits,
        natives: H,
    ) -> Result<Instance<H>, CallError<H::Error>> {
        for (number, _, is_static, _) in &state.0 {
            class.own(*number)?;
            if !is_static {
                return Err(HandleError::NotStatic.into());
            }
        }
        let is_preset = !state.0.is_empty();
        if is_preset {
            class.make_preset()?;
        }
        let program = class.linked_for(is_preset).program;
        let heap_bytes = limits.heap_bytes;
        let heap = zeros("heap_bytes", heap_bytes, HEAP_BYTES_MAX, heap_bytes)?;
        let depth = limits.nested_calls;
        let frames = zeros("nested_calls", depth, NESTED_CALLS_MAX, depth)?;
        let slots = program.slots_for(depth);
        let slots = zeros("nested_calls", depth, NESTED_CALLS_MAX, slots)?;
        let owner = Owner {
            class: Arc::clone(class),
            is_preset,
            buffers: MutBorrow::new(Buffers {
                fields: vec![0; program.field_count()],
                heap,
                frames,
                slots,
            }),
        };
        let parts = Owned::new(owner, |owner| {
            let program = owner.class.linked_for(owner.is_preset).program;
            let memory = owner.buffers.borrow_mut();
            Parts {
                instance: CoreInstance::new(
                    program,
                    &mut memory.fields,
                    Heap::new(&mut memory.heap),
                ),
                stack: CallStack::new(&mut memory.frames, &mut memory.slots),
            }
        });
        let mut instance = Instance {
            parts,
            limits,
            natives,
            arguments: Vec::new(),
            exhausted: None,
        };
        instance.initialize(state)?;
        Ok(instance)
    }

    /// Sets the fields of a state, and runs the static initializer and the constructor.
    fn initialize(&mut self, state: &State) -> Result<(), CallError<H::Error>> {
        for (_, field, _, value) in &state.0 {
            let value = match value {
                Set::One(value) => *value,
                Set::Array(kind, bytes, length) => {
                    let array = self.new_array(*kind, *length);
                    let array = array.map_err(|_| CallError::Limit {
                        limit: "heap_bytes",
                        most: HEAP_BYTES_MAX,
                        found: self.limits.heap_bytes,
                    })?;
                    if let Some(memory) = self.bytes_mut(array) {
                        memory.copy_from_slice(bytes);
                    }
                    array.0
                }
            };
            self.parts
                .with_dependent_mut(|_, parts| parts.instance.set_field(*field, value));
        }
        let mut stores = Stores::new(state.0.iter().map(|(_, field, ..)| *field));
        let program = self.parts.borrow_dependent().instance.program();
        let methods = program.initializers().collect::<Vec<_>>();
        for method in methods {
            let fuel = self.limits.fuel;
            let begun = self.parts.with_dependent_mut(|_, parts| {
                let Parts { instance, stack } = parts;
                instance.start(stack, method, &[], fuel, Lifetime::Persistent)
            });
            begun.map_err(|trap| self.failed(trap))?;
            self.run(None, &mut stores)?;
        }
        Ok(())
    }

    /// Calls a method. The instance is the receiver of a method that is not static.
    ///
    /// Arrays that the call allocates are freed at its end, so that calls do not fill the heap.
    ///
    /// # Errors
    ///
    /// Fails if another class made the handle, if the arguments do not match, or if the call ends in a trap or by a
    /// native that fails. After that the instance can still be called: its fields and permanent arrays keep the state
    /// of the call that failed.
    pub fn call(
        &mut self,
        method: Method,
        arguments: &[Value],
    ) -> Result<Returned, CallError<H::Error>> {
        self.exhausted = None;
        let class = &self.parts.borrow_owner().class;
        class.own(method.class)?;
        let heap = self.parts.borrow_dependent().instance.heap();
        let fits = class.signature(method.id).is_some_and(|signature| {
            self.arguments.clear();
            pass(heap, signature, arguments, &mut self.arguments)
        });
        if !fits {
            return Err(CallError::Arguments {
                method: self.named(method.id),
                found: arguments.to_vec(),
            });
        }
        let Self {
            parts,
            limits,
            natives,
            arguments: passed,
            ..
        } = self;
        let mut performing = Performing::new(natives);
        let outcome = parts.with_dependent_mut(|_, Parts { instance, stack }| {
            let per_call = Lifetime::PerCall;
            instance.call(
                stack,
                method.id,
                passed,
                limits.fuel,
                per_call,
                &mut performing,
            )
        });
        let failed = performing.failed;
        self.ended(method.id, self.limits.fuel, outcome, failed)
    }

    /// Runs on the call that has just run out of fuel, with `fuel` more. In the end the call has done what it would have
    /// done with all fuel at once, and [`Returned::fuel`] counts all of it.
    ///
    /// ```
    /// use jive_embed::{CallError, Limits, NoNatives, TrapKind, load};
    ///
    /// # let class = load(include_bytes!("../examples/Filter.class"), &[])?;
    /// # let accept = class.method("accept", "([BI)Z")?;
    /// let mut filter = class.instantiate(Limits::default(), NoNatives)?;
    /// filter.set_fuel(2);
    /// let packet = filter.bytes_from(b"hello")?;
    /// let mut returned = filter.call(accept, &[packet.into(), 5.into()]);
    /// while let Err(CallError::Trap { trap }) = &returned && trap.trap.kind == TrapKind::FuelExhausted {
    ///     returned = filter.resume(2);
    /// }
    /// assert!(returned?.fuel > 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails as [`Instance::call`] does. Fails with [`CallError::NotExhausted`] if the last call did not run out of
    /// fuel, or if the program has made an array since.
    pub fn resume(&mut self, fuel: u64) -> Result<Returned, CallError<H::Error>> {
        let Some((method, had)) = self.exhausted.take() else {
            return Err(CallError::NotExhausted);
        };
        let granted = had.saturating_add(fuel);
        let (outcome, failed) = self.steps(Some(fuel), &mut Stores::new([]));
        self.ended(method, granted, outcome, failed)
    }

    /// Sets the fuel of each call that follows.
    pub const fn set_fuel(&mut self, fuel: u64) {
        self.limits.fuel = fuel;
    }

    /// Converts the end of a call.
    fn ended(
        &mut self,
        method: MethodId,
        granted: u64,
        outcome: Result<Option<i32>, Trap>,
        failed: Option<H::Error>,
    ) -> Result<Returned, CallError<H::Error>> {
        let value = match outcome {
            Ok(value) => value,
            Err(trap) => {
                if trap.kind == TrapKind::FuelExhausted {
                    self.exhausted = Some((method, granted));
                }
                return Err(self.failed_by(trap, failed));
            }
        };
        let Parts { instance, stack } = self.parts.borrow_dependent();
        let fuel = granted.saturating_sub(stack.fuel_left());
        let class = &self.parts.borrow_owner().class;
        let result = class
            .signature(method)
            .and_then(|signature| signature.result);
        let value = match (value, result) {
            (None, _) | (_, None) => None,
            (Some(value), Some(Kind::Int)) => Some(Value::Int(value)),
            (Some(0), Some(_)) => Some(Value::Null),
            (Some(_), Some(Kind::Object)) => Some(Value::This),
            (Some(value), Some(Kind::Array(_))) => match instance.heap().array(value) {
                Some(_) => Some(Value::Array(ArrayRef(value))),
                None => {
                    return Err(CallError::TransientResult {
                        method: self.named(method),
                    });
                }
            },
        };
        Ok(Returned { value, fuel })
    }

    /// Runs an initializer that has begun.
    fn run(
        &mut self,
        more_fuel: Option<u64>,
        stores: &mut Stores,
    ) -> Result<(), CallError<H::Error>> {
        let (outcome, failed) = self.steps(more_fuel, stores);
        match outcome {
            Ok(_) => Ok(()),
            Err(trap) => Err(self.failed_by(trap, failed)),
        }
    }

    /// Runs a call that has begun, or that ran out of fuel, to its end.
    fn steps(
        &mut self,
        more_fuel: Option<u64>,
        stores: &mut Stores,
    ) -> (Result<Option<i32>, Trap>, Option<H::Error>) {
        let natives = self.parts.borrow_owner().class.native_count();
        let mut performing = Performing::new(&mut self.natives);
        let outcome = self.parts.with_dependent_mut(|_, parts| {
            let Parts { instance, stack } = parts;
            let mut step = match more_fuel {
                Some(fuel) => instance.refuel(stack, fuel),
                None => instance.run(stack),
            };
            loop {
                let id = match step {
                    Step::Returned(value) => return Ok(value),
                    Step::Trapped(trap) => return Err(trap),
                    Step::Native { id, .. } => id,
                };
                let outcome = match (stored_field(id, natives), stack.native_arguments()) {
                    (Some(field), &[value]) => {
                        stores.store(instance, field, value);
                        Ok(0)
                    }
                    (Some(_) | None, _) => {
                        let charged = stack.charge(Natives::extra_fuel(&performing, id));
                        let arguments = stack.native_arguments();
                        charged.and_then(|()| {
                            Natives::call(&mut performing, id, arguments, instance.heap_mut())
                        })
                    }
                };
                stack.resume(outcome);
                step = instance.run(stack);
            }
        });
        (outcome, performing.failed)
    }

    fn failed(&self, trap: Trap) -> CallError<H::Error> {
        self.failed_by(trap, None)
    }

    /// Names the place of a trap, by which the call ended, or of the native that failed.
    fn failed_by(&self, trap: Trap, failed: Option<H::Error>) -> CallError<H::Error> {
        let trap = self.placed(trap);
        match failed {
            Some(error) => CallError::Host {
                error,
                at: trap.place(),
            },
            None => CallError::Trap { trap },
        }
    }
}

/// Converts arguments to the interpreter's values. Returns whether they fit the parameters.
fn pass(heap: &Heap<'_>, signature: &Signature, arguments: &[Value], to: &mut Vec<i32>) -> bool {
    let parameters = &signature.parameters;
    let values = parameters.iter().zip(arguments);
    let values = values.map_while(|(kind, argument)| match (*kind, *argument) {
        (Kind::Int, Value::Int(value)) => Some(value),
        (Kind::Object | Kind::Array(_), Value::Null) => Some(0),
        (Kind::Object, Value::This) => Some(THIS),
        (Kind::Array(kind), Value::Array(array)) => {
            let found = heap.array(array.0)?;
            (found.kind == kind).then_some(array.0)
        }
        (_, Value::Int(_) | Value::Null | Value::Array(_) | Value::This) => None,
    });
    to.extend(values);
    parameters.len() == arguments.len() && to.len() == arguments.len()
}

impl<H> Instance<H> {
    /// Returns the value of a field.
    ///
    /// # Errors
    ///
    /// Fails if another class made the handle.
    pub fn get<T: Scalar>(&self, field: Field<T>) -> Result<T, HandleError> {
        self.parts.borrow_owner().class.own(field.class)?;
        let value = self.parts.borrow_dependent().instance.field(field.id);
        Ok(T::from_int(value))
    }

    /// Stores a value in a field.
    ///
    /// # Errors
    ///
    /// Fails if another class made the handle.
    pub fn set<T: Scalar>(&mut self, field: Field<T>, value: T) -> Result<(), HandleError> {
        self.parts.borrow_owner().class.own(field.class)?;
        self.store(field.id, value.to_int());
        Ok(())
    }

    /// Returns the array in a field, or `None` for null.
    ///
    /// # Errors
    ///
    /// Fails if another class made the handle.
    pub fn array<T: Scalar>(&self, field: Field<[T]>) -> Result<Option<ArrayRef>, HandleError> {
        self.parts.borrow_owner().class.own(field.class)?;
        let value = self.parts.borrow_dependent().instance.field(field.id);
        Ok((value != 0).then_some(ArrayRef(value)))
    }

    /// Returns the elements of the array in a field, or `None` for null.
    ///
    /// # Errors
    ///
    /// Fails if another class made the handle.
    pub fn get_array<T: Scalar>(&self, field: Field<[T]>) -> Result<Option<Vec<T>>, HandleError> {
        Ok(self.array(field)?.and_then(|array| self.elements(array)))
    }

    /// Stores an array, or null, in a field.
    ///
    /// # Errors
    ///
    /// Fails if another class made the handle, or if the array is none of this instance or of another type.
    pub fn set_array<T: Scalar>(
        &mut self,
        field: Field<[T]>,
        array: Option<ArrayRef>,
    ) -> Result<(), HandleError> {
        self.parts.borrow_owner().class.own(field.class)?;
        if let Some(array) = array {
            let heap = self.parts.borrow_dependent().instance.heap();
            let found = heap.array(array.0).filter(|found| found.kind == T::ARRAY);
            found.ok_or(HandleError::Array)?;
        }
        self.store(field.id, array.map_or(0, |array| array.0));
        Ok(())
    }

    fn store(&mut self, field: FieldId, value: i32) {
        self.parts
            .with_dependent_mut(|_, parts| parts.instance.set_field(field, value));
    }

    /// Allocates a zeroed array that lives as long as the instance.
    ///
    /// # Errors
    ///
    /// Fails if the heap has no room for the array.
    pub fn new_array(&mut self, kind: ArrayKind, length: usize) -> Result<ArrayRef, TrapKind> {
        self.exhausted = None;
        let length = i32::try_from(length).map_err(|_| TrapKind::OutOfMemoryError)?;
        self.parts.with_dependent_mut(|_, parts| {
            let array = parts.instance.heap_mut().allocate(kind, length);
            array.map(ArrayRef)
        })
    }

    /// Allocates an array of these elements that lives as long as the instance.
    ///
    /// # Errors
    ///
    /// Fails if the heap has no room for the array.
    pub fn array_from<T: Scalar>(&mut self, elements: &[T]) -> Result<ArrayRef, TrapKind> {
        let array = self.new_array(T::ARRAY, elements.len())?;
        if let Some(memory) = self.bytes_mut(array) {
            memory.copy_from_slice(&to_bytes(elements));
        }
        Ok(array)
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

    /// Returns the elements of an array of the instance. Returns `None` if the reference names no array, or one of
    /// another type.
    pub fn elements<T: Scalar>(&self, array: ArrayRef) -> Option<Vec<T>> {
        let heap = self.parts.borrow_dependent().instance.heap();
        let found = heap.array(array.0)?;
        (found.kind == T::ARRAY).then(|| heap.bytes(array.0).map(from_bytes))?
    }

    /// Borrows the bytes of an array of the instance. Elements of a `short[]` or `int[]` are in little-endian order.
    pub fn bytes(&self, array: ArrayRef) -> Option<&[u8]> {
        self.parts.borrow_dependent().instance.heap().bytes(array.0)
    }

    /// Borrows the bytes of an array of the instance mutably.
    pub fn bytes_mut(&mut self, array: ArrayRef) -> Option<&mut [u8]> {
        self.parts
            .with_dependent_mut(|_, parts| parts.instance.heap_mut().bytes_mut(array.0))
    }

    /// Borrows the natives of the instance.
    pub const fn natives(&self) -> &H {
        &self.natives
    }

    /// Borrows the natives of the instance mutably.
    pub const fn natives_mut(&mut self) -> &mut H {
        &mut self.natives
    }

    /// Returns the name and descriptor of a method, safe for display on a terminal.
    fn named(&self, id: MethodId) -> String {
        match self.parts.borrow_owner().class.linked().class.method(id) {
            Some(method) => format!("{}{}", Cut(method.name), Cut(method.descriptor)),
            None => String::new(),
        }
    }

    fn placed(&self, trap: Trap) -> NamedTrap {
        let class = self.parts.borrow_owner().class.linked().class;
        let code = class.method(trap.method).and_then(|method| method.code());
        NamedTrap {
            trap,
            method: self.named(trap.method),
            source: names::source_name(&class),
            line: code.and_then(|code| code.line(trap.pc)),
        }
    }
}

impl<H> fmt::Debug for Instance<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("class", &self.parts.borrow_owner().class.name())
            .finish_non_exhaustive()
    }
}
