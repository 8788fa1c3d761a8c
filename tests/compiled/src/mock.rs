//! Natives whose outcome depends on their arguments and on their turn alone.

use jive_core::{Heap, NativeId, Natives, TrapKind};

/// A native that was performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// Which.
    pub id: NativeId,
    /// With which arguments.
    pub arguments: Vec<i32>,
    /// What the heap held at its call.
    pub used: u32,
}

/// Natives that note their calls, change arrays, trap now and then, and cost extra fuel.
#[derive(Clone, Debug, Default)]
pub struct Mock {
    /// What was performed.
    pub performed: Vec<Performed>,
    /// Whether printed code must leave at some natives.
    pub suspends: bool,
}

impl Mock {
    fn hash(&self, id: NativeId, arguments: &[i32]) -> u32 {
        let mut hash = 0x811c_9dc5_u32 ^ u32::try_from(self.performed.len()).unwrap();
        for word in arguments.iter().copied().chain([id.0.into()]) {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
        hash ^ hash >> 15
    }
}

impl Natives for Mock {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        let hash = self.hash(id, args);
        self.performed.push(Performed {
            id,
            arguments: args.to_vec(),
            used: heap.used(),
        });
        if hash % 16 == 3 {
            return Err(TrapKind::ProtectionFault);
        }
        for argument in args {
            if let Some([first, ..]) = heap.bytes_mut(*argument) {
                *first = first.wrapping_add(1) & 1;
            }
        }
        Ok(i32::try_from(hash % 7).unwrap())
    }

    fn extra_fuel(&self, id: NativeId) -> u64 {
        u64::from(id.0 % 3) * 2
    }

    fn suspends(&self, id: NativeId) -> bool {
        self.suspends && (usize::from(id.0) + self.performed.len()).is_multiple_of(3)
    }
}
