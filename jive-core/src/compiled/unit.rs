//! An instance of a printed class with its own memory, for the type that `jive-build` prints.

use core::fmt;
use core::marker::PhantomData;

use crate::array_kind::ArrayKind;
use crate::frame::{Activation, CallStack, Frame};
use crate::heap::{Bounds, Heap, Lifetime};
use crate::id::{MethodId, Pc};
use crate::instance::{Instance, Natives};
use crate::program::Program;
use crate::trap::{Trap, TrapKind};

use super::calls::{call, call_above};
use super::run::Code;
use super::standalone::{StandaloneCode, call_above_standalone, call_standalone};
use crate::limits::ARRAY_HEADER_BYTES;

/// An element of an array: `u8` of a `byte[]`, `bool`, `i16` and `i32` of the arrays of their Java types.
pub trait Scalar: Copy {
    /// The arrays with such elements.
    const KIND: ArrayKind;

    /// Stores the element in memory of its width.
    fn put(self, to: &mut [u8]);

    /// Loads an element from memory of its width.
    fn get(from: &[u8]) -> Self;
}

macro_rules! scalars {
    ($($Scalar:ident: $Kind:ident, $put:expr, $get:expr;)+) => {$(
        impl Scalar for $Scalar {
            const KIND: ArrayKind = ArrayKind::$Kind;

            #[inline]
            fn put(self, to: &mut [u8]) {
                for (to, byte) in to.iter_mut().zip($put(self)) {
                    *to = byte;
                }
            }

            #[inline]
            fn get(from: &[u8]) -> Self {
                let mut bytes = [0; 4];
                for (byte, from) in bytes.iter_mut().zip(from) {
                    *byte = *from;
                }
                $get(bytes)
            }
        }
    )+};
}

scalars! {
    u8: Byte, |byte: u8| [byte], |[byte, ..]: [u8; 4]| byte;
    bool: Boolean, |value: bool| [u8::from(value)], |[byte, ..]: [u8; 4]| byte & 1 != 0;
    i16: Short, i16::to_le_bytes, |[low, high, ..]: [u8; 4]| i16::from_le_bytes([low, high]);
    i32: Int, i32::to_le_bytes, i32::from_le_bytes;
}

/// What a typed method takes where its Java parameter is an array of `T`: elements that the call works on a copy of, or
/// an [`Array`] of the unit.
pub trait Elements<T: Scalar> {
    /// Returns the elements, or the array that already has them.
    fn elements(&self) -> Result<&[T], Array<T>>;

    /// Receives the elements as the call left them.
    fn receive(&mut self, _left: impl Iterator<Item = T>) {}
}

impl<T: Scalar> Elements<T> for Array<T> {
    fn elements(&self) -> Result<&[T], Array<T>> {
        Err(*self)
    }
}

impl<T: Scalar> Elements<T> for &[T] {
    fn elements(&self) -> Result<&[T], Array<T>> {
        Ok(self)
    }
}

impl<T: Scalar, const LENGTH: usize> Elements<T> for &[T; LENGTH] {
    fn elements(&self) -> Result<&[T], Array<T>> {
        Ok(*self)
    }
}

impl<T: Scalar> Elements<T> for &mut [T] {
    fn elements(&self) -> Result<&[T], Array<T>> {
        Ok(self)
    }

    fn receive(&mut self, left: impl Iterator<Item = T>) {
        self.iter_mut().zip(left).for_each(|(to, left)| *to = left);
    }
}

impl<T: Scalar, const LENGTH: usize> Elements<T> for &mut [T; LENGTH] {
    fn elements(&self) -> Result<&[T], Array<T>> {
        Ok(&**self)
    }

    fn receive(&mut self, left: impl Iterator<Item = T>) {
        self.iter_mut().zip(left).for_each(|(to, left)| *to = left);
    }
}

/// An array of a [`Unit`], or null. It lives as long as its unit.
///
/// Another unit refuses the array, or takes it for one of its own at the same place.
pub struct Array<T> {
    reference: i32,
    of: PhantomData<fn() -> T>,
}

impl<T> Array<T> {
    /// No array.
    pub const NULL: Self = Self::of(0);

    /// Returns the array that a reference names.
    #[must_use]
    pub const fn of(reference: i32) -> Self {
        Self {
            reference,
            of: PhantomData,
        }
    }

    /// Returns whether this is null.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.reference == 0
    }
}

impl<T> Copy for Array<T> {}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({})", self.reference)
    }
}

impl<T> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        self.reference == other.reference
    }
}

impl<T> Eq for Array<T> {}

/// An instance of a printed class, with the memory for its fields, its heap and its call stack.
#[derive(Debug)]
pub struct Unit<const FIELDS: usize, const HEAP: usize, const SLOTS: usize, const FRAMES: usize> {
    fields: [i32; FIELDS],
    memory: [u8; HEAP],
    slots: [i32; SLOTS],
    frames: [Frame; FRAMES],
    bounds: Bounds,
    activation: Activation,
    fuel: u64,
    /// Where the arrays begin that were passed to the next call.
    passed_from: Option<u32>,
}

impl<const FIELDS: usize, const HEAP: usize, const SLOTS: usize, const FRAMES: usize>
    Unit<FIELDS, HEAP, SLOTS, FRAMES>
{
    /// Makes an instance whose calls may execute `fuel` instructions each, and runs the static initializer and the
    /// constructor.
    ///
    /// # Errors
    ///
    /// Returns the trap in which an initializer ends.
    pub fn new<C: Code>(fuel: u64, natives: &mut impl Natives) -> Result<Self, Trap> {
        let mut unit = Self::of(C::program(), fuel);
        for method in C::program().initializers() {
            unit.with::<C, _>(|instance, stack| {
                let kept = Lifetime::Persistent;
                call::<C, _>(instance, stack, method, &[], fuel, kept, natives)
            })?;
        }
        Ok(unit)
    }

    /// Makes an instance as [`Unit::new`] does, of a class that runs without an interpreter.
    ///
    /// # Errors
    ///
    /// Returns the trap in which an initializer ends.
    pub fn new_standalone<C: StandaloneCode>(
        fuel: u64,
        natives: &mut impl Natives,
    ) -> Result<Self, Trap> {
        let mut unit = Self::of(C::program(), fuel);
        for method in C::program().initializers() {
            unit.lend(C::program(), |instance, stack| {
                let kept = Lifetime::Persistent;
                call_standalone::<C, _>(instance, stack, method, &[], fuel, kept, natives)
            })?;
        }
        Ok(unit)
    }

    /// Makes an instance whose initializers have not run.
    fn of(program: &Program<'_>, fuel: u64) -> Self {
        let mut memory = [0; HEAP];
        let bounds = Heap::new(&mut memory).bounds();
        let mut unit = Self {
            fields: [0; FIELDS],
            memory,
            slots: [0; SLOTS],
            frames: [Frame::default(); FRAMES],
            bounds,
            activation: Activation::default(),
            fuel,
            passed_from: None,
        };
        for (field, linked) in unit.fields.iter_mut().zip(program.fields()) {
            *field = linked.initial;
        }
        unit
    }

    /// Lends the instance and its call stack, for everything that they can do.
    #[inline(always)]
    pub fn with<C: Code, R>(
        &mut self,
        work: impl FnOnce(&mut Instance<'_>, &mut CallStack<'_>) -> R,
    ) -> R {
        self.lend(C::program(), work)
    }

    #[inline(always)]
    fn lend<R>(
        &mut self,
        program: &'static Program<'static>,
        work: impl FnOnce(&mut Instance<'_>, &mut CallStack<'_>) -> R,
    ) -> R {
        let mut instance = Instance {
            program: *program,
            fields: &mut self.fields,
            heap: Heap::joined(&mut self.memory, self.bounds),
        };
        let mut stack = CallStack {
            frames: &mut self.frames,
            slots: &mut self.slots,
            activation: self.activation,
        };
        let result = work(&mut instance, &mut stack);
        self.bounds = instance.heap.bounds();
        self.activation = stack.activation;
        result
    }

    /// Calls a method. What it allocates is freed at its end, and so are the arrays that [`Unit::pass`] has made for it.
    ///
    /// # Errors
    ///
    /// Returns the trap in which the call ends.
    #[inline]
    pub fn call<C: Code>(
        &mut self,
        method: u16,
        arguments: &[i32],
        natives: &mut impl Natives,
    ) -> Result<Option<i32>, Trap> {
        let (fuel, floor) = (self.fuel, self.passed_from.take());
        self.with::<C, _>(|instance, stack| {
            let method = MethodId(method);
            match floor {
                None => {
                    let lifetime = Lifetime::PerCall;
                    call::<C, _>(instance, stack, method, arguments, fuel, lifetime, natives)
                }
                Some(floor) => {
                    call_above::<C, _>(instance, stack, method, arguments, fuel, floor, natives)
                }
            }
        })
    }

    /// Calls a method as [`Unit::call`] does, of a class that runs without an interpreter.
    ///
    /// # Errors
    ///
    /// Returns the trap in which the call ends.
    #[inline]
    pub fn call_standalone<C: StandaloneCode>(
        &mut self,
        method: u16,
        arguments: &[i32],
        natives: &mut impl Natives,
    ) -> Result<Option<i32>, Trap> {
        let (fuel, floor) = (self.fuel, self.passed_from.take());
        let floor = Some(floor.unwrap_or(self.bounds.top()));
        self.lend(C::program(), |instance, stack| {
            let method = MethodId(method);
            call_above_standalone::<C, _>(instance, stack, method, arguments, fuel, floor, natives)
        })
    }

    /// Sets the number of instructions that each call may execute.
    pub const fn set_fuel(&mut self, fuel: u64) {
        self.fuel = fuel;
    }

    /// Returns how many instructions the last call has executed.
    #[must_use]
    pub const fn executed(&self) -> u64 {
        self.activation.granted.saturating_sub(self.activation.fuel)
    }

    /// Returns an argument for the next call, of a method whose parameter is an array.
    ///
    /// # Errors
    ///
    /// The trap is a [`TrapKind::ProtectionFault`] if the unit has no such array, and a [`TrapKind::OutOfMemoryError`] if
    /// the heap has no room for a copy.
    pub fn pass<T: Scalar>(&mut self, method: u16, array: &impl Elements<T>) -> Result<i32, Trap> {
        let mut heap = Heap::joined(&mut self.memory, self.bounds);
        let passed = match array.elements() {
            Ok(elements) => {
                let before = self.bounds.top();
                let length = i32::try_from(elements.len()).map_err(|_| TrapKind::OutOfMemoryError);
                let made = length.and_then(|length| heap.allocate(T::KIND, length));
                if made.is_ok() {
                    self.passed_from.get_or_insert(before);
                }
                let bytes = made.ok().and_then(|made| heap.bytes_mut(made));
                let places = bytes.unwrap_or_default();
                let places = places.chunks_exact_mut(T::KIND.width().into());
                for (place, element) in places.zip(elements) {
                    element.put(place);
                }
                made
            }
            Err(Array { reference, .. }) => match heap.array(reference) {
                Some(found) if found.kind == T::KIND => Ok(reference),
                None if reference == 0 => Ok(0),
                Some(_) | None => Err(TrapKind::ProtectionFault),
            },
        };
        self.bounds = heap.bounds();
        passed.map_err(|kind| {
            self.forget_passed();
            let (method, pc) = (MethodId(method), Pc(0));
            Trap { kind, method, pc }
        })
    }

    /// Frees what was passed to a call that is not made.
    fn forget_passed(&mut self) {
        if let Some(floor) = self.passed_from.take() {
            let mut heap = Heap::joined(&mut self.memory, self.bounds);
            heap.end_call_at(floor);
            self.bounds = heap.bounds();
        }
    }

    /// Gives back the elements of an argument that was passed, as the call left them.
    pub fn give_back<T: Scalar>(&self, reference: i32, array: &mut impl Elements<T>) {
        let Ok(length) = array.elements().map(<[T]>::len) else {
            return;
        };
        let width = usize::from(T::KIND.width());
        // The call has freed the array, but its bytes are still there.
        let start = usize::try_from(reference).unwrap_or(usize::MAX);
        let start = start.saturating_add(ARRAY_HEADER_BYTES as usize);
        let bytes = self.memory.get(start..).unwrap_or_default();
        let bytes = bytes.get(..length.saturating_mul(width));
        let elements = bytes.unwrap_or_default().chunks_exact(width);
        array.receive(elements.map(T::get));
    }

    /// Returns the array that a method returned.
    ///
    /// # Errors
    ///
    /// The trap is a [`TrapKind::TransientEscape`] if the array was freed at the end of the call.
    pub fn returned<T: Scalar>(&mut self, method: u16, reference: i32) -> Result<Array<T>, Trap> {
        let heap = Heap::joined(&mut self.memory, self.bounds);
        if reference == 0 || heap.array(reference).is_some() {
            return Ok(Array::of(reference));
        }
        Err(Trap {
            kind: TrapKind::TransientEscape,
            method: MethodId(method),
            pc: Pc(0),
        })
    }

    /// Makes a zeroed array, which lives as long as the unit.
    ///
    /// # Errors
    ///
    /// Returns [`TrapKind::OutOfMemoryError`] if the heap has no room.
    pub fn array<T: Scalar>(&mut self, length: usize) -> Result<Array<T>, TrapKind> {
        let length = i32::try_from(length).map_err(|_| TrapKind::OutOfMemoryError)?;
        let mut heap = Heap::joined(&mut self.memory, self.bounds);
        let made = heap.allocate(T::KIND, length);
        self.bounds = heap.bounds();
        made.map(Array::of)
    }

    /// Borrows the bytes of an array. Elements of a `short[]` or `int[]` are little-endian.
    pub fn bytes_mut<T: Scalar>(&mut self, array: Array<T>) -> Option<&mut [u8]> {
        let heap = Heap::joined(&mut self.memory, self.bounds);
        let found = heap.array(array.reference)?;
        let start = usize::try_from(found.start).ok()?;
        let length = usize::try_from(found.byte_length()).ok()?;
        self.memory.get_mut(start..)?.get_mut(..length)
    }
}
