//! The memory that everything lies in: reserved when the program is linked, lent once.

use jive_core::{Frame, LinkedConstant, LinkedField, LinkedMethod, Op, Origin, SwitchCase};
use jive_verifier::{CodeMarks, Resolved};
use nic_runtime::sle::memory_bytes;
use static_cell::{ConstStaticCell, StaticCell};

/// Bytes of the longest packet; as the profile `instructions.toml` has it.
pub(crate) const PACKET_BYTES_MAX: usize = 9216;

/// Bytes of heap for the applet's arrays, `RxBuf` not included; as the profile has it.
const HEAP_BYTES: u32 = 24 << 10;

/// Nested calls of an applet; as the profile has it.
const FRAMES: usize = 16;

/// Locals and operands of nested calls; as the profile has it.
const SLOTS: usize = 256;

/// Bytes of the endpoint's buffer area; as the scenarios have it.
pub(crate) const AREA_BYTES: usize = 32 << 10;

/// Packets that came in and wait. Chosen: a question and its answer.
pub(crate) const ARRIVALS: usize = 2;

/// One packet's bytes.
pub(crate) type PacketSlot = [u8; PACKET_BYTES_MAX];

/// Declares what is lent, each with the reason for its size.
macro_rules! lent {
    ($($(#[doc = $doc:literal])+ $name:ident: [$element:ty; $count:expr] = $value:expr;)+) => {
        /// Slices of all memory.
        pub(crate) struct Memory {
            $($(#[doc = $doc])+ pub(crate) $name: &'static mut [$element],)+
        }

        impl Memory {
            /// Lends all memory; to be called once.
            pub(crate) fn lend() -> Memory {
                Memory {
                    $($name: {
                        static CELL: StaticCell<[$element; $count]> = StaticCell::new();
                        CELL.init_with(|| [$value; $count])
                    },)+
                }
            }
        }
    };
}

lent! {
    /// Index of the class file.
    index: [u32; 512] = 0;
    /// What the verifier resolved.
    resolved: [Resolved; 128] = Resolved::default();
    /// Signatures of methods.
    signatures: [u8; 128] = 0;
    /// Marks of the longest method's code.
    marks: [CodeMarks; 128] = CodeMarks::default();
    /// Branch targets of one method.
    leaders: [u16; 64] = 0;
    /// The verifier's worklist.
    queue: [u32; 64] = 0;
    /// Type states at branch targets.
    states: [u8; 2048] = 0;
    /// Linked instructions.
    ops: [Op; 512] = Op::default();
    /// What they were made from.
    origins: [Origin; 512] = Origin::default();
    /// Linked methods.
    methods: [LinkedMethod; 16] = LinkedMethod::default();
    /// Linked fields.
    linked_fields: [LinkedField; 32] = LinkedField::default();
    /// Cases of switches.
    switches: [SwitchCase; 64] = SwitchCase::default();
    /// What the linker resolved.
    constants: [LinkedConstant; 128] = LinkedConstant::default();
    /// Frames of nested calls.
    frames: [Frame; FRAMES] = Frame::default();
    /// Locals and operands of nested calls.
    slots: [i32; SLOTS] = 0;
    /// The applet's fields.
    fields: [i32; 32] = 0;
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
