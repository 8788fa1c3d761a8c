//! The programs in which instructions are counted, and the runs that count them.

use jive_core::{ArrayKind, ClassFile, Lifetime, MethodId};
use jive_verifier::Policy;
use nic_core::sle::NicNative;

use super::sequence::{Sequences, Total};
use super::together::Together;
use crate::defensive::{Finding, NativeAnswers, Pair, States, Value};
use crate::machine::{Room, machine, parsed};
use crate::openjdk::{calls, committed};

/// The built-in applets that are counted. `RawUnet` and `NullCall` are excluded because benchmarks measure them.
const APPLETS: [&str; 7] = [
    "AckInNic",
    "Burst25",
    "Counter",
    "Drop",
    "Generator",
    "PingPong",
    "RawUnetSingle",
];

/// The programs of the OpenJDK comparison that are counted, called as in `calls.txt`. None of the programs is a
/// benchmark kernel or computes the same as a kernel.
const PROGRAMS: [&str; 23] = [
    "Base64",
    "Cobs",
    "DnsName",
    "EditDistance",
    "FlowTable",
    "GameOfLife",
    "LogHistogram",
    "LruCache",
    "MatrixMultiply",
    "Murmur3",
    "PacketFilter",
    "PrefixTrie",
    "QuickSort",
    "Rc4",
    "ReorderWindow",
    "RunLength",
    "Sha256",
    "StackMachine",
    "TcpStates",
    "Tokenizer",
    "TokenBucket",
    "UnionFind",
    "Varint",
];

/// Lengths of the packets that applets send and receive, repeated in a cycle.
const LENGTHS: [i32; 8] = [64, 40, 576, 4, 1500, 128, 0, 56];
/// First bytes of received packets, repeated in a cycle: a pong, a byte that `Drop` rejects, and others.
const FIRST_BYTES: [u8; 5] = [0xff, b'x', 0, 1, 0x45];
/// Number of packets in each direction.
const PACKETS: usize = 400;
/// Number of packets for which a receive buffer is used before it is replaced.
const PACKETS_PER_BUFFER: usize = 8;
/// Bytes of a receive buffer.
const BUFFER: i32 = 1500;
/// Number of channels.
const CHANNELS: usize = 20;

/// A program, and the counts of its execution.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The class.
    pub name: &'static str,
    /// Number of calls.
    pub calls: usize,
    /// The counts of instructions and sequences.
    pub sequences: Sequences,
    /// The counts of linked ops.
    pub(super) together: Together,
}

impl Counted {
    /// Returns the counts of all instructions.
    #[must_use]
    pub fn total(&self) -> Total {
        self.sequences.instructions
    }

    /// Returns the executed pairs of consecutive ops, by name.
    pub fn pairs(&self) -> impl Iterator<Item = [&'static str; 2]> {
        let executed = self.together.pairs.iter();
        let executed = executed.filter(|(_, total)| total.executed > 0);
        executed.map(|(names, _)| *names)
    }
}

/// Runs and counts all programs.
///
/// # Panics
///
/// Panics if a program is missing or rejected, or the interpreters differ.
#[must_use]
pub fn count() -> Vec<Counted> {
    let list = committed::text("calls.txt");
    let calls = calls(&list);
    let applets = APPLETS.map(|name| {
        let applet = applets::ALL.iter().find(|applet| applet.name == name);
        let class = applet.expect("a shipped applet").class;
        counted(name, class, |machine| machine.packets())
    });
    let mut classes = committed::files("class");
    let programs = PROGRAMS.map(|name| {
        let class = classes.remove(name).expect("a committed program");
        counted(name, &class, |machine| {
            let mut made = 0;
            for call in calls.iter().filter(|call| call.class == name) {
                let method = machine.method(call.method);
                for arguments in call.arguments() {
                    let arguments: Vec<Value> = arguments.iter().copied().map(Value::Int).collect();
                    machine.call(method, &arguments, Lifetime::Persistent)?;
                    made += 1;
                }
            }
            Ok(made)
        })
    });
    applets.into_iter().chain(programs).collect()
}

/// A program that is loaded in the shipped and in the defensive interpreter.
struct Loaded<'l, 'p, 'm> {
    class: ClassFile<'m>,
    pair: &'l mut Pair<'p, 'm>,
    natives: NativeAnswers,
}

impl Loaded<'_, '_, '_> {
    fn method(&self, name: &str) -> MethodId {
        let method = self.class.methods().find(|method| method.name == name);
        method.expect("the class has a method of that name").id
    }

    fn call(
        &mut self,
        method: MethodId,
        arguments: &[Value],
        lifetime: Lifetime,
    ) -> Result<(), Finding> {
        let ended = self.pair.call(method, arguments, lifetime, &self.natives)?;
        assert!(ended.is_ok(), "programs that count do not trap: {ended:?}");
        Ok(())
    }

    /// Sends packets and receives packets.
    fn packets(&mut self) -> Result<usize, Finding> {
        let buffer = self.class.fields().find(|field| field.name == "RxBuf");
        let buffer = buffer.expect("an applet has a receive buffer").id;
        let (send, receive) = (self.method("doTx"), self.method("doRx"));
        for packet in 0..PACKETS {
            if packet % PACKETS_PER_BUFFER == 0 {
                let byte = FIRST_BYTES[packet / PACKETS_PER_BUFFER % FIRST_BYTES.len()];
                self.pair.make_array(ArrayKind::Byte, BUFFER, byte);
                self.pair.set_field_to_array(buffer);
            }
            let length = Value::Int(LENGTHS[packet % LENGTHS.len()]);
            let channel = i32::try_from(packet % CHANNELS).expect("a small number");
            let channel = Value::Int(channel);
            let offset = Value::Int(BUFFER);
            self.call(send, &[length, channel, offset], Lifetime::PerCall)?;
            self.call(receive, &[length, channel], Lifetime::PerCall)?;
        }
        Ok(2 * PACKETS)
    }
}

/// Loads a class, runs `drive` on it, and counts the executed instructions and ops.
fn counted(
    name: &'static str,
    bytes: &[u8],
    drive: impl FnOnce(&mut Loaded<'_, '_, '_>) -> Result<usize, Finding>,
) -> Counted {
    let inferred = parsed(bytes, |class| {
        States::infer(class, Policy::ClassOnly, NicNative::TABLE)
    });
    let states = inferred.expect("a class file").expect("an accepted class");
    let room = Room::default();
    let done = machine(
        bytes,
        Policy::ClassOnly,
        NicNative::TABLE,
        room,
        |machine| {
            let class = machine.class;
            let program = machine.instance.program();
            let mut pair = Pair::new(machine, states, room);
            let natives = NativeAnswers::obliging();
            pair.load(&natives)?;
            let calls = drive(&mut Loaded {
                class,
                pair: &mut pair,
                natives,
            })?;
            Ok::<_, Finding>(Counted {
                name,
                calls,
                sequences: Sequences::count(class, pair.visits()),
                together: Together::count(class, &program, pair.visits()),
            })
        },
    );
    match done {
        Ok(Ok(counted)) => counted,
        Ok(Err(finding)) => panic!("{name}: {finding}"),
        Err(rejected) => panic!("{name}: {rejected}"),
    }
}
