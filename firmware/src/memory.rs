//! The memory that everything lies in: reserved when the program is linked, lent once.

use core::mem::MaybeUninit;

use jive_core::Frame;
use jive_core::limits::REGISTER_WINDOW;
use nic_core::sle::memory_bytes;
use static_cell::{ConstStaticCell, StaticCell};

/// Bytes of the longest packet; as the profile `instructions.toml` has it.
pub(crate) const PACKET_BYTES_MAX: usize = 9216;

/// Bytes of heap for the applet's arrays, `RxBuf` not included; as the profile has it.
const HEAP_BYTES: u32 = 24 << 10;

/// Nested calls of an applet; as the profile has it.
const FRAMES: usize = 16;

/// Locals and operands of nested calls, as the profile has it, and those that no frame may use.
const SLOTS: usize = 256 + REGISTER_WINDOW;

/// Bytes of the endpoint's buffer area; as the scenarios have it.
pub(crate) const AREA_BYTES: usize = 32 << 10;

/// Packets that came in and wait. Chosen: a question and its answer.
pub(crate) const ARRIVALS: usize = 2;

/// One packet's bytes.
pub(crate) type PacketSlot = [u8; PACKET_BYTES_MAX];

/// Declares the memory that is lent to one part of the program.
macro_rules! lent {
    ($(
        $(#[doc = $owner_doc:literal])+
        $owner:ident {
            $($(#[doc = $doc:literal])+ $name:ident: [$element:ty; $count:expr] = $value:expr;)+
        }
    )+) => {$(
        $(#[doc = $owner_doc])+
        pub(crate) struct $owner {
            $($(#[doc = $doc])+ pub(crate) $name: &'static mut [$element],)+
        }

        impl $owner {
            /// Lends the memory; to be called once.
            pub(crate) fn lend() -> $owner {
                $owner {
                    $($name: {
                        static CELL: StaticCell<[$element; $count]> = StaticCell::new();
                        CELL.init_with(|| [$value; $count])
                    },)+
                }
            }
        }
    )+};
}

lent! {
    /// What an applet and its calls need beside the heap.
    InstanceMemory {
        /// Frames of nested calls.
        frames: [Frame; FRAMES] = Frame::default();
        /// Locals and operands of nested calls.
        slots: [i32; SLOTS] = 0;
        /// The applet's fields. Chosen.
        fields: [i32; 32] = 0;
    }
}

/// Bytes of a memory, none of which is initialized.
type Bytes = [MaybeUninit<u8>];

/// The memory that loading a class takes. Chosen: RawUnet, twice over.
pub(crate) struct LoadMemory {
    /// The linked class and the parser's index.
    pub(crate) kept: &'static mut Bytes,
    /// For the verifier, and after it for the linker.
    pub(crate) scratch: &'static mut Bytes,
}

impl LoadMemory {
    /// Lends the memory; to be called once.
    pub(crate) fn lend() -> LoadMemory {
        static KEPT: ConstStaticCell<[MaybeUninit<u8>; 12 << 10]> =
            ConstStaticCell::new([MaybeUninit::zeroed(); 12 << 10]);
        static SCRATCH: ConstStaticCell<[MaybeUninit<u8>; 10 << 10]> =
            ConstStaticCell::new([MaybeUninit::zeroed(); 10 << 10]);
        LoadMemory {
            kept: KEPT.take(),
            scratch: SCRATCH.take(),
        }
    }
}

/// Memory that is too large to pass through the stack on its way, all zero.
pub(crate) struct Bulk {
    /// The class file.
    pub(crate) class: &'static mut [u8],
    /// The applet's heap, with `RxBuf`.
    pub(crate) heap: &'static mut [u8],
    /// The endpoint's buffer area.
    pub(crate) area: &'static mut [u8],
    /// Packets that came in and wait.
    pub(crate) arrivals: &'static mut [PacketSlot],
}

impl Bulk {
    /// Lends the memory; to be called once.
    pub(crate) fn lend() -> Bulk {
        const HEAP: usize = memory_bytes(HEAP_BYTES, PACKET_BYTES_MAX as u32);
        static CLASS: ConstStaticCell<[u8; 16 << 10]> = ConstStaticCell::new([0; 16 << 10]);
        static HEAP_CELL: ConstStaticCell<[u8; HEAP]> = ConstStaticCell::new([0; HEAP]);
        static AREA: ConstStaticCell<[u8; AREA_BYTES]> = ConstStaticCell::new([0; AREA_BYTES]);
        static ARRIVED: ConstStaticCell<[PacketSlot; ARRIVALS]> =
            ConstStaticCell::new([[0; PACKET_BYTES_MAX]; ARRIVALS]);
        Bulk {
            class: CLASS.take(),
            heap: HEAP_CELL.take(),
            area: AREA.take(),
            arrivals: ARRIVED.take(),
        }
    }
}
