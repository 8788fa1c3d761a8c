//! Natives whose answers are decided beforehand, so that two interpreters which ask alike are answered alike.

use jive_core::{ArrayKind, Heap, NativeDecl, NativeId, NativeType, Natives, TrapKind};
use nic_core::sle::NicNative;

use crate::fuzzing::{Random, check_argument};

/// What a native does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What every byte of its first array argument is set to.
    pub filled: Option<u8>,
    /// What it gives back.
    pub result: Outcome,
}

/// What a native gives back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A trap; the native has then done nothing.
    Trap(TrapKind),
    /// Nothing, of a void native.
    Nothing,
    /// An `int`.
    Int(i32),
    /// Null, where an array is expected.
    Null,
    /// A new array.
    Array(ArrayKind, i32),
}

/// How natives choose what they do.
#[derive(Clone, Debug)]
enum Manner {
    /// By a stream of random numbers.
    Random(Random),
    /// As a NIC does on which nothing is amiss, so many free buffers having been asked for.
    Obliging { buffers: i32 },
}

/// Bytes of each free buffer of the obliging NIC.
const BUFFER_LENGTH: i32 = 512;
/// The obliging NIC's free queue is empty once in so many calls.
const BUFFERS: i32 = 16;

/// The natives of a table with a manner of answering, and what they were asked.
#[derive(Clone, Debug)]
pub struct NativeAnswers {
    table: &'static [NativeDecl],
    manner: Manner,
    /// Each call with its arguments, arrays as references.
    pub(super) asked: Vec<(NativeId, Vec<i32>)>,
}

impl NativeAnswers {
    /// Begins a stream that this seed decides.
    #[must_use]
    pub fn new(table: &'static [NativeDecl], seed: u64) -> NativeAnswers {
        NativeAnswers {
            table,
            manner: Manner::Random(Random::new(&seed.to_be_bytes())),
            asked: Vec::new(),
        }
    }

    /// Answers as a NIC does on which nothing is amiss: no native traps, free buffers are there most
    /// of the time.
    #[must_use]
    pub fn obliging() -> NativeAnswers {
        NativeAnswers {
            table: NicNative::TABLE,
            manner: Manner::Obliging { buffers: 0 },
            asked: Vec::new(),
        }
    }

    pub(super) fn table(&self) -> &'static [NativeDecl] {
        self.table
    }

    /// Decides what a native does.
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
                    Some(NicNative::CurrentTime) => Outcome::Int(0),
                    Some(NicNative::GetFreeBufferLength) => Outcome::Int(BUFFER_LENGTH),
                    Some(NicNative::GetFreeBuffer) => {
                        *buffers = (*buffers + 1) % BUFFERS;
                        Outcome::Int(if *buffers == 0 {
                            -1
                        } else {
                            *buffers * BUFFER_LENGTH
                        })
                    }
                    Some(
                        NicNative::DoHtoLDma
                        | NicNative::DoLtoHDma
                        | NicNative::TxPush
                        | NicNative::DmaRxd
                        | NicNative::DmaRxdPayload
                        | NicNative::SetTimer
                        | NicNative::Trace,
                    )
                    | None => Outcome::Nothing,
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

    /// Returns what a native takes beyond its one instruction: none, 1 or 2.
    pub(super) fn extra(id: NativeId) -> u64 {
        u64::from(id.0 % 3)
    }
}

/// How the shipped interpreter is answered.
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

/// Returns which parameter of a native is its first array.
pub(super) fn first_array(decl: &NativeDecl) -> Option<usize> {
    decl.parameters
        .iter()
        .position(|parameter| parameter.kind != NativeType::Int)
}
