//! Machines that run a class, and what can be seen of their calls.

use jive_core::{
    ArrayKind, CallSite, CallStack, FieldType, Frame, Heap, Instance, LinkedClass,
    MethodDescriptor, MethodId, Program, Trap, TrapValues,
};

use crate::{Mock, Performed, Suspends};

/// Bytes of heap of each instance.
const HEAP: usize = 4096;

/// What can be seen of a call that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen<'s> {
    /// What it returned, or its trap.
    pub outcome: Result<Option<i32>, Trap>,
    /// The values of the trap.
    pub values: Option<TrapValues<'s>>,
    /// The callers of the trap.
    pub backtrace: Vec<CallSite>,
    /// How many instructions it has executed.
    pub executed: u64,
    /// The fuel that it has left.
    pub left: u64,
    /// All fields.
    pub fields: Vec<i32>,
    /// The filled part of the heap.
    pub heap: Vec<u8>,
    /// The same at the time of the trap.
    pub at_trap: Vec<u8>,
    /// How many bytes of new arrays were cleared.
    pub cleared: u32,
    /// The natives that it has performed.
    pub performed: Vec<Performed>,
}

/// The memory of an instance and of its calls.
#[derive(Debug)]
pub struct Memory {
    fields: Vec<i32>,
    heap: Vec<u8>,
    frames: Vec<Frame>,
    slots: Vec<i32>,
}

impl Memory {
    /// Makes memory for calls nested to a depth, with slots for as many calls as stated.
    #[must_use]
    pub fn new(program: &Program<'_>, depth: usize, slots: usize) -> Memory {
        Memory {
            fields: vec![0; program.field_count()],
            heap: vec![0xa5; HEAP],
            frames: vec![Frame::default(); depth],
            slots: vec![0x5a5a_5a5a; program.slots_for(slots)],
        }
    }
}

/// An instance with all that its calls need.
#[derive(Debug)]
pub struct Machine<'m> {
    /// The instance.
    pub instance: Instance<'m>,
    /// The call stack, with the activation of the last call.
    pub stack: CallStack<'m>,
    /// The natives, which note what is performed.
    pub natives: Mock,
}

impl<'m> Machine<'m> {
    /// Makes an instance whose initializers have not run.
    pub fn new(program: Program<'m>, memory: &'m mut Memory, suspends: Suspends) -> Machine<'m> {
        let heap = Heap::new(&mut memory.heap);
        Machine {
            instance: Instance::new(program, &mut memory.fields, heap),
            stack: CallStack::new(&mut memory.frames, &mut memory.slots),
            natives: Mock::new(suspends),
        }
    }

    /// Returns what can be seen of the last call.
    pub fn seen(&mut self, outcome: Result<Option<i32>, Trap>) -> Seen<'_> {
        let trap = outcome.err();
        let heap = self.instance.heap().contents().to_vec();
        let at_trap = match trap {
            Some(_) => self.instance.heap_at_trap(&self.stack).contents().to_vec(),
            None => Vec::new(),
        };
        Seen {
            outcome,
            values: trap.and_then(|trap| self.instance.trap_values(&self.stack, trap.kind)),
            backtrace: match trap {
                Some(trap) => self.instance.backtrace(&self.stack, trap).collect(),
                None => Vec::new(),
            },
            executed: self.stack.executed(),
            left: self.stack.fuel_left(),
            fields: self.instance.fields().to_vec(),
            heap,
            at_trap,
            cleared: self.instance.heap_mut().take_cleared(),
            performed: std::mem::take(&mut self.natives.performed),
        }
    }
}

/// Values of `int` parameters, taken in turn.
const INTS: [i32; 12] = [0, 1, 5, -1, 2, 17, 63, i32::MIN, i32::MAX, 255, -129, 9];

/// Makes the arguments of a method, the same in both heaps. They depend on the turn.
///
/// # Panics
///
/// Panics if the text is no descriptor of a method, or if the heaps differ.
#[must_use]
pub fn arguments(method: &str, turn: usize, heaps: [&mut Heap<'_>; 2]) -> Vec<i32> {
    let descriptor = MethodDescriptor::parse(method.as_bytes()).unwrap();
    let [first, second] = heaps;
    let parameters = descriptor.parameters().enumerate();
    parameters
        .map(|(place, parameter)| match parameter {
            FieldType::Array { .. } => {
                let kind = parameter.array_kind();
                let length = [8, 0, 3, 20][(turn + place) % 4];
                match kind {
                    Some(kind) if !(turn + place).is_multiple_of(5) => {
                        let array = first.allocate(kind, length);
                        assert_eq!(array, second.allocate(kind, length));
                        let array = array.unwrap_or(0);
                        for heap in [&mut *first, &mut *second] {
                            let bytes = heap.bytes_mut(array).unwrap_or_default();
                            for (at, byte) in bytes.iter_mut().enumerate() {
                                let value = (at * 37 + turn) % 251;
                                *byte = match kind {
                                    ArrayKind::Boolean => (value & 1) as u8,
                                    _ => value as u8,
                                };
                            }
                        }
                        array
                    }
                    _ => 0,
                }
            }
            FieldType::Object(_) => -i32::from(!(turn + place).is_multiple_of(3)),
            FieldType::Boolean => i32::try_from((turn + place) % 2).unwrap(),
            FieldType::Byte => (INTS[(turn + place * 5) % INTS.len()] as i8).into(),
            FieldType::Short => (INTS[(turn + place * 5) % INTS.len()] as i16).into(),
            _ => INTS[(turn + place * 5) % INTS.len()],
        })
        .collect()
}

/// The methods of a class that have code: id and descriptor.
#[must_use]
pub fn methods(linked: &LinkedClass<'_>) -> Vec<(MethodId, String)> {
    let methods = linked.class.methods();
    methods
        .filter(|method| method.code().is_some())
        .map(|method| (method.id, method.descriptor.to_string()))
        .collect()
}
