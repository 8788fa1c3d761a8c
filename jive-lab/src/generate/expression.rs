//! Generates expressions of a program. Each expression pushes one value and leaves the rest of the stack unchanged.

use arbitrary::Result;
use jive_core::NativeType;
use nic_core::sle::NicNative;

use super::program::{Kind, PARAMETERS, Writer};

impl Writer<'_, '_> {
    /// Writes a condition that branches to `target` or falls through.
    pub(super) fn condition(&mut self, target: &str, depth: u8) -> Result<()> {
        let mnemonic = match self.u.int_in_range(0..=3)? {
            0 => {
                self.int(depth)?;
                self.pick(&["ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle"])?
            }
            1 => {
                self.int(depth)?;
                self.int(depth)?;
                self.pick(&[
                    "if_icmpeq",
                    "if_icmpne",
                    "if_icmplt",
                    "if_icmpge",
                    "if_icmpgt",
                ])?
            }
            2 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, depth)?;
                self.pick(&["ifnull", "ifnonnull"])?
            }
            _ => {
                // The condition compares references of different types, which the JVM permits.
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, depth)?;
                self.reference(Kind::This, depth)?;
                self.pick(&["if_acmpeq", "if_acmpne"])?
            }
        };
        self.line(&format!("{mnemonic} {target}"));
        Ok(())
    }

    /// Pushes an `int`.
    pub(super) fn int(&mut self, depth: u8) -> Result<()> {
        let depth = self.spend(depth);
        if depth == 0 {
            return self.load(Kind::Int);
        }
        let inner = depth - 1;
        match self.u.int_in_range(0..=11)? {
            0 => {
                let value: i32 = self.u.arbitrary()?;
                self.line(&format!("ldc {value}"));
            }
            1 => self.load(Kind::Int)?,
            2 => {
                let value: i8 = self.u.arbitrary()?;
                self.line(&format!("bipush {value}"));
            }
            3 => {
                self.int(inner)?;
                self.int(inner)?;
                self.operation()?;
            }
            4 => {
                self.int(inner)?;
                let line = self.pick(&["ineg", "i2b", "i2s"])?;
                self.line(line);
            }
            5 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, inner)?;
                self.small_int(3, inner)?;
                self.line(&format!("{}load", kind.array().1));
            }
            6 => {
                let kind = self.pick(&Kind::ARRAYS)?;
                self.reference(kind, inner)?;
                self.line("arraylength");
            }
            7 => {
                let field = self.pick(&["int:I", "byte:B", "short:S", "boolean:Z"])?;
                self.line(&format!("getstatic {field}"));
            }
            8 => {
                self.reference(Kind::This, inner)?;
                self.line("getfield count:I");
            }
            9 => {
                let (name, result) = self.pick(&[("whole", "I"), ("narrow", "B")])?;
                self.call(name, result, inner)?;
            }
            10 => self.choice(inner)?,
            _ => self.shuffle(inner)?,
        }
        Ok(())
    }

    /// Pushes an `int` that is usually between 0 and `mask`, so that most array accesses with this index succeed.
    pub(super) fn small_int(&mut self, mask: u8, depth: u8) -> Result<()> {
        self.int(depth)?;
        if self.u.ratio(15, 16)? {
            self.line(&format!("bipush {mask}\niand"));
        }
        Ok(())
    }

    fn operation(&mut self) -> Result<()> {
        let line = self.pick(&[
            "iadd", "isub", "imul", "idiv", "irem", "ishl", "ishr", "iushr", "iand", "ior", "ixor",
        ])?;
        self.line(line);
        Ok(())
    }

    /// Pushes one of two `int` values, selected by a branch or a switch. Operands that are already on the stack stay
    /// there.
    fn choice(&mut self, depth: u8) -> Result<()> {
        let (other, end) = (self.label(), self.label());
        match self.u.int_in_range(0..=2)? {
            0 => self.condition(&other, depth)?,
            1 => {
                self.int(depth)?;
                let first = self.label();
                let low: i16 = self.u.arbitrary()?;
                self.line(&format!(
                    "tableswitch {low}: {first} {other} default: {first}"
                ));
                self.place(&first);
            }
            _ => {
                self.int(depth)?;
                let first = self.label();
                let key: i16 = self.u.arbitrary()?;
                self.line(&format!("lookupswitch {key}: {other} default: {first}"));
                self.place(&first);
            }
        }
        self.int(depth)?;
        self.line(&format!("goto {end}"));
        self.place(&other);
        self.int(depth)?;
        self.place(&end);
        Ok(())
    }

    /// Pushes an `int`, after stack shuffles such as `dup` and `swap` have moved it.
    fn shuffle(&mut self, depth: u8) -> Result<()> {
        let (ints, moves, left) = self.pick(&[
            (1, "dup", 2),
            (2, "swap", 2),
            (2, "dup_x1", 3),
            (3, "dup_x2", 4),
            (2, "dup2", 4),
            (3, "dup2_x1", 5),
            (4, "dup2_x2", 6),
            (3, "pop2", 1),
            (2, "pop", 1),
        ])?;
        if self.u.ratio(1, 4)? {
            // The `swap` exchanges an array and an `int`.
            self.reference(Kind::Bytes, depth)?;
            self.int(depth)?;
            self.line("swap\narraylength");
            return self.operation();
        }
        for _ in 0..ints {
            self.int(depth)?;
        }
        self.line(moves);
        for _ in 1..left {
            self.operation()?;
        }
        Ok(())
    }

    /// Pushes a reference of this kind, or null.
    pub(super) fn reference(&mut self, kind: Kind, depth: u8) -> Result<()> {
        let depth = self.spend(depth);
        if depth == 0 {
            return self.load(kind);
        }
        let inner = depth - 1;
        if kind == Kind::This {
            if self.u.ratio(1, 16)? {
                self.line("aconst_null");
            } else {
                self.line("getstatic self:LFixture;");
            }
            return Ok(());
        }
        let (element, _, field) = kind.array();
        match self.u.int_in_range(0..=6)? {
            0 | 1 => {
                let length = self.u.int_in_range(0..=15)?;
                self.line(&format!("bipush {length}\nnewarray {element}"));
            }
            2 => self.load(kind)?,
            3 => self.line(&format!("getstatic {field}")),
            4 => {
                self.small_int(15, inner)?;
                self.line(&format!("newarray {element}"));
            }
            5 if self.u.ratio(1, 4)? => {
                // The reference is null on one path and an array on the other.
                let (other, end) = (self.label(), self.label());
                self.condition(&other, inner)?;
                self.reference(kind, inner)?;
                self.line(&format!("goto {end}"));
                self.place(&other);
                self.line("aconst_null");
                self.place(&end);
            }
            _ if kind == Kind::Bytes => self.call("array", "[B", inner)?,
            _ => self.load(kind)?,
        }
        Ok(())
    }

    pub(super) fn call(&mut self, name: &str, result: &str, depth: u8) -> Result<()> {
        self.int(depth)?;
        self.reference(Kind::Bytes, depth)?;
        self.int(depth)?;
        self.line(&format!("invokestatic {name}{PARAMETERS}{result}"));
        Ok(())
    }

    /// Calls a random native. Returns the kind of the native's result, if it has one.
    pub(super) fn native(&mut self, depth: u8) -> Result<Option<Kind>> {
        let kind = |kind| match kind {
            NativeType::Int => Kind::Int,
            NativeType::ByteArray => Kind::Bytes,
            NativeType::ShortArray => Kind::Shorts,
            NativeType::IntArray => Kind::Ints,
            NativeType::BooleanArray => panic!("no native of a NIC takes a boolean[]"),
        };
        let decl = self.pick(NicNative::TABLE)?;
        for parameter in decl.parameters {
            match kind(parameter.kind) {
                Kind::Int => self.int(depth)?,
                array => self.reference(array, depth)?,
            }
        }
        self.line(&format!(
            "invokestatic {}.{}{}",
            decl.class,
            decl.name,
            decl.descriptor()
        ));
        Ok(decl.result.map(kind))
    }
}
