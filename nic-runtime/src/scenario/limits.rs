//! Limits on what a scenario may ask for, each with its reason.
//!
//! A scenario may come from a stranger. So no number in it may make the simulator take unbounded memory before the
//! first event. `until`, `max_events` and `max_bytecodes` bound the length of a run.

/// Maximum number of bytes of a scenario or profile: many times the size that people or scripts write.
pub const FILE_BYTES_MAX: u64 = 4 << 20;

/// Bytes of a class file that are read: one more than the parser accepts. The parser can thereby reject a longer file
/// and name its own limit.
pub const CLASS_BYTES_READ: u64 = (1 << 20) + 1;

/// Most NICs. Links between all pairs grow with the square: this many NICs have 32,896 links.
pub const NICS_MAX: usize = 256;

/// Maximum number of processors of a NIC. Each has a call stack in the NIC's memory.
pub const PROCESSORS_MAX: u64 = 8;

/// Maximum number of processors of a host: more than the processes that a scenario is likely to place there.
pub const HOST_PROCESSORS_MAX: u64 = 1_024;

/// Maximum number of endpoints: four times the largest planned experiment (1,000 on one NIC).
pub const ENDPOINTS_MAX: usize = 4_096;

/// Maximum number of channels: 16 for each possible endpoint.
pub const CHANNELS_MAX: usize = 65_536;

/// Maximum number of entries of `[[send]]`, where each packet of a capture counts as one: 16 for each possible
/// endpoint.
pub const SENDS_MAX: usize = 65_536;

/// Least bytes of a class file in a fragment of a capsule. The largest class file then has as many fragments as there can
/// be sends.
pub const FRAGMENT_MIN: u64 = 16;

/// Maximum number of bytes of a class file in a fragment of a capsule: more than the longest packet of a built-in
/// profile.
pub const FRAGMENT_MAX: u64 = 65_536;

/// Maximum number of entries of `[[window]]`: as many as of `[[channel]]`.
pub const WINDOWS_MAX: usize = CHANNELS_MAX;

/// Maximum number of entries of `[[region]]`: one for each possible endpoint.
pub const REGIONS_MAX: usize = ENDPOINTS_MAX;

/// Maximum number of entries of `[[swap]]`: one for each possible endpoint.
pub const SWAPS_MAX: usize = ENDPOINTS_MAX;

/// Maximum number of entries of `[[expect]]`: one for each possible endpoint. Each may keep some bytes of messages.
pub const EXPECTATIONS_MAX: usize = ENDPOINTS_MAX;

/// Maximum number of bytes of a name, which appears in every line of a trace.
pub const NAME_BYTES_MAX: usize = 64;

/// Maximum number of bytes of a buffer area: natives address it with a Java `int`.
pub const BUFFER_AREA_MAX: u64 = i32::MAX as u64;

/// Maximum number of bytes of all buffer areas, which the simulator allocates: the default size for every possible
/// endpoint.
pub const BUFFER_AREAS_TOTAL_MAX: u64 = ENDPOINTS_MAX as u64 * 65_536;

/// Maximum number of bytes of all applets' heaps and `RxBuf` arrays, which the simulator allocates.
pub const HEAPS_TOTAL_MAX: u64 = 1 << 28;

/// Maximum number of bytes of all payloads, which stay in memory for the whole run.
pub const PAYLOADS_TOTAL_MAX: u64 = 1 << 26;

/// Maximum number of bytes of a capture file: its packets count as payloads, and its headers and comments need room
/// too.
pub const CAPTURE_BYTES_MAX: u64 = 2 * PAYLOADS_TOTAL_MAX;

/// Maximum number of bytes read from payload files and captures. Refused files and repeated reads count too, because
/// reading takes time.
pub const SENT_FILES_TOTAL_MAX: u64 = 2 * CAPTURE_BYTES_MAX;

/// Maximum number of packets or interfaces of a capture: each packet is a send.
pub const CAPTURE_PACKETS_MAX: usize = SENDS_MAX;

/// Maximum number of bytes of all class files. A class that several endpoints name counts once.
pub const CLASSES_TOTAL_MAX: u64 = 1 << 28;

/// Maximum number of descriptors of a queue.
pub const QUEUE_MAX: u64 = 65_536;

/// Maximum number of descriptors of all queues: twice the default queues of every possible endpoint. The simulator
/// allocates them, at up to 100 bytes each.
pub const QUEUES_TOTAL_MAX: u64 = 2 * ENDPOINTS_MAX as u64 * 128;

/// Maximum number of free buffers of all endpoints. The simulator keeps nine bytes for each. Buffer areas at their
/// limits hold fewer, unless a buffer has only a few bytes.
pub const FREE_BUFFERS_TOTAL_MAX: u64 = 1 << 24;

/// Maximum fuel of a call: about a minute of computing without an event.
pub const FUEL_MAX: u64 = 10_000_000_000;

/// Maximum number of applets of a chain. Each has a heap in the NIC's memory.
pub const CHAIN_MAX: usize = 8;

/// Largest channel number: the largest Java `int`.
pub const CHANNEL_NUMBER_MAX: u64 = i32::MAX as u64;

/// Maximum number of bytes of a NIC's SRAM: offsets in it have 32 bits.
pub const SRAM_MAX: u64 = u32::MAX as u64;

/// Maximum number of bytes of an applet's heap: an array reference is a positive Java `int`.
pub const HEAP_MAX: u64 = i32::MAX as u64;

/// Maximum number of events of a run: days of computing. A larger number is probably a typing mistake.
pub const EVENTS_MAX: u64 = 1_000_000_000_000;

/// Maximum number of instructions of a run: days of computing, as with events.
pub const BYTECODES_MAX: u64 = 1_000_000_000_000_000;

/// Maximum number of repetitions of a `[[send]]`: each message is at least one event.
pub const REPEAT_MAX: u64 = EVENTS_MAX;

/// Maximum number of mistakes that are reported at once: more than a person fixes before trying again.
pub const MISTAKES_MAX: usize = 50;

/// Entries of a completion queue. Far more than the descriptors of all VIs of a NIC.
pub(super) const COMPLETION_ENTRIES_MAX: u64 = 1 << 24;
