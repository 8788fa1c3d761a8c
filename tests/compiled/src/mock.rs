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
    /// How many instructions the call had executed.
    pub executed: u64,
}

/// At which natives printed code must stop.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Suspends {
    /// At none.
    #[default]
    Never,
    /// At some, which depend on their turn.
    Some,
    /// At every one.
    Always,
}

/// Natives that note their calls, change arrays, trap now and then, and cost extra fuel.
#[derive(Clone, Debug, Default)]
pub struct Mock {
    /// What was performed.
    pub performed: Vec<Performed>,
    /// At which natives printed code must stop.
    pub suspends: Suspends,
    executed: u64,
}

impl Mock {
    /// Makes natives at some of which printed code stops.
    #[must_use]
    pub fn new(suspends: Suspends) -> Mock {
        Mock {
            suspends,
            ..Mock::default()
        }
    }

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
            executed: std::mem::take(&mut self.executed),
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
        match self.suspends {
            Suspends::Never => false,
            Suspends::Some => (usize::from(id.0) + self.performed.len()).is_multiple_of(3),
            Suspends::Always => true,
        }
    }

    fn reached(&mut self, executed: u64) {
        self.executed = executed;
    }
}
