//! The table of natives: name, parameters, result and kind of each.

use jive_core::natives;

use super::kind::NativeKind;
use crate::cost_class::CostClass;

natives! {
    /// The natives of the class `unet/Nic`.
    pub enum NicNative: "unet/Nic", kind NativeKind {
        /// Returns a new byte array of `length` bytes, all zero and aligned for DMA.
        NewAlignedArray = newAlignedArray(length: Int) -> ByteArray, Allocate;
        /// Returns the length in bytes of each of the endpoint's free buffers.
        GetFreeBufferLength = getFreeBufferLength() -> Int, BufferLength;
        /// Pops a buffer from the endpoint's free queue and returns the buffer's offset in the buffer area. Returns -1
        /// if the free queue is empty.
        GetFreeBuffer = getFreeBuffer() -> Int, PopBuffer;
        /// Copies `length` bytes by DMA from the endpoint's buffer area into the array `to`. The bytes start at offset
        /// `hostOffset` of the buffer area, and at index `toOffset` of `to`. `doHtoLDMA` returns when the bytes have
        /// arrived in `to`.
        DoHtoLDma = doHtoLDMA(to: ByteArray, toOffset: Int, hostOffset: Int, length: Int) -> Void, Fetch;
        /// Copies `length` bytes by DMA from the array `from` into the endpoint's buffer area. The bytes start at index
        /// `fromOffset` of `from`, and at offset `hostOffset` of the buffer area. `doLtoHDMA` queues the DMA transfer,
        /// which copies the bytes as they are at the call, and does not wait for the transfer's end.
        DoLtoHDma = doLtoHDMA(from: ByteArray, fromOffset: Int, hostOffset: Int, length: Int) -> Void, Store;
        /// Sends `length` bytes of the array `buffer`, from index `offset` on, as one packet on channel `channel`. The
        /// packet contains the bytes as they are at the call of `txPush`.
        TxPush = txPush(buffer: ByteArray, offset: Int, channel: Int, length: Int) -> Void, Push;
        /// Pushes a receive descriptor for a message of `length` bytes in the endpoint's buffer area. The message
        /// consists of at most 14 shares of `getFreeBufferLength()` bytes, of which the last share may be shorter.
        /// Share number `i`, counted from 0, starts at offset `offsets[i]` of the buffer area.
        DmaRxd = dmaRxd(offsets: IntArray, channel: Int, length: Int) -> Void, DescribeBuffers;
        /// Pushes a receive descriptor that contains the message itself: the first `length` bytes of the array `from`.
        /// The argument `length` is at most 56.
        DmaRxdPayload = dmaRxdPayload(from: ByteArray, channel: Int, length: Int) -> Void, CarryMessage;
        /// Returns the time since the run began, in whole microseconds. The returned time wraps from 2147483647 to
        /// -2147483648. The difference of two times is right if less than 2147483648 us (about 35 minutes) lie between
        /// them. An applet that keeps times must forget older ones, by `doTimer`. The U-Net/SLE paper does not have
        /// `currentTime`.
        CurrentTime = currentTime() -> Int, Pure;
        /// Sets the applet's timer: the NIC calls `doTimer` once, after a time of `microseconds`. A later call of
        /// `setTimer` replaces the timer, and the argument 0 clears the timer. The U-Net/SLE paper does not have
        /// `setTimer`.
        SetTimer = setTimer(microseconds: Int) -> Void, Timer;
        /// Emits an event `applet-trace` with the numbers `tag` and `value`. The U-Net/SLE paper does not have `trace`.
        Trace = trace(tag: Int, value: Int) -> Void, Pure;
        /// Returns the immediate data of the message that the current call of a VI's applet handles. Returns 0 if the
        /// call handles no message with immediate data. The U-Net/SLE paper does not have `immediate`.
        Immediate = immediate() -> Int, Pure;
        /// Sets the immediate data of the packets that the applet's current call sends after `setImmediate`. Without a
        /// call of `setImmediate`, a packet has the immediate data of the message that the applet's call handles.
        /// `setImmediate` does nothing if the applet's endpoint is not a VI. The U-Net/SLE paper does not have
        /// `setImmediate`.
        SetImmediate = setImmediate(value: Int) -> Void, Pure;
        /// Watches `length` bytes of the endpoint's window number `window`, from `offset` on. The NIC calls `doWatch`
        /// after a peer has written to a watched byte. If `length` is 0, `watch` removes all watches of the window. In
        /// an applet without `doWatch`, `watch` does nothing. The U-Net/SLE paper does not have `watch`.
        Watch = watch(window: Int, offset: Int, length: Int) -> Void, Watch;
        /// Writes `length` bytes of the array `from`, from index `fromOffset` on, into a peer's window number `window`.
        /// The bytes start at offset `windowOffset` of the peer's window. The packet to the peer contains the bytes as
        /// they are at the call of `windowWrite`. The U-Net/SLE paper does not have `windowWrite`.
        WindowWrite = windowWrite(from: ByteArray, fromOffset: Int, window: Int, windowOffset: Int, length: Int) -> Void, WriteWindow;
        /// Reads `length` bytes of a peer's window number `window`, from `offset` on, into the array `into`. The scenario
        /// must allow reads of the window. `windowRead` returns at once. The bytes are in `into`, from index `intoOffset`
        /// on, when the NIC calls `doRead`; until then `into` stays as it is. So `into` must be an array that outlives
        /// the call; for any other array, `windowRead` traps with `TransientEscape`. In an applet without `doRead`,
        /// `windowRead` does nothing. The U-Net/SLE paper does not have `windowRead`.
        WindowRead = windowRead(into: ByteArray, intoOffset: Int, window: Int, offset: Int, length: Int) -> Void, ReadWindow;
        /// Returns the offset in the buffer area of the free buffer in which the packet lies that `doRx` handles. Only
        /// a NIC that receives directly has `rxOffset`. Outside `doRx`, `rxOffset` traps with `ProtectionFault`. When
        /// `doRx` returns, the buffer goes back to the front of the free queue, unless `dmaRxd` has named it. The
        /// U-Net/SLE paper does not have `rxOffset`.
        RxOffset = rxOffset() -> Int, ArrivalOffset;
        /// Copies `length` bytes of the header of the packet that `doRx` handles into the array `into`. The bytes start
        /// at byte `offset` of the packet, and at index `intoOffset` of `into`. The header consists of the first bytes
        /// of the packet, which a NIC that receives directly keeps; only such a NIC has `peek`. Beyond the header, and
        /// outside `doRx`, `peek` traps with `ProtectionFault`. The U-Net/SLE paper does not have `peek`.
        Peek = peek(into: ByteArray, intoOffset: Int, offset: Int, length: Int) -> Void, Peek;
    }
}

impl NicNative {
    /// Returns the native's cost class, which its kind decides.
    #[must_use]
    pub const fn cost(self) -> CostClass {
        self.kind().cost()
    }
}
