//! Counts packets with a class that eight threads share. Each thread keeps the class and its instance in one struct,
//! offers a native that fails with an error of its own, and gives more fuel to a call that ran out of it.

use std::fmt;
use std::thread;

use jive_embed::{
    ArrayRef, CallError, Field, Heap, Host, HostError, Instance, Limits, LoadError, LoadedClass,
    Method, NativeDecl, NativeId, NativeParameter, NativeType, NoMember, State, TrapKind, Value,
    load,
};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The natives that the class may call, as rows. `jive_embed::natives` declares the same as an enum.
const NATIVES: &[NativeDecl<'static>] = &[NativeDecl {
    class: "Meter",
    name: "report",
    parameters: &[NativeParameter {
        name: "seen",
        kind: NativeType::Int,
    }],
    result: None,
}];

/// Length of the longest packet that a meter counts.
const BUFFER_BYTES: usize = 64;

/// Takes reports until its log is full.
struct Log {
    room: usize,
    lines: Vec<i32>,
}

/// The log is full.
#[derive(Debug, PartialEq)]
struct Full {
    room: usize,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the log has room for {} lines", self.room)
    }
}

impl std::error::Error for Full {}

impl Host for Log {
    type Error = Full;

    fn call(
        &mut self,
        _: NativeId,
        arguments: &[i32],
        _: &mut Heap<'_>,
    ) -> Result<i32, HostError<Full>> {
        if self.lines.len() == self.room {
            return Err(HostError::Failed(Full { room: self.room }));
        }
        self.lines.extend(arguments);
        Ok(0)
    }
}

/// The class with its instance: a meter needs nothing else.
struct Meter {
    class: LoadedClass,
    count: Method,
    seen: Field<i32>,
    instance: Instance<Log>,
    /// Holds each packet in turn.
    buffer: ArrayRef,
    refuelled: u32,
}

impl Meter {
    /// Starts a meter that has seen some packets already, before its static initializer runs.
    fn new(class: &LoadedClass, seen: i32, room: usize) -> Result<Meter, Error> {
        let field = class.field::<i32>("seen")?;
        let state = State::default().with(field, seen);
        let log = Log {
            room,
            lines: Vec::new(),
        };
        let limits = Limits::default().with_fuel(100).with_heap_bytes(1 << 10);
        let mut instance = class.instantiate_with(&state, limits, log)?;
        Ok(Meter {
            count: class.method("count", "([BI)I")?,
            seen: field,
            buffer: instance.bytes_from(&[0; BUFFER_BYTES])?,
            instance,
            class: class.clone(),
            refuelled: 0,
        })
    }

    /// Counts a packet, however much fuel it takes.
    fn count(&mut self, packet: &[u8]) -> Result<Option<Value>, CallError<Full>> {
        let length = packet.len().min(BUFFER_BYTES);
        if let Some(buffer) = self.instance.bytes_mut(self.buffer) {
            buffer[..length].copy_from_slice(&packet[..length]);
        }
        let length = i32::try_from(length).unwrap_or(i32::MAX);
        let mut returned = self
            .instance
            .call(self.count, &[self.buffer.into(), length.into()]);
        while let Err(CallError::Trap { trap }) = &returned
            && trap.trap.kind == TrapKind::FuelExhausted
        {
            self.refuelled += 1;
            returned = self.instance.resume(100);
        }
        Ok(returned?.value)
    }
}

/// Counts four packets on a thread of its own, and describes what came of it.
fn metered(class: &LoadedClass, number: u16) -> Result<String, Error> {
    let mut meter = Meter::new(class, 96 + i32::from(number), usize::from(number) / 2)?;
    let mut end = String::from("all counted");
    for length in [10, 20, 30, 40] {
        match meter.count(&vec![1; length]) {
            Ok(_) => {}
            // The native's own error, as the native returned it.
            Err(CallError::Host { error, at }) => {
                assert_eq!(
                    error,
                    Full {
                        room: usize::from(number) / 2
                    }
                );
                end = format!("{error}, at {at}");
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let seen = meter.instance.get(meter.seen)?;
    let by_kind = meter
        .instance
        .get_array(meter.class.field::<[i16]>("byKind")?)?;
    let Meter { refuelled, .. } = meter;
    Ok(format!(
        "{seen} seen, {by_kind:?} by kind, {refuelled} times refuelled: {end}"
    ))
}

fn main() -> Result<(), Error> {
    let class = load(include_bytes!("Meter.class"), NATIVES)?;
    let refused: LoadError = load(b"no class file", NATIVES).expect_err("it is no class file");
    println!("{refused}");
    let missing: NoMember = class.method("count", "()I").expect_err("it has parameters");
    println!("{missing}");
    thread::scope(|scope| {
        let class = &class;
        let threads = (0..8).map(|number| scope.spawn(move || metered(class, number)));
        for (number, thread) in threads.collect::<Vec<_>>().into_iter().enumerate() {
            println!(
                "thread {number}: {}",
                thread.join().map_err(|_| "it panicked")??
            );
        }
        Ok(())
    })
}
