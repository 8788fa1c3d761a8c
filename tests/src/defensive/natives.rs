//! Natives with predetermined answers, so that two interpreters that make the same calls get the same answers.

use jive_core::{ArrayKind, Heap, NativeDecl, NativeId, NativeType, Natives, TrapKind};
use nic_core::sle::NicNative;

use crate::fuzzing::check_argument;
use jive_lab::Random;

/// The effect and result of a native.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The byte with which the native fills its first array argument, if any.
    pub filled: Option<u8>,
    /// The result.
    pub result: Outcome,
}

/// The result of a native.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A trap, in which case the native has no effect.
    Trap(TrapKind),
    /// No result, for a `void` native.
    Nothing,
    /// An `int`.
    Int(i32),
    /// Null, for a native that returns an array.
    Null,
    /// A new array.
    Array(ArrayKind, i32),
}

/// How natives choose their answers.
#[derive(Clone, Debug)]
enum Manner {
    /// Natives answer by a stream of random numbers.
    Random(Random),
    /// Natives answer like a NIC without faults; `buffers` counts the free buffers requested so far.
    Obliging { buffers: i32 },
}

/// Bytes of a free buffer of the fault-free NIC.
const BUFFER_LENGTH: i32 = 512;
/// One in this many requests finds the free queue of the fault-free NIC empty.
const BUFFERS: i32 = 16;

/// The natives of a table, their answers and their calls.
#[derive(Clone, Debug)]
pub struct NativeAnswers {
    table: &'static [NativeDecl<'static>],
    manner: Manner,
    /// The calls so far with their arguments, in which arrays are references.
    pub(super) asked: Vec<(NativeId, Vec<i32>)>,
}

impl NativeAnswers {
    /// Returns natives whose answers depend on `seed`.
    #[must_use]
    pub fn new(table: &'static [NativeDecl<'static>], seed: u64) -> NativeAnswers {
        NativeAnswers {
            table,
            manner: Manner::Random(Random::new(&seed.to_be_bytes())),
            asked: Vec::new(),
        }
    }

    /// Returns natives that answer like a NIC without faults: no native traps, and free buffers are usually available.
    #[must_use]
    pub fn obliging() -> NativeAnswers {
        NativeAnswers {
            table: NicNative::TABLE,
            manner: Manner::Obliging { buffers: 0 },
            asked: Vec::new(),
        }
    }

    pub(super) fn table(&self) -> &'static [NativeDecl<'static>] {
        self.table
    }

    /// Returns the answer to a call.
    pub(super) fn answer(&mut self, id: NativeId, arguments: Vec<i32>) -> Answer {
        let first = arguments.first().copied();
        self.asked.push((id, arguments));
        let random = match &mut self.manner {
            Manner::Random(random) => random,
            Manner::Obliging { buffers } => {
                let result = match NicNative::from_id(id) {
                    Some(NicNative::NewAlignedArray) => {
                        Outcome::Array(ArrayKind::Byte, first.unwrap_or_default())
                    }
                    Some(NicNative::GetFreeBufferLength) => Outcome::Int(BUFFER_LENGTH),
                    Some(NicNative::GetFreeBuffer) => {
                        *buffers = (*buffers + 1) % BUFFERS;
                        Outcome::Int(if *buffers == 0 {
                            -1
                        } else {
                            *buffers * BUFFER_LENGTH
                        })
                    }
                    other => match other.and_then(|native| native.decl().result) {
                        Some(_) => Outcome::Int(0),
                        None => Outcome::Nothing,
                    },
                };
                return Answer {
                    filled: None,
                    result,
                };
            }
        };
        if random.one_in(8) {
            return Answer {
                filled: None,
                result: Outcome::Trap(TrapKind::ProtectionFault),
            };
        }
        let kind = match self.table[id.index()].result {
            None | Some(NativeType::Int) => None,
            Some(NativeType::BooleanArray) => Some(ArrayKind::Boolean),
            Some(NativeType::ByteArray) => Some(ArrayKind::Byte),
            Some(NativeType::ShortArray) => Some(ArrayKind::Short),
            Some(NativeType::IntArray) => Some(ArrayKind::Int),
        };
        let result = match kind {
            None if self.table[id.index()].result.is_none() => Outcome::Nothing,
            None => Outcome::Int(random.int()),
            Some(_) if random.one_in(8) => Outcome::Null,
            Some(kind) => Outcome::Array(kind, random.int() & 15),
        };
        let [byte, ..] = random.draw().to_be_bytes();
        Answer {
            filled: random.one_in(2).then_some(byte),
            result,
        }
    }

    /// Returns the extra fuel of a native: 0, 1 or 2.
    pub(super) fn extra(id: NativeId) -> u64 {
        u64::from(id.0 % 3)
    }
}

/// The implementation of the natives that the shipped interpreter calls.
impl Natives for NativeAnswers {
    fn call(
        &mut self,
        id: NativeId,
        arguments: &[i32],
        heap: &mut Heap<'_>,
    ) -> Result<i32, TrapKind> {
        let parameters = self.table[id.index()].parameters;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            check_argument(parameter.kind, *argument, heap);
        }
        let answer = self.answer(id, arguments.to_vec());
        let array = first_array(&self.table[id.index()]).map(|place| arguments[place]);
        let result = match answer.result {
            Outcome::Trap(kind) => return Err(kind),
            Outcome::Nothing | Outcome::Null => 0,
            Outcome::Int(value) => value,
            Outcome::Array(kind, length) => heap.allocate(kind, length)?,
        };
        if let (Some(byte), Some(array)) = (answer.filled, array)
            && let Some(bytes) = heap.bytes_mut(array)
        {
            bytes.fill(byte);
        }
        Ok(result)
    }

    fn extra_fuel(&self, id: NativeId) -> u64 {
        NativeAnswers::extra(id)
    }
}

/// Returns the position of a native's first array parameter.
pub(super) fn first_array(decl: &NativeDecl) -> Option<usize> {
    decl.parameters
        .iter()
        .position(|parameter| parameter.kind != NativeType::Int)
}
