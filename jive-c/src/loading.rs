//! Loading: how much memory a class needs, and why it is refused.

use core::mem::{MaybeUninit, align_of};

use bump_into::BumpInto;
use jive_core::limits::REGISTER_WINDOW;
use jive_core::{ClassFile, Frame, LinkErrorKind, NativeDecl, ParseErrorKind};
use jive_load::{LoadError, LoadSize, Room, initialize, load, parse};
use jive_verifier::{Location, Policy, VerifyErrorKind};

use crate::lent::Lent;
use crate::natives::{JiveNative, Performing, declare, declared_bytes};
use crate::state::{Jive, Loaded, State, status};
use crate::{JiveStatus, JiveText, given};

/// How much memory an instance may use, and how many nested calls.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct JiveRoom {
    /// Bytes of heap for arrays.
    pub heap_bytes: usize,
    /// How many calls may be nested, including the call from C.
    pub nested_calls: usize,
}

/// How much memory loading a class takes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct JiveNeeds {
    /// Bytes that the class and its instance keep.
    pub memory: usize,
    /// Bytes that are free again after loading.
    pub scratch: usize,
}

/// Which rule a refused class breaks, and where.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct JiveRefusal {
    /// The stable code, such as `"subset/long"`. `jive explain CODE` on a host explains it.
    pub code: JiveText,
    /// Number of the method in the class file, or -1 if the rule is not about a method.
    pub method: i32,
    /// The instruction, as its offset in the method's code, or -1 if the rule is not about an instruction.
    pub pc: i32,
    /// For bytes that are not a class file, the offset of the wrong one; otherwise -1.
    pub offset: i64,
}

/// Maximum number of bytes of padding before an instance's slices: frames, slots and fields.
const INSTANCE_PADDING: usize = align_of::<Frame>() + 2 * align_of::<i32>();

/// Returns how many bytes the handle takes, with padding before it.
const fn handle_bytes() -> usize {
    size_of::<Jive>().saturating_add(align_of::<Jive>())
}

/// Says how much memory `jive_load` needs for a class file. It parses the class, for which it needs some of the scratch
/// memory itself. If that is too little, it answers `JIVE_STATUS_NO_MEMORY`, and `needs->scratch` is what it lacks.
///
/// # Safety
///
/// `class_file` leads to `class_length` bytes, `natives` to `native_count` rows, `scratch` to `scratch_length` bytes that
/// nothing else uses, and `needs` to a `JiveNeeds`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_memory_needed(
    class_file: *const u8,
    class_length: usize,
    natives: *const JiveNative,
    native_count: usize,
    room: JiveRoom,
    scratch: *mut u8,
    scratch_length: usize,
    needs: *mut JiveNeeds,
) -> JiveStatus {
    // SAFETY: The caller promises it.
    let needed = unsafe {
        let memory = given::memory(scratch, scratch_length);
        let natives = given::slice(natives, native_count).and_then(|rows| declared_bytes(rows));
        match (given::slice(class_file, class_length), natives, memory) {
            (Ok(class), Ok(natives), Ok(memory)) => needed(class, natives, room, memory),
            (Err(error), _, _) | (_, Err(error), _) | (_, _, Err(error)) => (
                JiveNeeds {
                    memory: 0,
                    scratch: 0,
                },
                error,
            ),
        }
    };
    let (numbers, result) = needed;
    // SAFETY: The caller promises it.
    match unsafe { given::put(needs, numbers) } {
        Ok(()) => result,
        Err(error) => error,
    }
}

fn needed(
    bytes: &[u8],
    natives: usize,
    room: JiveRoom,
    scratch: &mut [MaybeUninit<u8>],
) -> (JiveNeeds, JiveStatus) {
    let index = ClassFile::index_len(bytes).saturating_mul(size_of::<u32>());
    let index = index.saturating_add(align_of::<u32>());
    let mut needs = JiveNeeds {
        memory: 0,
        scratch: index,
    };
    if scratch.len() < index {
        return (needs, JiveStatus::NoMemory);
    }
    let storage = Lent::new(scratch);
    let Ok(class) = parse(bytes, &storage) else {
        return (needs, JiveStatus::Refused);
    };
    let size = LoadSize::of(&class);
    let codes = class.methods().filter_map(|method| method.code());
    let registers = codes.map(|code| code.max_locals.saturating_add(code.max_stack));
    // What `Program::slots_for` counts, before there is a program.
    let slots = usize::from(registers.max().unwrap_or(0))
        .saturating_mul(room.nested_calls)
        .saturating_add(REGISTER_WINDOW);
    let fields = class.fields().len();
    let instance = room
        .nested_calls
        .saturating_mul(size_of::<Frame>())
        .saturating_add(
            slots
                .saturating_add(fields)
                .saturating_mul(size_of::<i32>()),
        )
        .saturating_add(room.heap_bytes)
        .saturating_add(INSTANCE_PADDING);
    needs = JiveNeeds {
        memory: handle_bytes()
            .saturating_add(index)
            .saturating_add(size.kept_bytes())
            .saturating_add(instance),
        scratch: index.max(size.scratch_bytes().saturating_add(natives)),
    };
    (needs, JiveStatus::Ok)
}

/// Loads a class: parses, verifies and links it, makes an instance, and runs its static initializer and its constructor
/// without parameters with `fuel` instructions each. `fuel` is the fuel of later calls too.
///
/// `*jive` is a handle, or null if there is none. There is one after `JIVE_STATUS_OK`; after `JIVE_STATUS_REFUSED`, for
/// `jive_explain` alone; and after `JIVE_STATUS_TRAPPED`, if an initializer trapped.
///
/// # Safety
///
/// `class_file` leads to `class_length` bytes, `natives` to `native_count` rows, `memory` to `memory_length` bytes and
/// `scratch` to `scratch_length` bytes that nothing else uses. Class file, rows and memory stay as they are as long as
/// the handle is used; the scratch memory is free when the function returns. `jive` leads to a `Jive *`. The callbacks of
/// the natives may be called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_load(
    class_file: *const u8,
    class_length: usize,
    natives: *const JiveNative,
    native_count: usize,
    room: JiveRoom,
    fuel: u64,
    memory: *mut u8,
    memory_length: usize,
    scratch: *mut u8,
    scratch_length: usize,
    jive: *mut *mut Jive,
) -> JiveStatus {
    // SAFETY: The caller promises it. What the handle keeps is borrowed for as long as the program runs, and the caller
    // promises that it stays as it is while the handle is used.
    let loaded = unsafe {
        let given = Given {
            bytes: given::slice(class_file, class_length),
            natives: given::slice(natives, native_count),
            memory: given::memory(memory, memory_length),
            scratch: given::memory(scratch, scratch_length),
        };
        given.load(room, fuel)
    };
    let (handle, result) = match loaded {
        Ok((handle, result)) => (handle, result),
        Err(error) => (core::ptr::null_mut(), error),
    };
    // SAFETY: The caller promises it.
    match unsafe { given::put(jive, handle) } {
        Ok(()) => result,
        Err(error) => error,
    }
}

/// What `jive_load` was given, with what is wrong with it.
struct Given<'s> {
    bytes: Result<&'static [u8], JiveStatus>,
    natives: Result<&'static [JiveNative], JiveStatus>,
    memory: Result<&'static mut [MaybeUninit<u8>], JiveStatus>,
    scratch: Result<&'s mut [MaybeUninit<u8>], JiveStatus>,
}

impl Given<'_> {
    /// # Safety
    ///
    /// The names of each native are null, or lead to texts.
    unsafe fn load(self, room: JiveRoom, fuel: u64) -> Result<(*mut Jive, JiveStatus), JiveStatus> {
        let (bytes, natives) = (self.bytes?, self.natives?);
        let (memory, scratch) = (self.memory?, self.scratch?);
        // SAFETY: The caller promises it.
        let declared = unsafe { declared_bytes(natives) }?;
        let (declared, scratch) = scratch
            .split_at_mut_checked(declared)
            .ok_or(JiveStatus::NoMemory)?;
        let declared = Lent::new(declared);
        // SAFETY: The caller promises it.
        let declared = unsafe { declare(natives, &declared) }?;
        let (handle, memory) = memory
            .split_at_mut_checked(handle_bytes())
            .ok_or(JiveStatus::NoMemory)?;
        let kept = Lent::new(memory);
        let made = make(
            bytes,
            (natives, declared),
            (room, fuel),
            &kept,
            &Lent::new(scratch),
        )?;
        let place = BumpInto::from_slice(handle);
        let handle: *mut Jive = place
            .alloc(Jive::new(made))
            .map_err(|_| JiveStatus::NoMemory)?;
        // SAFETY: The handle was made above, and nothing else uses it.
        let result = unsafe {
            Jive::with_state(handle, |state| match state {
                State::Loaded(loaded) => loaded.initialize(fuel),
                State::Refused(_) => JiveStatus::Refused,
            })
        }?;
        Ok((handle, result))
    }
}

/// Loads the class and makes its instance, in the memory that the class keeps.
// Not inlined, so that the state is moved as a whole and not field by field.
#[inline(never)]
fn make(
    bytes: &'static [u8],
    (natives, declared): (&'static [JiveNative], &[NativeDecl<'_>]),
    (room, fuel): (JiveRoom, u64),
    kept: &Lent<'static>,
    scratch: &Lent<'_>,
) -> Result<State, JiveStatus> {
    let class = match load(bytes, Policy::ClassOnly, declared, kept, scratch) {
        Ok(class) => class,
        Err(error) if is_shortage(error) => return Err(JiveStatus::NoMemory),
        Err(error) => return Ok(State::Refused(error)),
    };
    let JiveRoom {
        heap_bytes,
        nested_calls,
    } = room;
    if i32::try_from(heap_bytes).is_err() || u16::try_from(nested_calls).is_err() {
        return Err(JiveStatus::Argument);
    }
    let room = Room {
        heap_bytes,
        nested_calls,
    };
    if room.bytes(&class) > kept.remaining() {
        return Err(JiveStatus::NoMemory);
    }
    let (instance, stack) = room.instance(&class, kept);
    Ok(State::Loaded(Loaded {
        class,
        instance,
        stack,
        natives,
        fuel,
        granted: 0,
        used: 0,
        trap: None,
        exhausted: None,
    }))
}

impl Loaded {
    fn initialize(&mut self, fuel: u64) -> JiveStatus {
        let mut natives = Performing(self.natives);
        let ended = initialize(&mut self.instance, &mut self.stack, fuel, &mut natives);
        match ended {
            Ok(()) => JiveStatus::Ok,
            Err(trap) => {
                self.trap = Some(trap);
                JiveStatus::Trapped
            }
        }
    }
}

/// Returns whether loading failed because the lent memory is too small.
const fn is_shortage(error: LoadError) -> bool {
    match error {
        LoadError::Parse(error) => matches!(error.kind, ParseErrorKind::IndexSize { .. }),
        LoadError::Verify(error) => matches!(error.kind, VerifyErrorKind::WorkArea),
        LoadError::Link(error) => matches!(error.kind, LinkErrorKind::StorageTooSmall { .. }),
    }
}

/// Says which rule a refused class breaks, and where. Answers `JIVE_STATUS_NOT_FOUND` if the class was not refused.
///
/// # Safety
///
/// `jive` is of `jive_load`; `refusal` leads to a `JiveRefusal`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_explain(jive: *const Jive, refusal: *mut JiveRefusal) -> JiveStatus {
    // SAFETY: The caller promises it.
    let explained = unsafe {
        Jive::with_state(jive, |state| match state {
            State::Loaded(_) => Err(JiveStatus::NotFound),
            State::Refused(error) => given::put(refusal, refused(*error)),
        })
    };
    status(explained.and_then(|explained| explained))
}

fn refused(error: LoadError) -> JiveRefusal {
    let (method, pc, offset) = match error {
        LoadError::Parse(error) => (None, None, Some(error.offset)),
        LoadError::Verify(error) => match error.at {
            Location::Code { method, pc } => (Some(method), Some(pc), None),
            Location::Method(method) => (Some(method), None, None),
            Location::Class | Location::Field(_) => (None, None, None),
        },
        LoadError::Link(_) => (None, None, None),
    };
    JiveRefusal {
        code: JiveText::of(error.code()),
        method: method.map_or(-1, |method| method.0.into()),
        pc: pc.map_or(-1, |pc| pc.0.into()),
        offset: offset.map_or(-1, i64::from),
    }
}
