//! How much a scenario may ask for: every limit with its reason.
//!
//! A scenario may be a stranger's. No number of a scenario may make the simulator take memory without bound before a
//! single event has happened. `until`, `max_events` and `max_bytecodes` bound how long it runs.

/// Bytes of a scenario or profile: many times the largest that a person or a sweep writes.
pub const FILE_BYTES_MAX: u64 = 4 << 20;

/// Bytes of a class file that are read: one more than the parser accepts. So the parser refuses a longer file, by name.
pub const CLASS_BYTES_READ: u64 = (1 << 20) + 1;

/// NICs: links between all pairs grow with the square, and are 32,896 at this number.
pub const NICS_MAX: usize = 256;

/// Processors of one NIC: each has a call stack in the NIC's memory.
pub const PROCESSORS_MAX: u64 = 8;

/// Processors of one host: more than processes that a scenario is likely to have on it.
pub const HOST_PROCESSORS_MAX: u64 = 1_024;

/// Endpoints: four times the largest experiment planned (1,000 on one NIC).
pub const ENDPOINTS_MAX: usize = 4_096;

/// Channels; 16 for each endpoint there may be.
pub const CHANNELS_MAX: usize = 65_536;

/// Entries of `[[send]]`, each packet of a capture counted as one; 16 for each endpoint there may be.
pub const SENDS_MAX: usize = 65_536;

/// Bytes of a name: it stands in every line of a trace.
pub const NAME_BYTES_MAX: usize = 64;

/// Bytes of one buffer area: natives address it with a Java `int`.
pub const BUFFER_AREA_MAX: u64 = i32::MAX as u64;

/// Bytes of all buffer areas together: host memory that the simulator really allocates; the default
/// area for every endpoint there may be.
pub const BUFFER_AREAS_TOTAL_MAX: u64 = ENDPOINTS_MAX as u64 * 65_536;

/// Bytes of all applets' heaps and `RxBuf`s together, which the simulator really allocates.
pub const HEAPS_TOTAL_MAX: u64 = 1 << 28;

/// Bytes of all payloads together: they are held from start to end of a run.
pub const PAYLOADS_TOTAL_MAX: u64 = 1 << 26;

/// Bytes of a capture file: its packets count as payloads, and headers and comments come on top.
pub const CAPTURE_BYTES_MAX: u64 = 2 * PAYLOADS_TOTAL_MAX;

/// Bytes of payload files and captures that are read, one that is refused or named again included: reading
/// takes time.
pub const SENT_FILES_TOTAL_MAX: u64 = 2 * CAPTURE_BYTES_MAX;

/// Packets of a capture, and its interfaces: each packet is a send.
pub const CAPTURE_PACKETS_MAX: usize = SENDS_MAX;

/// Bytes of all class files together, each counted once.
pub const CLASSES_TOTAL_MAX: u64 = 1 << 28;

/// Descriptors of one queue.
pub const QUEUE_MAX: u64 = 65_536;

/// Descriptors of all queues together. The simulator allocates them, at up to 100 bytes each. Twice the default queues
/// of every possible endpoint.
pub const QUEUES_TOTAL_MAX: u64 = 2 * ENDPOINTS_MAX as u64 * 128;

/// Free buffers of all endpoints together. The simulator tracks each, at nine bytes. More than any buffer area needs
/// whose buffers hold more than a few bytes.
pub const FREE_BUFFERS_TOTAL_MAX: u64 = 1 << 24;

/// Instructions of fuel for one call: a minute of this simulator's time, roughly, without an event.
pub const FUEL_MAX: u64 = 10_000_000_000;

/// Channel numbers are non-negative values of a Java `int`.
pub const CHANNEL_NUMBER_MAX: u64 = i32::MAX as u64;

/// Bytes of a NIC's SRAM: offsets in it are 32 bits wide.
pub const SRAM_MAX: u64 = u32::MAX as u64;

/// Bytes of one applet's heap: an array reference is a positive Java `int`.
pub const HEAP_MAX: u64 = i32::MAX as u64;

/// Events of a run: days of a machine's time; asking for more is a slip of the keyboard.
pub const EVENTS_MAX: u64 = 1_000_000_000_000;

/// Instructions of a run: days of a machine's time, as with events.
pub const BYTECODES_MAX: u64 = 1_000_000_000_000_000;

/// Times that one `[[send]]` is repeated: each message is an event at least.
pub const REPEAT_MAX: u64 = EVENTS_MAX;

/// Mistakes that are collected before reading gives up: more than anyone mends at once.
pub const MISTAKES_MAX: usize = 50;
