//! The table of a program's natives: name, parameters, result and kind of each.

use jive_core::{ArrayKind, natives};

use crate::via::Status;

/// What a native of a program does. Natives that differ only in the type of their array have one kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ViaKind {
    /// Requests a connection, and waits for the answer.
    Connect,
    /// Accepts a request for a connection, or waits for one.
    Accept,
    /// Ends a connection.
    Disconnect,
    /// Copies part of an array, sends it and waits.
    Send(ArrayKind),
    /// Sends part of an array from where it lies, and waits.
    SendPin(ArrayKind),
    /// Waits for a message, and makes an array of it.
    Recv(ArrayKind),
    /// Copies part of an array, and posts it to be sent.
    SendPost(ArrayKind),
    /// Posts part of an array, into which a message is copied later.
    RecvPost(ArrayKind),
    /// Waits for the next ticket of the ring of sends.
    SendWait,
    /// Waits for the next ticket of the ring of receives.
    RecvWait,
    /// Returns the length of a ticket's message.
    TicketLength,
    /// Returns the tag of a ticket's message.
    TicketTag,
    /// Returns the status of a ticket.
    TicketStatus,
    /// Makes a buffer.
    Alloc,
    /// Frees a buffer.
    Free,
    /// Registers a buffer for a VI.
    Register,
    /// Ends the registration of a buffer.
    Deregister,
    /// Returns the array inside a buffer.
    ToArray(ArrayKind),
    /// Leaves the array inside a buffer to the collector.
    UnRef,
    /// Posts part of a registered buffer to be sent.
    SendBufPost,
    /// Posts a registered buffer to receive a message.
    RecvBufPost,
    /// Waits for the next registered buffer that was sent.
    SendBufWait,
    /// Waits for the next registered buffer that received.
    RecvBufWait,
    /// Returns the tag of the last message.
    LastTag,
    /// Returns the status of the last descriptor.
    LastStatus,
    /// Collects garbage.
    Collect,
    /// Returns the time.
    Now,
    /// Lets time pass.
    Pause,
}

impl ViaKind {
    /// Returns whether the native may wait for a peer or for time to pass. Within a call of `unreferenced` such a native
    /// is refused.
    #[must_use]
    pub const fn waits(self) -> bool {
        match self {
            ViaKind::Connect
            | ViaKind::Accept
            | ViaKind::Send(_)
            | ViaKind::SendPin(_)
            | ViaKind::Recv(_)
            | ViaKind::SendWait
            | ViaKind::RecvWait
            | ViaKind::SendBufWait
            | ViaKind::RecvBufWait
            | ViaKind::Pause => true,
            ViaKind::Disconnect
            | ViaKind::SendPost(_)
            | ViaKind::RecvPost(_)
            | ViaKind::TicketLength
            | ViaKind::TicketTag
            | ViaKind::TicketStatus
            | ViaKind::Alloc
            | ViaKind::Free
            | ViaKind::Register
            | ViaKind::Deregister
            | ViaKind::ToArray(_)
            | ViaKind::UnRef
            | ViaKind::SendBufPost
            | ViaKind::RecvBufPost
            | ViaKind::LastTag
            | ViaKind::LastStatus
            | ViaKind::Collect
            | ViaKind::Now => false,
        }
    }
}

/// Returns the number by which a program knows how a descriptor completed; 0 is [`Status::Ok`].
#[must_use]
pub const fn status_number(status: Status) -> i32 {
    match status {
        Status::Ok => 0,
        Status::Dropped => 1,
        Status::LengthError => 2,
        Status::ProtectionError => 3,
        Status::Flushed => 4,
        Status::Trap => 5,
    }
}

natives! {
    /// The natives of the class `via/Via`.
    pub enum ViaNative: "via/Via", kind ViaKind {
        /// Requests a connection of the VI `vi` with its peer, and waits for the answer. Returns 0 when the peer has
        /// accepted the request. Returns -1 if the peer refuses it, if no answer comes within `ms` milliseconds, or if
        /// the VI has a connection already.
        Connect = connect(vi: Int, tag: Int, ms: Int) -> Int, Connect;
        /// Accepts the request of the peer with the tag `tag`, or waits for one. A request with another tag is refused.
        /// Returns 0 when the VI `vi` is connected. Returns -1 if no request comes within `ms` milliseconds, or if the
        /// VI has a connection already.
        Accept = accept(vi: Int, tag: Int, ms: Int) -> Int, Accept;
        /// Ends the connection of the VI `vi`, if it has one. Descriptors under way complete as `flushed`.
        Disconnect = disconnect(vi: Int) -> Void, Disconnect;

        /// Copies `length` bytes of `data`, from `offset` on, into the library's memory, sends them with the tag `tag`
        /// and waits until the descriptor completes. Returns its status.
        Send = send(vi: Int, data: ByteArray, offset: Int, length: Int, tag: Int) -> Int, Send(ArrayKind::Byte);
        /// Does the same as `send` for `length` elements of a `short[]`.
        SendShorts = sendShorts(vi: Int, data: ShortArray, offset: Int, length: Int, tag: Int) -> Int, Send(ArrayKind::Short);
        /// Does the same as `send` for `length` elements of an `int[]`.
        SendInts = sendInts(vi: Int, data: IntArray, offset: Int, length: Int, tag: Int) -> Int, Send(ArrayKind::Int);
        /// Pins the pages of `data`, sends `length` bytes from `offset` on without a copy, waits until the descriptor
        /// completes, and unpins the pages. Returns the status. The collector does not run meanwhile.
        SendPin = sendPin(vi: Int, data: ByteArray, offset: Int, length: Int, tag: Int) -> Int, SendPin(ArrayKind::Byte);
        /// Does the same as `sendPin` for `length` elements of a `short[]`.
        SendPinShorts = sendPinShorts(vi: Int, data: ShortArray, offset: Int, length: Int, tag: Int) -> Int, SendPin(ArrayKind::Short);
        /// Does the same as `sendPin` for `length` elements of an `int[]`.
        SendPinInts = sendPinInts(vi: Int, data: IntArray, offset: Int, length: Int, tag: Int) -> Int, SendPin(ArrayKind::Int);
        /// Waits up to `ms` milliseconds for a message, and returns its bytes in a new array. Returns null if no message
        /// has come, or if the connection has ended. `lastTag` and `lastStatus` then tell of the message.
        Recv = recv(vi: Int, ms: Int) -> ByteArray, Recv(ArrayKind::Byte);
        /// Does the same as `recv`, and returns a `short[]`. Bytes after the last whole element are left out.
        RecvShorts = recvShorts(vi: Int, ms: Int) -> ShortArray, Recv(ArrayKind::Short);
        /// Does the same as `recv`, and returns an `int[]`. Bytes after the last whole element are left out.
        RecvInts = recvInts(vi: Int, ms: Int) -> IntArray, Recv(ArrayKind::Int);

        /// Copies `length` bytes of `data`, from `offset` on, into the library's memory and posts them to be sent with
        /// the tag `tag`. Returns a ticket, or -1 if the ring of sends is full.
        SendPost = sendPost(vi: Int, data: ByteArray, offset: Int, length: Int, tag: Int) -> Int, SendPost(ArrayKind::Byte);
        /// Does the same as `sendPost` for `length` elements of a `short[]`.
        SendPostShorts = sendPostShorts(vi: Int, data: ShortArray, offset: Int, length: Int, tag: Int) -> Int, SendPost(ArrayKind::Short);
        /// Does the same as `sendPost` for `length` elements of an `int[]`.
        SendPostInts = sendPostInts(vi: Int, data: IntArray, offset: Int, length: Int, tag: Int) -> Int, SendPost(ArrayKind::Int);
        /// Posts `length` bytes of `into`, from `offset` on, for a message. The message lies in the library's memory
        /// when it arrives, and `recvWait` copies it into `into`. Returns a ticket, or -1 if the ring of receives is
        /// full.
        RecvPost = recvPost(vi: Int, into: ByteArray, offset: Int, length: Int) -> Int, RecvPost(ArrayKind::Byte);
        /// Does the same as `recvPost` for `length` elements of a `short[]`. If the last element of a message is not whole, its
        /// status is `length-error`, and nothing is copied.
        RecvPostShorts = recvPostShorts(vi: Int, into: ShortArray, offset: Int, length: Int) -> Int, RecvPost(ArrayKind::Short);
        /// Does the same as `recvPost` for `length` elements of an `int[]`. If the last element of a message is not whole, its
        /// status is `length-error`, and nothing is copied.
        RecvPostInts = recvPostInts(vi: Int, into: IntArray, offset: Int, length: Int) -> Int, RecvPost(ArrayKind::Int);
        /// Waits up to `ms` milliseconds until the oldest posted send is done. Returns its ticket, or -1 if it is not
        /// done in time or nothing is posted.
        SendWait = sendWait(vi: Int, ms: Int) -> Int, SendWait;
        /// Waits up to `ms` milliseconds until the oldest posted receive is done, and copies the message into its
        /// array. Returns its ticket, or -1 if it is not done in time or nothing is posted.
        RecvWait = recvWait(vi: Int, ms: Int) -> Int, RecvWait;
        /// Returns the length of the message of the ticket `ticket`, in elements of its array. A ticket is valid from
        /// its wait to the next wait on the same ring.
        TicketLength = ticketLength(ticket: Int) -> Int, TicketLength;
        /// Returns the tag of the message of the ticket `ticket`.
        TicketTag = ticketTag(ticket: Int) -> Int, TicketTag;
        /// Returns the status with which the descriptor of the ticket `ticket` has completed.
        TicketStatus = ticketStatus(ticket: Int) -> Int, TicketStatus;

        /// Makes a buffer of `bytes` bytes outside the heap, all zero, and returns its handle.
        Alloc = alloc(bytes: Int) -> Int, Alloc;
        /// Frees the buffer `buffer`. It must have no array, no registration and no descriptor under way.
        Free = free(buffer: Int) -> Void, Free;
        /// Registers the buffer `buffer` for the VI `vi` and returns a ticket, by which descriptors name the buffer. A
        /// buffer may be registered for several VIs, but only once for each.
        Register = register(buffer: Int, vi: Int) -> Int, Register;
        /// Ends the registration with the ticket `ticket`. It must have no descriptor under way.
        Deregister = deregister(ticket: Int) -> Void, Deregister;
        /// Returns a `byte[]` whose elements are the bytes of the buffer `buffer`. The buffer must have no array of
        /// another type.
        ToByteArray = toByteArray(buffer: Int) -> ByteArray, ToArray(ArrayKind::Byte);
        /// Does the same as `toByteArray` for a `short[]`. The length of the buffer must be a multiple of 2.
        ToShortArray = toShortArray(buffer: Int) -> ShortArray, ToArray(ArrayKind::Short);
        /// Does the same as `toByteArray` for an `int[]`. The length of the buffer must be a multiple of 4.
        ToIntArray = toIntArray(buffer: Int) -> IntArray, ToArray(ArrayKind::Int);
        /// Leaves the array of the buffer `buffer` to the collector. The next collection moves the array to the heap if
        /// it is still in use. It then calls `unreferenced` with `buffer` and `number`, and the buffer has no array
        /// again.
        UnRef = unRef(buffer: Int, number: Int) -> Void, UnRef;
        /// Posts `length` bytes of the registered buffer with the ticket `ticket`, from `offset` on, to be sent with
        /// the tag `tag`. Returns 0, or -1 if the queue is full.
        SendBufPost = sendBufPost(ticket: Int, offset: Int, length: Int, tag: Int) -> Int, SendBufPost;
        /// Posts the whole registered buffer with the ticket `ticket` for a message. Returns 0, or -1 if the queue is
        /// full.
        RecvBufPost = recvBufPost(ticket: Int) -> Int, RecvBufPost;
        /// Waits up to `ms` milliseconds until the oldest posted buffer is sent. Returns the ticket of its registration,
        /// or -1 if it is not sent in time or nothing is posted.
        SendBufWait = sendBufWait(vi: Int, ms: Int) -> Int, SendBufWait;
        /// Waits up to `ms` milliseconds until the oldest buffer that was posted for a message is done. Returns the
        /// ticket of its registration, or -1 if it is not done in time or nothing is posted.
        RecvBufWait = recvBufWait(vi: Int, ms: Int) -> Int, RecvBufWait;

        /// Returns the tag of the message that the program received last on the VI `vi`; 0 before the first.
        LastTag = lastTag(vi: Int) -> Int, LastTag;
        /// Returns the status of the descriptor of the VI `vi` whose completion the program has seen last; 0 before the
        /// first.
        LastStatus = lastStatus(vi: Int) -> Int, LastStatus;
        /// Collects garbage, and calls `unreferenced` for each buffer that has lost its array.
        Collect = collect() -> Void, Collect;
        /// Returns the time in microseconds since the start of the run. The number wraps around.
        Now = now() -> Int, Now;
        /// Lets `us` microseconds pass; 0 or less lets no time pass beyond that of the native itself.
        Pause = pause(us: Int) -> Void, Pause;
    }
}
