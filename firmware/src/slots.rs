//! Memory for two applets: the one that runs, and the one that replaces it.

use core::mem::MaybeUninit;

use jive_core::{LinkedClass, Utf8};
use jive_load::{LoadSize, Storage, check, link, parse};
use jive_verifier::{CheckError, Policy};
use nic_core::event::SwapRefusal;
use nic_core::sle::line::FRAME_BYTES_MAX;
use nic_core::sle::{Applet, NicEntry, NicNative, memory_bytes};
use static_cell::ConstStaticCell;

use crate::memory::PACKET_BYTES_MAX;
use crate::names::NameTable;

/// Heap of each applet, without `RxBuf`, in bytes. As in the scenario `Swaps`.
const HEAP_BYTES: u32 = 12 << 10;

/// Longest class file, in bytes. Chosen: more than any shipped applet has.
const CLASS_BYTES: usize = 8 << 10;

/// Longest certificate, in bytes. Chosen: more than that of any shipped applet.
const CERTIFICATE_BYTES: usize = 4 << 10;

/// Memory for the linked class. Chosen: the largest shipped applet needs three quarters.
const KEPT_BYTES: usize = 12 << 10;

/// Memory that only loading needs. Chosen: as much as the program `firmware` lends for verifying.
const SCRATCH_BYTES: usize = 10 << 10;

/// Memory for the arrays that a new applet keeps, while those of the old one are carried over. As large as the heap.
const ASIDE_BYTES: usize = 12 << 10;

/// Number of fields of an applet. Chosen.
const FIELDS: usize = 32;

/// Memory for one applet.
pub(crate) struct Slot {
    pub(crate) class: &'static mut [u8],
    kept: &'static mut [MaybeUninit<u8>],
    fields: &'static mut [i32],
    heap: &'static mut [u8],
}

/// An applet whose code has not run yet, and its names.
pub(crate) struct Loaded<'s> {
    pub(crate) applet: Applet<'s>,
    pub(crate) names: NameTable,
}

/// Why a class with its certificate is refused before any of its code has run.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Misfit<'s> {
    /// The class breaks a rule, or the certificate does not fit it.
    Check(CheckError),
    /// The class is no class file, or there is no room for it.
    Class {
        reason: SwapRefusal,
        /// Name of the class, if it could be parsed.
        name: Option<Utf8<'s>>,
    },
}

impl Slot {
    /// Checks the class file that is in the slot, and makes an applet of it.
    pub(crate) fn load(
        &mut self,
        length: usize,
        certificate: &[u8],
        scratch: &mut [MaybeUninit<u8>],
    ) -> Result<Loaded<'_>, Misfit<'_>> {
        let refused = |name, reason| Misfit::Class { reason, name };
        let no_room = SwapRefusal::NoSram;
        let bytes = self.class.get(..length);
        let bytes = bytes.ok_or(refused(None, no_room))?;
        let kept = Storage::new(self.kept);
        let class = parse(bytes, &kept)
            .map_err(|error| refused(None, SwapRefusal::Rejected(error.code())))?;
        let refused = |reason| refused(Some(class.name()), reason);
        let size = LoadSize::of(&class);
        let policy = Policy::Applet {
            entries: NicEntry::TABLE,
        };
        let natives = NicNative::TABLE;
        let checked = {
            let scratch = Storage::new(scratch);
            check(class, size.work, policy, natives, certificate, &scratch)
        };
        let verified = checked.map_err(Misfit::Check)?;
        let program = link(&verified, size.program, &kept, &Storage::new(scratch))
            .map_err(|error| refused(SwapRefusal::Rejected(error.kind.code())))?;
        let linked = kept.keep(LinkedClass { class, program });
        let linked = linked.map_err(|_| refused(no_room))?;
        let fields = self.fields.get_mut(..linked.program.field_count());
        let fields = fields.ok_or(refused(no_room))?;
        let names = NameTable::new(&class).map_err(|_| refused(no_room))?;
        let applet = Applet::lent(linked, fields, self.heap, PACKET_BYTES_MAX as u32)
            .map_err(|error| refused(SwapRefusal::Rejected(error.code())))?;
        Ok(Loaded { applet, names })
    }
}

/// Reserves zeroed memory that is lent once.
macro_rules! reserved {
    ($element:ty, $count:expr, $zero:expr) => {{
        static CELL: ConstStaticCell<[$element; $count]> = ConstStaticCell::new([$zero; $count]);
        &mut CELL.take()[..]
    }};
}

/// Reserves the memory of a slot.
macro_rules! slot {
    () => {
        Slot {
            class: reserved!(u8, CLASS_BYTES, 0),
            kept: reserved!(MaybeUninit<u8>, KEPT_BYTES, MaybeUninit::zeroed()),
            fields: reserved!(i32, FIELDS, 0),
            heap: reserved!(u8, memory_bytes(HEAP_BYTES, PACKET_BYTES_MAX as u32), 0),
        }
    };
}

/// The memory of the program `swapping`, besides what it shares with the program `firmware`.
pub(crate) struct SwapMemory {
    /// Memory for an applet and for the one that replaces it.
    pub(crate) slots: [Slot; 2],
    /// A frame of the line.
    pub(crate) frame: &'static mut [u8],
    /// The certificate that comes, and the class.
    pub(crate) parts: [&'static mut [u8]; 2],
    pub(crate) scratch: &'static mut [MaybeUninit<u8>],
    pub(crate) aside: &'static mut [u8],
}

impl SwapMemory {
    /// Lends the memory. `lend` must be called only once.
    pub(crate) fn lend() -> SwapMemory {
        SwapMemory {
            slots: [slot!(), slot!()],
            frame: reserved!(u8, FRAME_BYTES_MAX, 0),
            parts: [
                reserved!(u8, CERTIFICATE_BYTES, 0),
                reserved!(u8, CLASS_BYTES, 0),
            ],
            scratch: reserved!(MaybeUninit<u8>, SCRATCH_BYTES, MaybeUninit::zeroed()),
            aside: reserved!(u8, ASIDE_BYTES, 0),
        }
    }
}
