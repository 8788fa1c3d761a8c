//! A pending call of a native: its arguments, and how the trace shows them.

use jive_core::{Heap, NativeId, NativeType};

use crate::cost_class::CostClass;
use crate::native::{NativeArg, NativeKind, NicNative};
use crate::time::SimTime;

/// Maximum number of arguments over all natives of the table.
pub const NATIVE_ARGUMENTS_MAX: usize = {
    let mut most = 0;
    let mut row = 0;
    while row < NicNative::TABLE.len() {
        let parameters = NicNative::TABLE[row].parameters.len();
        if parameters > most {
            most = parameters;
        }
        row += 1;
    }
    most
};

/// A call of a native with its arguments.
#[derive(Copy, Clone, Debug)]
pub struct Request {
    native: NicNative,
    args: [i32; NATIVE_ARGUMENTS_MAX],
    begun: SimTime,
}

impl Request {
    /// Returns the request of a call, or `None` if the table has no such native or the number of arguments is wrong.
    /// The request begins at the start of the run, as all requests do while the NIC loads applets.
    #[must_use]
    pub fn new(id: NativeId, args: &[i32]) -> Option<Request> {
        let native = NicNative::from_id(id).filter(|native| parameters(*native) == args.len())?;
        let mut request = Request {
            native,
            args: [0; NATIVE_ARGUMENTS_MAX],
            begun: SimTime::ZERO,
        };
        request.args[..args.len()].copy_from_slice(args);
        Some(request)
    }

    /// Returns the native.
    #[must_use]
    pub fn native(&self) -> NicNative {
        self.native
    }

    /// Returns the native's id.
    #[must_use]
    pub fn id(&self) -> NativeId {
        self.native.id()
    }

    /// Returns a copy of the request with another begin time.
    #[must_use]
    pub fn begun_at(self, begun: SimTime) -> Request {
        Request { begun, ..self }
    }

    /// Returns when the applet called the native.
    #[must_use]
    pub fn begun(&self) -> SimTime {
        self.begun
    }

    /// Returns the native's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.native.decl().name
    }

    /// Returns the native's cost class.
    #[must_use]
    pub fn cost(&self) -> CostClass {
        self.native.cost()
    }

    /// Returns the arguments.
    #[must_use]
    pub fn args(&self) -> &[i32] {
        &self.args[..parameters(self.native)]
    }

    /// Returns the arguments of the call in the form that the trace shows. Entries beyond the native's parameters are
    /// null.
    #[must_use]
    pub fn shown_args(&self, heap: &Heap<'_>) -> [NativeArg; NATIVE_ARGUMENTS_MAX] {
        let mut shown = [NativeArg::Null; NATIVE_ARGUMENTS_MAX];
        let passed = self.args.iter().zip(self.native.decl().parameters);
        for (place, (&arg, parameter)) in shown.iter_mut().zip(passed) {
            *place = show(heap, parameter.kind, arg);
        }
        shown
    }

    /// Returns the bytes of the array that a completed native has moved or read. Other natives have none.
    #[must_use]
    pub fn moved<'h>(&self, heap: &'h Heap<'_>) -> &'h [u8] {
        let [array, second, third, fourth, fifth] = self.args;
        let (offset, length) = match self.native.kind() {
            NativeKind::Fetch | NativeKind::Store | NativeKind::Push | NativeKind::Peek => {
                (second, fourth)
            }
            NativeKind::WriteWindow => (second, fifth),
            NativeKind::CarryMessage => (0, third),
            NativeKind::DescribeBuffers => return heap.bytes(array).unwrap_or_default(),
            NativeKind::Pure
            | NativeKind::Timer
            | NativeKind::ArrivalOffset
            | NativeKind::Allocate
            | NativeKind::BufferLength
            | NativeKind::PopBuffer
            | NativeKind::Watch
            // The bytes of a read come when the native has long returned.
            | NativeKind::ReadWindow => return &[],
        };
        let range = usize::try_from(offset)
            .ok()
            .zip(usize::try_from(length).ok());
        let range = range.and_then(|(start, length)| Some(start..start.checked_add(length)?));
        heap.bytes(array)
            .zip(range)
            .and_then(|(bytes, range)| bytes.get(range))
            .unwrap_or_default()
    }

    /// Returns the native's result in the form that the trace shows, or `None` if the native is `void`.
    #[must_use]
    pub fn shown_result(&self, heap: &Heap<'_>, value: i32) -> Option<NativeArg> {
        self.native
            .decl()
            .result
            .map(|kind| show(heap, kind, value))
    }
}

/// The default is a request for a native without arguments, which serves as a placeholder.
impl Default for Request {
    fn default() -> Request {
        Request {
            native: NicNative::GetFreeBufferLength,
            args: [0; NATIVE_ARGUMENTS_MAX],
            begun: SimTime::ZERO,
        }
    }
}

fn parameters(native: NicNative) -> usize {
    native.decl().parameters.len()
}

fn show(heap: &Heap<'_>, kind: NativeType, value: i32) -> NativeArg {
    match kind {
        NativeType::Int => NativeArg::Int(value),
        NativeType::BooleanArray
        | NativeType::ByteArray
        | NativeType::ShortArray
        | NativeType::IntArray => {
            heap.array(value)
                .map_or(NativeArg::Null, |array| NativeArg::Array {
                    element: array.kind.element_name(),
                    length: array.length,
                })
        }
    }
}
