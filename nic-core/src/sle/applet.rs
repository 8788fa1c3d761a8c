//! An applet on its endpoint: an instance of a loaded class, and the `RxBuf` array that packets arrive in.

use jive_core::{
    AppletMembers, ArrayKind, FieldId, Heap, Instance, Lifetime, LinkedClass, MethodId, Program,
    limits,
};

use super::{ArraySpan, NicEntry};

/// The byte with which [`Applet::poison`] fills `RxBuf`: negative in Java, and unlikely in a small number or a text.
pub const POISON: u8 = 0xa5;

/// Why a loaded class cannot be an applet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppletError {
    /// The class was verified with `--class-only`, so the rules for applets were not checked.
    #[error("the class was not verified as an applet")]
    NotAnApplet,
    /// The array for `RxBuf` does not fit in the applet's heap.
    #[error("`RxBuf` does not fit in a heap")]
    TooLarge,
}

impl AppletError {
    /// Returns the stable code of the error.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            AppletError::NotAnApplet => "applet/not-judged",
            AppletError::TooLarge => "limit/rx-buf",
        }
    }
}

/// The members of an applet that its NIC calls and sets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// The constructor without parameters.
    pub constructor: MethodId,
    /// The field `RxBuf`, through which the applet finds an arrived packet.
    pub rx_buf: OptionalField,
    /// [`NicEntry::DoTx`].
    pub do_tx: MethodId,
    /// [`NicEntry::DoRx`].
    pub do_rx: MethodId,
    /// [`NicEntry::DoTimer`].
    pub do_timer: OptionalEntry,
    /// [`NicEntry::DoRefill`].
    pub do_refill: OptionalEntry,
    /// [`NicEntry::DoWatch`].
    pub do_watch: OptionalEntry,
    /// [`NicEntry::DoRead`].
    pub do_read: OptionalEntry,
}

/// The method of an entry that an applet may lack. It takes half the bytes of an `Option`, and a NIC keeps four of them for
/// each endpoint.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OptionalEntry(u16);

impl OptionalEntry {
    /// The number of no method: a class has far fewer.
    const NONE: u16 = u16::MAX;

    fn of(method: Option<MethodId>) -> OptionalEntry {
        OptionalEntry(method.map_or(OptionalEntry::NONE, |method| method.0))
    }

    /// Returns the method, or `None` if the applet does not have it.
    #[must_use]
    pub const fn get(self) -> Option<MethodId> {
        match self.0 {
            OptionalEntry::NONE => None,
            number => Some(MethodId(number)),
        }
    }

    /// Returns whether the applet has the method.
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.0 != OptionalEntry::NONE
    }

    /// Returns whether the applet lacks the method.
    #[must_use]
    pub const fn is_none(self) -> bool {
        !self.is_some()
    }
}

/// The field `RxBuf`, which applets for a NIC that receives directly do not have. It takes half the bytes of an `Option`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OptionalField(u16);

impl OptionalField {
    /// The number of no field: a class has far fewer.
    const NONE: u16 = u16::MAX;

    const fn new(field: Option<FieldId>) -> OptionalField {
        match field {
            Some(field) => OptionalField(field.0),
            None => OptionalField(OptionalField::NONE),
        }
    }

    /// Returns the field, or `None` if the applet does not have it.
    #[must_use]
    pub const fn get(self) -> Option<FieldId> {
        match self.0 {
            OptionalField::NONE => None,
            number => Some(FieldId(number)),
        }
    }
}

impl Members {
    /// Returns whether the applet has an entry that is called for something other than a message.
    #[must_use]
    pub fn has_pending_calls(&self) -> bool {
        let Members {
            do_timer,
            do_refill,
            do_watch,
            do_read,
            ..
        } = self;
        [do_timer, do_refill, do_watch, do_read]
            .iter()
            .any(|entry| entry.is_some())
    }

    /// Returns the method of an entry, or `None` if the applet does not have it.
    #[must_use]
    pub fn entry(&self, entry: NicEntry) -> Option<MethodId> {
        match entry {
            NicEntry::DoTx => Some(self.do_tx),
            NicEntry::DoRx => Some(self.do_rx),
            NicEntry::DoTimer => self.do_timer.get(),
            NicEntry::DoRefill => self.do_refill.get(),
            NicEntry::DoWatch => self.do_watch.get(),
            NicEntry::DoRead => self.do_read.get(),
        }
    }

    /// Returns the members of a class, or `None` if the class was not verified as an applet of a NIC.
    #[must_use]
    pub fn of(class: &LinkedClass<'_>) -> Option<Members> {
        let found = class.program.applet()?;
        Members::found(found, |entry| entry.of(&class.class))
    }

    /// Returns the members of a class without its class file, such as a printed one, given the names of its methods. An
    /// applet has one method of the name of an entry.
    #[must_use]
    pub fn of_names(found: AppletMembers, names: &[&str]) -> Option<Members> {
        Members::found(found, |entry| {
            let name = entry.decl().name;
            let number = names.iter().position(|method| *method == name)?;
            u16::try_from(number).ok().map(MethodId)
        })
    }

    fn found(
        found: AppletMembers,
        method: impl Fn(NicEntry) -> Option<MethodId>,
    ) -> Option<Members> {
        let optional = |entry| OptionalEntry::of(method(entry));
        Some(Members {
            constructor: found.constructor,
            rx_buf: OptionalField::new(found.rx_buf),
            do_tx: method(NicEntry::DoTx)?,
            do_rx: method(NicEntry::DoRx)?,
            do_timer: optional(NicEntry::DoTimer),
            do_refill: optional(NicEntry::DoRefill),
            do_watch: optional(NicEntry::DoWatch),
            do_read: optional(NicEntry::DoRead),
        })
    }
}

/// An instance of a class that the verifier accepted as an applet. `C` is what the runtime knows of the class.
#[derive(Debug)]
pub struct Applet<'a, C = LinkedClass<'a>> {
    /// The class.
    pub class: &'a C,
    /// The fields and the heap of the instance.
    pub instance: Instance<'a>,
    /// The members of the applet that the runtime calls and sets.
    pub members: Members,
    /// How long the arrays of a call live.
    pub lifetime: Lifetime,
    rx_buf: ArraySpan,
    rx_buf_bytes: u32,
}

impl<'a> Applet<'a> {
    /// Makes an instance of an applet in borrowed memory. The slice `fields` needs a place for each field of the class.
    /// The slice `memory` needs [`memory_bytes`], for the applet's arrays and for an `RxBuf` of `max_packet` bytes. The
    /// field `RxBuf` of the instance is set, but no code of the class has run. An applet for a NIC that receives
    /// directly gets a `max_packet` of 0.
    ///
    /// # Errors
    ///
    /// Returns [`AppletError::NotAnApplet`] if the class was verified as a class only, and [`AppletError::TooLarge`] if
    /// `memory` has no room for `RxBuf`.
    pub fn lent(
        class: &'a LinkedClass<'a>,
        fields: &'a mut [i32],
        memory: &'a mut [u8],
        max_packet: u32,
    ) -> Result<Applet<'a>, AppletError> {
        let members = Members::of(class).ok_or(AppletError::NotAnApplet)?;
        Applet::of_program(class, class.program, members, (fields, memory), max_packet)
    }
}

impl<'a, C> Applet<'a, C> {
    /// Makes an instance as [`Applet::lent`] does, of a class that need not have its class file any more.
    ///
    /// # Errors
    ///
    /// Returns [`AppletError::TooLarge`] if `memory` has no room for `RxBuf`.
    pub fn of_program(
        class: &'a C,
        program: Program<'a>,
        members: Members,
        (fields, memory): (&'a mut [i32], &'a mut [u8]),
        max_packet: u32,
    ) -> Result<Applet<'a, C>, AppletError> {
        let rx_buf_length = i32::try_from(max_packet).map_err(|_| AppletError::TooLarge)?;
        let mut heap = Heap::new(memory);
        let rx_buf = heap
            .allocate(ArrayKind::Byte, rx_buf_length)
            .ok()
            .and_then(|array| ArraySpan::whole(&heap, array))
            .ok_or(AppletError::TooLarge)?;
        let rx_buf_bytes = heap.used();
        // The runtime has made this array, not a call of the applet.
        heap.take_cleared();
        let mut instance = Instance::new(program, fields, heap);
        if let Some(field) = members.rx_buf.get() {
            instance.set_field(field, rx_buf.array());
        }
        Ok(Applet {
            class,
            instance,
            members,
            lifetime: Lifetime::PerCall,
            rx_buf,
            rx_buf_bytes,
        })
    }

    /// Copies a packet into the `RxBuf` array, and sets the field `RxBuf`, in which the applet may have stored another
    /// array.
    pub fn receive(&mut self, packet: &[u8]) {
        let rx_buf = self.rx_buf;
        if let Some(field) = self.members.rx_buf.get() {
            self.instance.set_field(field, rx_buf.array());
        }
        let bytes = rx_buf.bytes_mut(self.instance.heap_mut());
        if let Some(place) = bytes.get_mut(..packet.len()) {
            place.copy_from_slice(packet);
        }
    }

    /// Fills `RxBuf` after its first `length` bytes with [`POISON`]. An applet that reads beyond the packet then finds
    /// [`POISON`] instead of the rest of an earlier packet, so the mistake shows.
    #[cold]
    pub fn poison(&mut self, length: usize) {
        let bytes = self.rx_buf.bytes_mut(self.instance.heap_mut());
        if let Some(rest) = bytes.get_mut(length..) {
            rest.fill(POISON);
        }
    }

    /// Returns the reference of the `RxBuf` array.
    #[must_use]
    pub fn rx_buf_array(&self) -> i32 {
        self.rx_buf.array()
    }

    /// Frees all arrays of the applet but `RxBuf`. The caller ensures that no call is running, and then changes every
    /// field that names another array.
    pub fn free_arrays(&mut self) {
        self.instance.heap_mut().free_behind(self.rx_buf_bytes);
    }

    /// Returns the bytes of `RxBuf`.
    #[must_use]
    pub fn rx_buf(&self) -> &[u8] {
        self.rx_buf.bytes(self.instance.heap())
    }

    /// Returns the number of heap bytes that the applet's own arrays take, without `RxBuf`.
    #[must_use]
    pub fn heap_bytes(&self) -> u32 {
        self.instance.heap().used() - self.rx_buf_bytes
    }
}

/// Returns the number of bytes of memory that an instance needs for its arrays, including `RxBuf` and its header.
#[must_use]
pub const fn memory_bytes(heap_bytes: u32, max_packet: u32) -> usize {
    let rx_buf = max_packet.next_multiple_of(limits::ARRAY_ALIGNMENT) as usize;
    let null = limits::ARRAY_ALIGNMENT as usize;
    null + limits::ARRAY_HEADER_BYTES as usize + rx_buf + heap_bytes as usize
}
