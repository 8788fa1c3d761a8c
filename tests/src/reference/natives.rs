//! Natives that give random answers to the shipped interpreter, and the same answers to the reference interpreter.

use std::collections::VecDeque;

use jive_core::{ArrayKind, Heap, NativeDecl, NativeId, NativeType, TrapKind};

use super::arrays::Arrays;
use super::interpreter;
use jive_lab::Random;

/// A call of a native, with its effect.
#[derive(Clone, Debug)]
struct Asked {
    id: NativeId,
    arguments: Vec<i32>,
    /// The number of the argument whose array the native fills, and the byte that fills the array.
    filled: Option<(usize, u8)>,
    reply: Reply,
}

#[derive(Copy, Clone, Debug)]
enum Reply {
    Trap(TrapKind),
    Value(i32),
    Array(ArrayKind, i32),
}

/// The natives of a table. Calls of the shipped interpreter receive random answers, which are recorded. The reference
/// interpreter must make the same calls and receives the same answers.
#[derive(Clone, Debug)]
pub struct Script {
    table: &'static [NativeDecl<'static>],
    random: Random,
    noted: VecDeque<Asked>,
    /// The first call of the reference interpreter that differs from the shipped one's.
    unexpected: Option<(NativeId, Vec<i32>)>,
}

impl Script {
    /// Starts a script whose answers depend on `random`.
    #[must_use]
    pub fn new(table: &'static [NativeDecl<'static>], random: Random) -> Script {
        Script {
            table,
            random,
            noted: VecDeque::new(),
            unexpected: None,
        }
    }

    /// Returns the difference between the calls of the two interpreters, if any, after both have run.
    pub(super) fn difference(&self) -> Option<String> {
        match (&self.unexpected, self.noted.front()) {
            (Some(asked), next) => Some(format!("reference called {asked:?}, shipped {next:?}")),
            (None, Some(next)) => Some(format!("only the shipped one called {next:?}")),
            (None, None) => None,
        }
    }

    /// Chooses the effect of a native.
    fn decide(&mut self, id: NativeId, arguments: &[i32]) -> Asked {
        let row = &self.table[id.index()];
        let random = &mut self.random;
        let array = |kind, random: &mut Random| match random.below(8) {
            0 => Reply::Value(0),
            // Answer, sometimes, with an array that does not fit into the heap, or with a negative length.
            1 => Reply::Array(kind, random.int()),
            _ => Reply::Array(kind, random.int() & 15),
        };
        let reply = match row.result {
            _ if random.one_in(8) => Reply::Trap(TrapKind::ProtectionFault),
            None => Reply::Value(0),
            Some(NativeType::Int) => Reply::Value(random.int()),
            Some(kind) => array(element(kind).expect("it is an array's"), random),
        };
        let arrays = row.parameters.iter();
        let first = arrays
            .map(|it| it.kind)
            .position(|it| element(it).is_some());
        let [byte, ..] = random.draw().to_be_bytes();
        Asked {
            id,
            arguments: arguments.to_vec(),
            filled: first.filter(|_| byte & 1 == 0).map(|place| (place, byte)),
            reply,
        }
    }
}

/// Returns the element type of an array.
fn element(kind: NativeType) -> Option<ArrayKind> {
    match kind {
        NativeType::Int => None,
        NativeType::BooleanArray => Some(ArrayKind::Boolean),
        NativeType::ByteArray => Some(ArrayKind::Byte),
        NativeType::ShortArray => Some(ArrayKind::Short),
        NativeType::IntArray => Some(ArrayKind::Int),
    }
}

/// Returns the extra fuel of a native: 0, 1 or 2.
fn extra_fuel(id: NativeId) -> u64 {
    u64::from(id.0 % 3)
}

/// The implementation of the natives that the shipped interpreter calls.
impl jive_core::Natives for Script {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        let asked = self.decide(id, args);
        self.noted.push_back(asked.clone());
        // The verifier guarantees the number of a native's arguments and the types of its arrays.
        let parameters = self.table[id.index()].parameters;
        assert_eq!(args.len(), parameters.len(), "arguments of native {id:?}");
        for (parameter, &argument) in parameters.iter().zip(args) {
            let wanted = element(parameter.kind).filter(|_| argument != 0);
            let found = heap.array(argument).map(|array| array.kind);
            assert!(
                wanted.is_none() || found == wanted,
                "native {id:?}: `{}` is of {found:?}, not {wanted:?}",
                parameter.name
            );
        }
        let result = match asked.reply {
            Reply::Trap(kind) => return Err(kind),
            Reply::Value(value) => value,
            Reply::Array(kind, length) => heap.allocate(kind, length)?,
        };
        if let Some((place, byte)) = asked.filled
            && let Some(bytes) = heap.bytes_mut(args[place])
        {
            bytes.fill(byte);
        }
        Ok(result)
    }

    fn extra_fuel(&self, id: NativeId) -> u64 {
        extra_fuel(id)
    }
}

/// The implementation of the natives that the reference interpreter calls.
impl interpreter::Natives for Script {
    fn call(&mut self, id: NativeId, args: &[i32], arrays: &mut Arrays) -> Result<i32, TrapKind> {
        let next = self.noted.front();
        if !next.is_some_and(|next| next.id == id && next.arguments == args) {
            self.unexpected = Some((id, args.to_vec()));
            return Err(TrapKind::Unverified);
        }
        let asked = self.noted.pop_front().expect("it was just looked at");
        let result = match asked.reply {
            Reply::Trap(kind) => return Err(kind),
            Reply::Value(value) => value,
            Reply::Array(kind, length) => arrays.make(kind, length)?,
        };
        if let Some((place, byte)) = asked.filled
            && let Ok(array) = arrays.get(args[place])
        {
            array.fill(byte);
        }
        Ok(result)
    }

    fn extra_fuel(&self, id: NativeId) -> u64 {
        extra_fuel(id)
    }
}
