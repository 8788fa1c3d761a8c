//! Limits on what a scenario may ask for, each with its reason.
//!
//! No number in a scenario may make the simulator take unbounded memory before the first event, because strangers write
//! scenarios too. `until`, `max_events` and `max_bytecodes` bound the length of a run.

/// Maximum number of bytes of a scenario or profile: many times the size that people or scripts write.
pub const FILE_BYTES_MAX: u64 = 4 << 20;

/// Maximum number of bytes that are read of a class file: one more than the parser accepts. Reading one byte more than
/// the parser accepts lets the parser reject a longer class file and name its own limit.
pub const CLASS_BYTES_READ: u64 = (1 << 20) + 1;

/// Maximum number of NICs: as many as endpoints.
pub const NICS_MAX: usize = ENDPOINTS_MAX;

/// Maximum number of switches: as many as NICs. Together they have routes of 64 MiB at most.
pub const SWITCHES_MAX: usize = NICS_MAX;

/// Maximum number of links. A link takes about half a KiB. Without switches each pair of NICs has one by default, which
/// allows for 361 NICs.
pub const LINKS_MAX: usize = 65_536;

/// Maximum number of ports of a switch: a link to each other node.
pub const SWITCH_PORTS_MAX: u64 = (NICS_MAX + SWITCHES_MAX) as u64;

/// Maximum number of values in entries that are written out because their names have ranges: eight for each entry of the
/// longest list.
pub const WRITTEN_OUT_MAX: u64 = 8 * SENDS_MAX as u64;

/// Maximum number of processors of a NIC, each of which has a call stack in the NIC's memory.
pub const PROCESSORS_MAX: u64 = 8;

/// Maximum number of processors of a host: more than the processes that a scenario is likely to place on the host.
pub const HOST_PROCESSORS_MAX: u64 = 1_024;

/// Maximum number of endpoints: four times the largest planned experiment (1,000 on one NIC).
pub const ENDPOINTS_MAX: usize = 4_096;

/// Maximum number of channels: 16 for each possible endpoint.
pub const CHANNELS_MAX: usize = 65_536;

/// Maximum number of entries of `[[send]]`, where each packet of a capture counts as one: 16 for each possible
/// endpoint.
pub const SENDS_MAX: usize = 65_536;

/// Maximum number of messages of a closed loop that may be without an answer: as many as a queue may have descriptors.
pub const OUTSTANDING_MAX: u64 = 65_536;

/// Maximum number of bytes of a file with times: a line for each of some million messages.
pub const GAPS_BYTES_MAX: u64 = 1 << 25;

/// Maximum number of lengths of a distribution, which is a table of them.
pub const LENGTHS_MAX: u64 = 65_536;

/// Minimum number of bytes of a class file in a fragment of a capsule. With fragments of `FRAGMENT_MIN` bytes, the
/// largest class file has as many fragments as a scenario can have sends.
pub const FRAGMENT_MIN: u64 = 16;

/// Maximum number of bytes of a class file in a fragment of a capsule: more than the longest packet of a built-in
/// profile.
pub const FRAGMENT_MAX: u64 = 65_536;

/// Maximum number of entries of `[[window]]`: as many as of `[[channel]]`.
pub const WINDOWS_MAX: usize = CHANNELS_MAX;

/// Maximum number of entries of `[[port]]`: as many as of `[[channel]]`.
pub const PORTS_MAX: usize = CHANNELS_MAX;

/// Maximum number of entries of `[[region]]`: one for each possible endpoint.
pub const REGIONS_MAX: usize = ENDPOINTS_MAX;

/// Maximum number of entries of `[[swap]]`: one for each possible endpoint.
pub const SWAPS_MAX: usize = ENDPOINTS_MAX;

/// Maximum number of entries of `[[expect]]`: one for each possible endpoint. Each `[[expect]]` may keep some bytes of
/// messages.
pub const EXPECTATIONS_MAX: usize = ENDPOINTS_MAX;

/// Maximum number of bytes of a name, which appears in every line of a trace.
pub const NAME_BYTES_MAX: usize = 64;

/// Maximum number of bytes of a buffer area: natives address the buffer area with a Java `int`.
pub const BUFFER_AREA_MAX: u64 = i32::MAX as u64;

/// Maximum number of bytes of all buffer areas, which the simulator allocates: the default size for every possible
/// endpoint.
pub const BUFFER_AREAS_TOTAL_MAX: u64 = ENDPOINTS_MAX as u64 * 65_536;

/// Maximum number of bytes of all applets' heaps and `RxBuf` arrays, which the simulator allocates.
pub const HEAPS_TOTAL_MAX: u64 = 1 << 28;

/// Maximum number of bytes of all payloads, which stay in memory for the whole run.
pub const PAYLOADS_TOTAL_MAX: u64 = 1 << 26;

/// Maximum number of bytes read from payload files. Refused files and repeated reads count towards the limit on bytes
/// read, because reading takes time.
pub const SENT_FILES_TOTAL_MAX: u64 = 4 * PAYLOADS_TOTAL_MAX;

/// Maximum number of bytes of all captures that sends name, as they are before compression. They are read twice, which
/// takes a few seconds at this length, and no memory: the packets of a long capture are read again when they are due.
pub const CAPTURES_TOTAL_MAX: u64 = 1 << 32;

/// Maximum number of interfaces of a capture, and of packets that are held in memory: each of these is a send.
pub const CAPTURE_PACKETS_MAX: usize = SENDS_MAX;

/// Maximum number of bytes of all class files. A class file that several endpoints name counts once.
pub const CLASSES_TOTAL_MAX: u64 = 1 << 28;

/// Maximum number of descriptors of a queue.
pub const QUEUE_MAX: u64 = 65_536;

/// Maximum number of descriptors of all queues: twice the default queues of every possible endpoint. The simulator
/// allocates the descriptors of all queues, at up to 100 bytes each.
pub const QUEUES_TOTAL_MAX: u64 = 2 * ENDPOINTS_MAX as u64 * 128;

/// Maximum number of free buffers of all endpoints. The simulator keeps nine bytes for each free buffer. Buffer areas
/// at their limits hold fewer buffers than this maximum, unless a buffer has only a few bytes.
pub const FREE_BUFFERS_TOTAL_MAX: u64 = 1 << 24;

/// Maximum fuel of a call: about a minute of computing without an event.
pub const FUEL_MAX: u64 = 10_000_000_000;

/// Maximum number of applets of a chain, each of which has a heap in the NIC's memory.
pub const CHAIN_MAX: usize = 8;

/// Largest channel number: the largest Java `int`.
pub const CHANNEL_NUMBER_MAX: u64 = i32::MAX as u64;

/// Maximum number of bytes of a NIC's SRAM: offsets in the SRAM have 32 bits.
pub const SRAM_MAX: u64 = u32::MAX as u64;

/// Maximum number of bytes of an applet's heap: an array reference is a positive Java `int`.
pub const HEAP_MAX: u64 = i32::MAX as u64;

/// Maximum number of events of a run: days of computing. A scenario with a larger number of events is probably a typing
/// mistake.
pub const EVENTS_MAX: u64 = 1_000_000_000_000;

/// Maximum number of instructions of a run: days of computing, as with events.
pub const BYTECODES_MAX: u64 = 1_000_000_000_000_000;

/// Maximum number of repetitions of a `[[send]]`: each message is at least one event.
pub const REPEAT_MAX: u64 = EVENTS_MAX;

/// Maximum number of mistakes that are reported at once: more than a person fixes before trying again.
pub const MISTAKES_MAX: usize = 50;

/// Maximum number of entries of a completion queue: far more than the descriptors of all VIs of a NIC.
pub(super) const COMPLETION_ENTRIES_MAX: u64 = 1 << 24;
