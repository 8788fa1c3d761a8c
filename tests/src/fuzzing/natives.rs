//! Natives that check their arguments and return anything that their declarations allow.

use jive_core::{ArrayKind, Heap, NativeDecl, NativeId, NativeType, Natives, TrapKind};
use nic_core::sle::NicNative;

use jive_lab::Random;

/// Natives that check their arguments, access their arrays, and answer at random.
#[derive(Clone, Debug)]
pub struct RandomNatives {
    /// The source of the natives' answers.
    pub random: Random,
}

impl RandomNatives {
    /// Returns natives whose answers depend on `random`.
    #[must_use]
    pub fn new(random: Random) -> RandomNatives {
        RandomNatives { random }
    }
}

/// Returns the kind of array that a native declares; `None` for an `int`.
fn array_kind(declared: NativeType) -> Option<ArrayKind> {
    match declared {
        NativeType::Int => None,
        NativeType::BooleanArray => Some(ArrayKind::Boolean),
        NativeType::ByteArray => Some(ArrayKind::Byte),
        NativeType::ShortArray => Some(ArrayKind::Short),
        NativeType::IntArray => Some(ArrayKind::Int),
    }
}

/// Checks an argument of a native against its declaration: an array argument is null or an array of that kind.
///
/// # Panics
///
/// Panics if the argument does not fit its declaration, which verification should exclude.
pub fn check_argument(declared: NativeType, argument: i32, heap: &Heap<'_>) {
    if let Some(kind) = array_kind(declared)
        && argument != 0
    {
        let found = heap.array(argument).map(|array| array.kind);
        assert_eq!(found, Some(kind), "a native's argument {argument}");
    }
}

impl Natives for RandomNatives {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        let decl: &NativeDecl = &NicNative::TABLE[id.index()];
        assert_eq!(args.len(), decl.parameters.len(), "{}", decl.name);
        for (parameter, argument) in decl.parameters.iter().zip(args) {
            check_argument(parameter.kind, *argument, heap);
        }
        if self.random.one_in(8) {
            return Err(TrapKind::ProtectionFault);
        }
        for (parameter, argument) in decl.parameters.iter().zip(args) {
            if array_kind(parameter.kind).is_some()
                && self.random.one_in(2)
                && let Some(bytes) = heap.bytes_mut(*argument)
            {
                let [byte, ..] = self.random.draw().to_be_bytes();
                bytes.fill(byte);
            }
        }
        match decl.result {
            None => Ok(0),
            Some(result) => match array_kind(result) {
                None => Ok(self.random.int()),
                Some(_) if self.random.one_in(8) => Ok(0),
                Some(kind) => heap.allocate(kind, self.random.int() & 15),
            },
        }
    }
}
