//! The tables of a program as constants of printed code.

use crate::id::{MethodId, Pc};
use crate::op::{Op, OpKind};
use crate::program::{LinkedField, LinkedMethod, Program, SwitchCase, ValueKind};
use crate::verified::AppletMembers;

/// A number that changes with the kinds of ops, so that printed code does not build beside another version.
pub const FORM: u64 = {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut kinds = OpKind::PLAIN;
    while let [kind, others @ ..] = kinds {
        let mut name = kind.name().as_bytes();
        while let [byte, behind @ ..] = name {
            // The cast is lossless, because it widens the number; `From` is not `const`.
            hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
            name = behind;
        }
        hash = hash.rotate_left(7);
        kinds = others;
    }
    hash
};

/// The tables of a program, as `jive-build` prints them.
///
/// Whoever makes tables vouches for them, as for a class with [`Verified::vouch`](crate::Verified::vouch): wrong tables
/// compute nonsense or trap.
#[derive(Copy, Clone, Debug)]
pub struct Tables<'p> {
    /// The ops of all methods.
    pub ops: &'p [Op],
    /// For each op, how many instructions of its method are done after it on the straight path.
    pub ends: &'p [u16],
    /// The pc of each instruction.
    pub places: &'p [Pc],
    /// The methods.
    pub methods: &'p [LinkedMethod],
    /// The fields.
    pub fields: &'p [LinkedField],
    /// The rows of all switches.
    pub switches: &'p [SwitchCase],
    /// The static initializer.
    pub initializer: Option<MethodId>,
    /// The constructor without parameters.
    pub constructor: Option<MethodId>,
    /// The members of an applet.
    pub applet: Option<AppletMembers>,
    /// The size of the class file's bytecode.
    pub code_bytes: u32,
}

impl<'p> Tables<'p> {
    /// Returns the tables of a program.
    #[must_use]
    pub const fn of(program: &Program<'p>) -> Self {
        Self {
            ops: program.ops,
            ends: program.ends,
            places: program.places,
            methods: program.methods,
            fields: program.fields,
            switches: program.switches,
            initializer: program.initializer,
            constructor: program.constructor,
            applet: program.applet,
            code_bytes: program.code_bytes,
        }
    }

    /// Returns the program that these tables describe.
    #[must_use]
    pub const fn program(self) -> Program<'p> {
        Program {
            ops: self.ops,
            ends: self.ends,
            places: self.places,
            methods: self.methods,
            fields: self.fields,
            switches: self.switches,
            initializer: self.initializer,
            constructor: self.constructor,
            applet: self.applet,
            code_bytes: self.code_bytes,
        }
    }
}

/// A row of the table of methods, with names for its columns.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct MethodRow {
    /// The first op.
    pub entry: u32,
    /// The op behind the last.
    pub end: u32,
    /// The op before which the first slice ends.
    pub limit: u32,
    /// How many instructions are prepaid there.
    pub prepaid: u16,
    /// How many arguments the method has, a receiver included.
    pub arguments: u8,
    /// How many registers.
    pub registers: u16,
    /// Whether the method is native.
    pub is_native: bool,
    /// Whether the first argument is a receiver.
    pub has_receiver: bool,
    /// The type of the result.
    pub result: Option<ValueKind>,
    /// The number of the method's first instruction in the table of places.
    pub first_place: u32,
}

impl MethodRow {
    /// Returns the row of a method.
    #[must_use]
    pub const fn of(method: &LinkedMethod) -> Self {
        Self {
            entry: method.entry,
            end: method.end,
            limit: method.limit,
            prepaid: method.prepaid,
            arguments: method.arguments,
            registers: method.registers,
            is_native: method.is_native,
            has_receiver: method.has_receiver,
            result: method.result,
            first_place: method.first_place,
        }
    }

    /// Returns the method of a row.
    #[must_use]
    pub const fn method(self) -> LinkedMethod {
        LinkedMethod {
            entry: self.entry,
            end: self.end,
            limit: self.limit,
            prepaid: self.prepaid,
            arguments: self.arguments,
            is_native: self.is_native,
            registers: self.registers,
            has_receiver: self.has_receiver,
            result: self.result,
            first_place: self.first_place,
        }
    }
}

/// Makes an array from an array of what it is printed as.
macro_rules! converted {
    ($($(#[$doc:meta])* $name:ident: $From:ty => $To:ty, $empty:expr, $convert:expr;)+) => {$(
        $(#[$doc])*
        #[must_use]
        pub const fn $name<const COUNT: usize>(printed: [$From; COUNT]) -> [$To; COUNT] {
            let mut made = [$empty; COUNT];
            let (mut to, mut from): (&mut [$To], &[$From]) = (&mut made, &printed);
            while let ([place, places @ ..], [value, values @ ..]) = (to, from) {
                *place = $convert(*value);
                (to, from) = (places, values);
            }
            made
        }
    )+};
}

const NOTHING: Op = Op::new(OpKind::Nothing, 0, 0, 0);

converted! {
    /// Returns ops that were printed by [`bits`].
    ops: u64 => Op, NOTHING, of_bits;
    /// Returns pcs.
    pcs: u16 => Pc, Pc(0), Pc;
    /// Returns rows of switches: key, target and cost.
    rows: (i32, u32, i32) => SwitchCase, SwitchCase { key: 0, target: 0, cost: 0 }, row;
}

const fn row((key, target, cost): (i32, u32, i32)) -> SwitchCase {
    SwitchCase { key, target, cost }
}

/// Returns an op as a number, which is the same in every variant, or `None` for an op that only one variant can run.
#[must_use]
pub fn bits(op: Op) -> Option<u64> {
    let kind = OpKind::PLAIN.iter().position(|kind| *kind == op.kind)?;
    let [low, high] = u16::try_from(kind).ok()?.to_le_bytes();
    let [c, d, e, f] = op.imm().to_le_bytes();
    Some(u64::from_le_bytes([low, high, op.a, op.b, c, d, e, f]))
}

const fn of_bits(bits: u64) -> Op {
    let [low, high, a, b, imm @ ..] = bits.to_le_bytes();
    // The cast is lossless, because it widens the number; `From` is not `const`.
    let (mut at, mut kinds) = (u16::from_le_bytes([low, high]), OpKind::PLAIN);
    while let [kind, others @ ..] = kinds {
        if at == 0 {
            return Op::new(*kind, a, b, i32::from_le_bytes(imm));
        }
        (at, kinds) = (at.wrapping_sub(1), others);
    }
    NOTHING
}
