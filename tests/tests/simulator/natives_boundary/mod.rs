//! Tests every native with every combination of boundary values for its arguments.
//!
//! The runtime's check and the detached endpoint must decide as the model of the natives does. After each call, the
//! bytes in the buffer area and in the array must equal those of the model.

mod model;

use self::model::{Argument, Done, Endpoint, READ, Trap};
use jive_core::{ArrayKind, Heap, NativeType, Natives, TrapKind, TrapValues};
use nic_core::id::{ChannelId, DirectionId, EndpointId};
use nic_core::remote::{OwnWindow, PeerWindow, WindowId, WindowRights};
use nic_core::sle::{Arrived, Bound, Effect, LocalEffect, NicNative, Rights, TrapCause, check};
use nic_core::storage::Storage;
use nic_core::unet::{Channel, MessageBody};
use nic_runtime::applet::{DetachedEndpoint, DetachedShape};
use nic_runtime::memory::HostMemory;
use nic_runtime::storage::Channels;

const AREA: u32 = 64;
const BUFFERS: u32 = 2;
const BUFFER_LENGTH: u32 = 16;
const MAX_PACKET: u32 = 40;
const CHANNELS: [i32; 2] = [0, 9];
const HEAP: usize = 4096;
/// Lengths of windows: longer than a packet, and short.
const LONG_WINDOW: u32 = MAX_PACKET + 1;
const SHORT_WINDOW: u32 = 8;
/// The number of the window that the endpoint may read.
const READABLE: i32 = 8;
/// Lengths of the byte arrays: zero, shorter than other limits, longer than an inline message, longer than the buffer
/// area.
const ARRAYS: [usize; 4] = [0, 8, 60, 70];

/// Returns every value at which a native's result may change, and its neighbours.
fn boundaries() -> Vec<i64> {
    let turning = [
        0,
        i64::from(AREA),
        i64::from(BUFFER_LENGTH),
        i64::from(MAX_PACKET),
        8,
        60,
        70,
        56,
        // The length of a message of fourteen shares.
        14 * i64::from(BUFFER_LENGTH),
    ];
    let ends = [i64::from(i32::MIN), i64::from(i32::MAX)];
    let mut values: Vec<i64> = turning
        .into_iter()
        .flat_map(|n| [n - 1, n, n + 1])
        .chain(ends.into_iter().flat_map(|n| [n - 1, n, n + 1]))
        .filter(|value| i32::try_from(*value).is_ok())
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Returns the `byte[]` arguments: null and an array of each length, in which all bytes differ.
fn byte_arrays() -> Vec<Argument> {
    let filled = ARRAYS.map(|length| Some((1..=200).take(length).collect()));
    core::iter::once(None)
        .chain(filled)
        .map(Argument::Bytes)
        .collect()
}

/// Returns the `int[]` arguments: null, an empty array, each boundary alone, and pairs near the area's end. The
/// arguments include arrays as long as a message may have shares, and one longer or shorter.
fn int_arrays() -> Vec<Argument> {
    let area = i64::from(AREA);
    let around = [
        i64::from(i32::MIN),
        -1,
        0,
        area - 17,
        area - 16,
        area - 15,
        area - 1,
        area,
        area + 1,
    ];
    let pairs = around
        .iter()
        .flat_map(|first| around.map(|second| vec![*first, second]));
    let many = [13, 14, 15].map(|count| vec![area - 16; count]);
    core::iter::once(None)
        .chain(core::iter::once(Some(Vec::new())))
        .chain(boundaries().into_iter().map(|offset| Some(vec![offset])))
        .chain(pairs.chain(many).map(Some))
        .map(Argument::Ints)
        .collect()
}

/// Calls `each` with every combination of the native's arguments, and returns the number of combinations.
fn combinations(native: NicNative, mut each: impl FnMut(&[Argument])) -> usize {
    // Use fewer numbers if the native has many parameters, because the number of combinations grows as a power.
    let values = match native.decl().parameters.len() {
        0..=4 => boundaries(),
        _ => [i32::MIN, -1, 0, 1, 7, 8, 9, 40, 41, i32::MAX]
            .map(i64::from)
            .to_vec(),
    };
    let ints: Vec<Argument> = values.into_iter().map(Argument::Int).collect();
    let choices: Vec<Vec<Argument>> = native
        .decl()
        .parameters
        .iter()
        .map(|parameter| match parameter.kind {
            NativeType::Int => ints.clone(),
            NativeType::ByteArray => byte_arrays(),
            NativeType::IntArray => int_arrays(),
            NativeType::BooleanArray | NativeType::ShortArray => {
                panic!("no native takes a boolean[] or a short[]")
            }
        })
        .collect();
    let count = choices.iter().map(Vec::len).product();
    for mut number in 0..count {
        let arguments: Vec<Argument> = choices
            .iter()
            .map(|choices| {
                let choice = choices[number % choices.len()].clone();
                number /= choices.len();
                choice
            })
            .collect();
        each(&arguments);
    }
    count
}

/// Returns the initial content of the buffer area, in which all bytes differ, and differ from those of the arrays.
fn area() -> Vec<u8> {
    (u8::MAX - 63..=u8::MAX).collect()
}

fn model_endpoint(channels: &[i32]) -> Endpoint {
    Endpoint {
        area: area(),
        free: (0..i64::from(BUFFERS))
            .map(|n| n * i64::from(BUFFER_LENGTH))
            .collect(),
        buffer_length: BUFFER_LENGTH.into(),
        own_windows: Vec::new(),
        peer_windows: Vec::new(),
        channels: channels.iter().copied().map(i64::from).collect(),
        readable_windows: Vec::new(),
        max_packet: MAX_PACKET.into(),
        arrival: None,
        // The heap has room for arrays of all boundary lengths except those near the largest `int`.
        heap_left: 1000,
    }
}

fn detached_endpoint() -> DetachedEndpoint {
    let mut endpoint = DetachedEndpoint::new(DetachedShape {
        buffer_area: AREA,
        free_buffer_count: BUFFERS,
        free_buffer_length: BUFFER_LENGTH,
        rx_queue: 1,
        max_packet: MAX_PACKET,
    });
    let mut memory = [0; 128];
    let mut heap = Heap::new(&mut memory);
    let fill = [
        Argument::Bytes(Some(area())),
        Argument::Int(0),
        Argument::Int(0),
        Argument::Int(AREA.into()),
    ];
    let placed = place(&fill, &mut heap);
    endpoint
        .call(NicNative::DoLtoHDma.id(), &placed, &mut heap)
        .expect("all of the area is in range");
    endpoint
}

/// Copies arguments into a heap and returns them as the interpreter passes them.
fn place(arguments: &[Argument], heap: &mut Heap<'_>) -> Vec<i32> {
    let mut array = |kind, length: usize, bytes: &[u8]| {
        let length = i32::try_from(length).unwrap();
        let reference = heap.allocate(kind, length).expect("the heap has room");
        heap.bytes_mut(reference).unwrap().copy_from_slice(bytes);
        reference
    };
    arguments
        .iter()
        .map(|argument| match argument {
            Argument::Int(value) => i32::try_from(*value).unwrap(),
            Argument::Bytes(None) | Argument::Ints(None) => 0,
            Argument::Bytes(Some(bytes)) => array(ArrayKind::Byte, bytes.len(), bytes),
            Argument::Ints(Some(ints)) => {
                let bytes: Vec<u8> = ints
                    .iter()
                    .flat_map(|value| i32::try_from(*value).unwrap().to_le_bytes())
                    .collect();
                array(ArrayKind::Int, ints.len(), &bytes)
            }
        })
        .collect()
}

/// Reads arguments back from the heap.
fn read_back(arguments: &[Argument], placed: &[i32], heap: &Heap<'_>) -> Vec<Argument> {
    arguments
        .iter()
        .zip(placed)
        .map(|(argument, placed)| match argument {
            Argument::Bytes(Some(_)) => Argument::Bytes(heap.bytes(*placed).map(<[u8]>::to_vec)),
            Argument::Ints(Some(_)) => Argument::Ints(heap.bytes(*placed).map(|bytes| {
                bytes
                    .chunks_exact(4)
                    .map(|four| i32::from_le_bytes(four.try_into().unwrap()).into())
                    .collect()
            })),
            other => other.clone(),
        })
        .collect()
}

/// Performs a native on a detached endpoint and returns its effect.
fn detached(
    endpoint: &mut DetachedEndpoint,
    native: NicNative,
    placed: &[i32],
    heap: &mut Heap<'_>,
) -> Result<Done, Trap> {
    let value = endpoint
        .call(native.id(), placed, heap)
        .map_err(|trap| trap.name())?;
    if let Some(descriptor) = endpoint.endpoint().receive.first() {
        let (channel, length) = (descriptor.channel.0.into(), descriptor.length.into());
        return Ok(match &descriptor.body {
            MessageBody::Inline(bytes) => Done::Carried {
                bytes: bytes[..usize::try_from(descriptor.length).unwrap()].to_vec(),
                channel,
            },
            MessageBody::Buffers(buffers) => Done::Described {
                offsets: buffers.offsets().iter().copied().map(i64::from).collect(),
                channel,
                length,
            },
        });
    }
    Ok(match native.decl().result {
        None => Done::Nothing,
        Some(NativeType::Int) => Done::Value(value.into()),
        Some(_) => {
            let array = heap.array(value).expect("the native made an array");
            assert_eq!(array.kind, ArrayKind::Byte);
            assert_eq!(array.start % 8, 0, "aligned for DMA");
            assert!(heap.bytes(value).unwrap().iter().all(|byte| *byte == 0));
            Done::Array(array.length.into())
        }
    })
}

/// Asserts that the cause of a refused call names the arguments that break a bound, and that no other call has a cause.
fn assert_cause<S: Storage>(
    native: NicNative,
    args: &[i32],
    heap: &Heap<'_>,
    rights: &Rights<'_, S>,
) {
    let checked = check(native, args, heap, rights);
    let kind = checked.err().unwrap_or(TrapKind::Unverified);
    let values = TrapValues::Native {
        id: native.id(),
        args,
    };
    let violation = match TrapCause::of(kind, values, heap, rights) {
        TrapCause::Violation(violation) => violation,
        TrapCause::Values(_) => return assert!(checked.is_ok(), "{native:?} {args:?}"),
    };
    let expected = match violation.bound {
        Bound::Null => TrapKind::NullPointerException,
        Bound::Negative { .. } if native == NicNative::NewAlignedArray => {
            TrapKind::NegativeArraySizeException
        }
        _ => TrapKind::ProtectionFault,
    };
    assert_eq!(checked, Err(expected), "{native:?} {args:?}");
    let offsets = args.first().and_then(|array| heap.bytes(*array));
    let offsets = offsets.into_iter().flat_map(|bytes| bytes.chunks(4));
    let offsets = offsets.filter_map(|four| Some(i32::from_le_bytes(four.try_into().ok()?)));
    let known = args.iter().copied().chain(offsets).map(i64::from);
    let limits = [AREA, BUFFER_LENGTH, MAX_PACKET, LONG_WINDOW, SHORT_WINDOW].map(i64::from);
    let lengths = ARRAYS.map(|length| i64::try_from(length).unwrap());
    // Add the possible positions, counts and lengths of shares.
    let small = 0..=i64::from(BUFFER_LENGTH);
    let known = Vec::from_iter(known.chain(limits).chain(lengths).chain(small));
    let (text, mut count) = (violation.to_string(), 0);
    violation.values(&mut |name, value| {
        count += 1;
        assert!(known.contains(&value), "{name} {value} of {args:?}");
        // The text of the violation contains the name of a parameter, or the number of a bound.
        let is_said = text.contains(&value.to_string());
        let parameters = native.decl().parameters;
        let is_parameter = parameters.iter().any(|parameter| parameter.name == name);
        assert!(is_said, "{name} {value}: {text}");
        assert!(!is_parameter || text.contains(name), "{name}: {text}");
    });
    let has_none = matches!(violation.bound, Bound::Null | Bound::NoArrival);
    assert_eq!(count == 0, has_none, "{text}");
}

#[test]
fn a_detached_endpoint_does_what_the_model_does() {
    let mut memory = vec![0; HEAP];
    for native in NicNative::ALL {
        let name = native.decl().name;
        let mut trapped = 0;
        let count = combinations(*native, |arguments| {
            let mut model = model_endpoint(&[]);
            let mut expected_arguments = arguments.to_vec();
            let expected = model::perform(&mut model, name, &mut expected_arguments);

            let mut endpoint = detached_endpoint();
            let mut heap = Heap::new(&mut memory);
            let placed = place(arguments, &mut heap);
            assert_cause(*native, &placed, &heap, &Rights::of(endpoint.endpoint()));
            let found = detached(&mut endpoint, *native, &placed, &mut heap);

            let label = || format!("{name} of {arguments:?}");
            assert_eq!(found, expected, "{}", label());
            assert_eq!(endpoint.area(), model.area, "area after {}", label());
            let found_arguments = read_back(arguments, &placed, &heap);
            assert_eq!(
                found_arguments,
                expected_arguments,
                "arrays after {}",
                label()
            );
            trapped += usize::from(expected.is_err());
        });
        println!("{name}: {count} combinations, {trapped} traps");
    }
}

#[test]
fn a_send_passes_the_check_where_the_model_sends() {
    let channels = Channels::new(
        CHANNELS
            .map(|id| Channel {
                id: ChannelId(id),
                peer: EndpointId(1),
                peer_id: ChannelId(3),
                route: DirectionId(0),
            })
            .to_vec(),
    );
    let rights = Rights {
        area: HostMemory::new().pin(AREA),
        buffer_length: BUFFER_LENGTH,
        channels: &channels,
        max_packet: MAX_PACKET,
        windows: None,
        arrival: None,
    };
    let mut memory = vec![0; HEAP];
    let mut sent = 0;
    combinations(NicNative::TxPush, |arguments| {
        let expected = model::perform(
            &mut model_endpoint(&CHANNELS),
            "txPush",
            &mut arguments.to_vec(),
        );
        let mut heap = Heap::new(&mut memory);
        let placed = place(arguments, &mut heap);
        assert_cause(NicNative::TxPush, &placed, &heap, &rights);
        let found = match check(NicNative::TxPush, &placed, &heap, &rights) {
            Ok(Effect::Send { from, channel }) => Ok(Done::Sent {
                bytes: from.bytes(&heap).to_vec(),
                channel: channel.id.0.into(),
            }),
            Ok(other) => panic!("a send checks as {other:?}"),
            Err(trap) => Err(trap.name()),
        };
        assert_eq!(found, expected, "txPush of {arguments:?}");
        sent += usize::from(expected.is_ok());
    });
    assert!(sent > 0);
}

#[test]
fn natives_of_windows_pass_the_check_where_the_model_does() {
    let path = Channel {
        id: ChannelId(0),
        peer: EndpointId(1),
        peer_id: ChannelId(0),
        route: DirectionId(0),
    };
    let windows = [(0, LONG_WINDOW), (8, SHORT_WINDOW)];
    let own = windows.map(|(number, length): (i32, u32)| OwnWindow {
        number,
        window: WindowId(number.cast_unsigned()),
        length,
    });
    let peers = windows.map(|(number, length)| PeerWindow {
        number,
        window: WindowId(number.cast_unsigned()),
        length,
        is_readable: number == READABLE,
        path,
    });
    let channels = Channels::default();
    let rights = Rights {
        area: HostMemory::new().pin(AREA),
        buffer_length: BUFFER_LENGTH,
        channels: &channels,
        max_packet: MAX_PACKET,
        windows: Some(&WindowRights {
            own: &own,
            peers: &peers,
            watches_left: 1,
            reads_left: 1,
        }),
        arrival: None,
    };
    let mut memory = vec![0; HEAP];
    for native in [
        NicNative::Watch,
        NicNative::WindowWrite,
        NicNative::WindowRead,
    ] {
        let name = native.decl().name;
        let mut passed = 0;
        combinations(native, |arguments| {
            let mut endpoint = model_endpoint(&[]);
            endpoint.own_windows = windows
                .map(|(number, length)| (number.into(), length.into()))
                .to_vec();
            endpoint.peer_windows = endpoint.own_windows.clone();
            endpoint.readable_windows = vec![READABLE.into()];
            let expected = model::perform(&mut endpoint, name, &mut arguments.to_vec());
            let mut heap = Heap::new(&mut memory);
            let placed = place(arguments, &mut heap);
            assert_cause(native, &placed, &heap, &rights);
            let found = match check(native, &placed, &heap, &rights) {
                Ok(Effect::Local(LocalEffect::Watch { window, range })) => Ok(Done::Watched {
                    window: window.0.into(),
                    offset: range.0.into(),
                    length: range.1.into(),
                }),
                Ok(Effect::WriteWindow { from, peer, offset }) => Ok(Done::Written {
                    bytes: from.bytes(&heap).to_vec(),
                    window: peers[peer as usize].number.into(),
                    offset: offset.into(),
                }),
                Ok(Effect::ReadWindow { into, peer, offset }) => Ok(Done::Read {
                    window: peers[peer as usize].number.into(),
                    offset: offset.into(),
                    into: {
                        into.bytes_mut(&mut heap).fill(READ);
                        heap.bytes(placed[0]).unwrap().to_vec()
                    },
                }),
                Ok(other) => panic!("{name} checks as {other:?}"),
                Err(trap) => Err(trap.name()),
            };
            assert_eq!(found, expected, "{name} of {arguments:?}");
            passed += usize::from(expected.is_ok());
        });
        assert!(passed > 20, "{name}: {passed}");
    }
}

#[test]
fn natives_of_an_arrival_pass_the_check_where_the_model_does() {
    let channels = Channels::default();
    let mut memory = vec![0; HEAP];
    for header in [0, 8, 41] {
        let rights = Rights {
            area: HostMemory::new().pin(AREA),
            buffer_length: BUFFER_LENGTH,
            channels: &channels,
            max_packet: MAX_PACKET,
            windows: None,
            arrival: Some(Arrived {
                offset: BUFFER_LENGTH,
                header,
            }),
        };
        for native in [NicNative::RxOffset, NicNative::Peek] {
            let name = native.decl().name;
            let mut passed = 0;
            combinations(native, |arguments| {
                let mut endpoint = model_endpoint(&[]);
                endpoint.arrival = Some((BUFFER_LENGTH.into(), header.into()));
                let expected = model::perform(&mut endpoint, name, &mut arguments.to_vec());
                let mut heap = Heap::new(&mut memory);
                let placed = place(arguments, &mut heap);
                assert_cause(native, &placed, &heap, &rights);
                let found = match check(native, &placed, &heap, &rights) {
                    Ok(Effect::Local(LocalEffect::ArrivalOffset { offset })) => {
                        Ok(Done::Value(offset.into()))
                    }
                    Ok(Effect::Peek { into, offset }) => Ok(Done::Peeked {
                        offset: offset.into(),
                        into: {
                            into.bytes_mut(&mut heap).fill(READ);
                            heap.bytes(placed[0]).unwrap().to_vec()
                        },
                    }),
                    Ok(other) => panic!("{name} checks as {other:?}"),
                    Err(trap) => Err(trap.name()),
                };
                assert_eq!(found, expected, "{name} of {arguments:?}, header {header}");
                passed += usize::from(expected.is_ok());
            });
            assert!(passed > 0, "{name}, header {header}");
        }
    }
}

#[test]
fn free_buffers_are_popped_first_to_last() {
    let mut endpoint = detached_endpoint();
    let mut model = model_endpoint(&[]);
    let mut memory = vec![0; HEAP];
    for _ in 0..=BUFFERS + 1 {
        let found = detached(
            &mut endpoint,
            NicNative::GetFreeBuffer,
            &[],
            &mut Heap::new(&mut memory),
        );
        assert_eq!(found, model::perform(&mut model, "getFreeBuffer", &mut []));
    }
    assert!(model.free.is_empty());
}

#[test]
fn the_boundaries_include_every_limit() {
    // The boundaries contain MIN, -1, 0, 1, n-1, n, n+1 and MAX, where n is the length of the area or of an array.
    for value in [i32::MIN, -1, 0, 1, 7, 8, 9, 63, 64, 65, i32::MAX] {
        assert!(boundaries().contains(&value.into()), "{value}");
    }
}
