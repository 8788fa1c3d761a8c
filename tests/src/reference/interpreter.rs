//! The reference interpreter: one `match` over the bytes of the code (JVMS §6.5).

use jive_core::{
    ArrayKind, ClassFile, Constant, CpIndex, FieldAccess, Method, MethodAccess, MethodId,
    NativeDecl, NativeId, Pc, Trap, TrapKind,
};

use super::arrays::Arrays;

/// The object of the class: a reference that is neither null nor an array.
pub(super) const THIS: i32 = -1;

/// The natives available to a class.
pub trait Natives {
    /// Performs a native. The result of a `void` native is ignored.
    ///
    /// # Errors
    ///
    /// The native's trap.
    fn call(&mut self, id: NativeId, args: &[i32], arrays: &mut Arrays) -> Result<i32, TrapKind>;

    /// Returns the extra fuel of a native, in addition to its call instruction.
    fn extra_fuel(&self, id: NativeId) -> u64;
}

/// A frame of a running method.
struct Frame<'c> {
    method: Method<'c>,
    code: &'c [u8],
    /// Start of the running instruction, and position of its next unread byte.
    pc: usize,
    next: usize,
    locals: Vec<i32>,
    stack: Vec<i32>,
}

/// A loaded class. All values are `int`: a reference is an address, and null is 0.
pub struct Interpreter<'c> {
    class: ClassFile<'c>,
    natives: &'static [NativeDecl<'static>],
    /// Values of the fields, in the order of the class file.
    pub fields: Vec<i32>,
    /// The heap.
    pub arrays: Arrays,
    depth_max: usize,
    /// Remaining fuel.
    pub fuel: u64,
    /// Number of instructions that the last call executed.
    pub executed: u64,
    /// Execution count of each instruction since the class was loaded, by method, then pc.
    pub visits: Vec<Vec<u64>>,
    /// The state before each instruction of the last call, if it is to be recorded.
    pub(super) states: Option<Vec<State>>,
}

/// The state before an instruction: fields, and for each running method its id, pc, local variables and operand stack.
pub(super) type State = (Vec<i32>, Vec<(MethodId, usize, Vec<i32>, Vec<i32>)>);

/// A value, or a trap, of which `Unverified` means that the verifier should have rejected the class.
type Checked<T> = Result<T, TrapKind>;

#[rustfmt::skip] // Short functions on one line each.
impl Frame<'_> {
    fn u8(&mut self) -> Checked<u8> {
        let byte = self.code.get(self.next).copied();
        self.next += 1;
        byte.ok_or(TrapKind::Unverified)
    }
    fn i8(&mut self) -> Checked<i32> { Ok(self.u8()?.cast_signed().into()) }
    fn u16(&mut self) -> Checked<u16> { Ok(u16::from_be_bytes([self.u8()?, self.u8()?])) }
    fn i16(&mut self) -> Checked<i32> { Ok(self.u16()?.cast_signed().into()) }
    fn i32(&mut self) -> Checked<i32> { Ok(i32::from_be_bytes([self.u8()?, self.u8()?, self.u8()?, self.u8()?])) }
    /// Reads the index of a local variable or constant.
    fn index(&mut self, is_wide: bool) -> Checked<u16> { if is_wide { self.u16() } else { Ok(self.u8()?.into()) } }

    fn push(&mut self, value: i32) { self.stack.push(value); }
    fn pop(&mut self) -> Checked<i32> { self.stack.pop().ok_or(TrapKind::Unverified) }
    /// Pops operands; the deepest comes first in the result.
    fn pop_many(&mut self, count: usize) -> Checked<Vec<i32>> {
        let rest = self.stack.len().checked_sub(count).ok_or(TrapKind::Unverified)?;
        Ok(self.stack.split_off(rest))
    }
    fn local(&mut self, index: u16) -> Checked<&mut i32> {
        self.locals.get_mut(usize::from(index)).ok_or(TrapKind::Unverified)
    }
    fn load(&mut self, index: u16) -> Checked<()> { let value = *self.local(index)?; self.push(value); Ok(()) }
    fn store(&mut self, index: u16) -> Checked<()> { *self.local(index)? = self.pop()?; Ok(()) }
    fn increment(&mut self, is_wide: bool) -> Checked<()> {
        let index = self.index(is_wide)?;
        let by = if is_wide { self.i16()? } else { self.i8()? };
        let variable = self.local(index)?;
        *variable = variable.wrapping_add(by);
        Ok(())
    }
    fn unary(&mut self, compute: impl Fn(i32) -> i32) -> Checked<()> {
        let value = self.pop()?;
        self.push(compute(value));
        Ok(())
    }
    /// Pops two operands; the deeper one comes first in the result.
    fn two(&mut self) -> Checked<[i32; 2]> {
        let (b, a) = (self.pop()?, self.pop()?);
        Ok([a, b])
    }
    fn binary(&mut self, compute: impl Fn(i32, i32) -> Checked<i32>) -> Checked<()> {
        let [a, b] = self.two()?;
        self.push(compute(a, b)?);
        Ok(())
    }
    /// Replaces the top `count` operands by a selection of them, numbered from the deepest.
    fn shuffle(&mut self, count: usize, order: &[usize]) -> Checked<()> {
        let taken = self.pop_many(count)?;
        self.stack.extend(order.iter().map(|&place| taken[place]));
        Ok(())
    }

    /// Branches relative to the running instruction.
    fn branch(&mut self, offset: i32) -> Checked<()> {
        let target = i64::try_from(self.pc).expect("code is short") + i64::from(offset);
        self.next = usize::try_from(target).map_err(|_| TrapKind::Unverified)?;
        Ok(())
    }
    fn branch_if(&mut self, holds: bool) -> Checked<()> {
        let offset = self.i16()?;
        if holds { self.branch(offset) } else { Ok(()) }
    }
    fn table_switch(&mut self) -> Checked<()> {
        self.next = self.next.next_multiple_of(4);
        let (key, default, low, high) = (self.pop()?, self.i32()?, self.i32()?, self.i32()?);
        if key < low || key > high {
            return self.branch(default);
        }
        let row = i64::from(key) - i64::from(low);
        self.next += 4 * usize::try_from(row).expect("`low` is not greater than the key");
        let offset = self.i32()?;
        self.branch(offset)
    }
    fn lookup_switch(&mut self) -> Checked<()> {
        self.next = self.next.next_multiple_of(4);
        let (key, mut target, count) = (self.pop()?, self.i32()?, self.i32()?);
        for _ in 0..count {
            let (case, offset) = (self.i32()?, self.i32()?);
            if case == key { target = offset; }
        }
        self.branch(target)
    }
    /// Pops the method's result, narrowed to its declared type (docs/subset.md).
    fn result(&mut self) -> Checked<i32> {
        let value = self.pop()?;
        let mut parts = self.method.descriptor.as_bytes().split(|byte| *byte == b')');
        Ok(narrow(parts.nth(1).unwrap_or_default(), value))
    }
}

impl<'c> Interpreter<'c> {
    /// Loads a class that the verifier accepted, with a heap of `room` bytes and a maximum depth of calls.
    #[must_use]
    pub fn new(
        class: ClassFile<'c>,
        natives: &'static [NativeDecl<'static>],
        heap: usize,
        depth_max: usize,
    ) -> Interpreter<'c> {
        let fields = class.fields().map(|field| {
            let constant = field
                .constant_value()
                .map(|index| class.pool().get(index))
                // `ConstantValue` is ignored for instance fields (docs/subset.md).
                .filter(|_| field.access.contains(FieldAccess::STATIC));
            match constant {
                Some(Ok(Constant::Integer(value))) => narrow(field.descriptor.as_bytes(), value),
                _ => 0,
            }
        });
        let visits = class
            .methods()
            .map(|method| vec![0; method.code().map_or(0, |code| code.bytes.len())]);
        Interpreter {
            class,
            natives,
            fields: fields.collect(),
            arrays: Arrays::new(heap),
            depth_max,
            fuel: 0,
            executed: 0,
            visits: visits.collect(),
            states: None,
        }
    }

    /// Calls a method from outside with an amount of fuel.
    ///
    /// # Errors
    ///
    /// Returns the trap that ended the call, which is `Unverified` if the verifier should have rejected the class.
    pub fn call(
        &mut self,
        method: Method<'c>,
        arguments: &[i32],
        fuel: u64,
        arrays_are_transient: bool,
        natives: &mut impl Natives,
    ) -> Result<Option<i32>, Trap> {
        (self.fuel, self.executed) = (fuel, 0);
        self.arrays.begin(arrays_are_transient);
        let receiver = (!method.access.contains(MethodAccess::STATIC)).then_some(THIS);
        let arguments: Vec<i32> = receiver.into_iter().chain(arguments.to_vec()).collect();
        let mut frames = Vec::new();
        let mut outcome = self.enter(&mut frames, method, arguments).map(|()| None);
        while let Ok(None) = outcome {
            outcome = self.step(&mut frames, natives);
        }
        self.arrays.end();
        let place = frames.last().map(|frame| (frame.method.id, frame.pc));
        let (method, pc) = place.unwrap_or((method.id, 0));
        let pc = Pc(u16::try_from(pc).expect("a code array has at most 65,535 bytes"));
        match outcome {
            Ok(result) => Ok(result.flatten()),
            Err(kind) => Err(Trap { kind, method, pc }),
        }
    }

    fn enter(
        &self,
        frames: &mut Vec<Frame<'c>>,
        method: Method<'c>,
        mut locals: Vec<i32>,
    ) -> Checked<()> {
        let code = method.code().ok_or(TrapKind::Unverified)?;
        if frames.len() == self.depth_max {
            return Err(TrapKind::StackOverflowError);
        }
        locals.resize(code.max_locals.into(), 0);
        frames.push(Frame {
            method,
            code: code.bytes,
            pc: 0,
            next: 0,
            locals,
            stack: Vec::new(),
        });
        Ok(())
    }

    /// Executes one instruction, and returns the outermost call's result once that call returns.
    #[rustfmt::skip] // A table, one row for each instruction.
    fn step(
        &mut self,
        frames: &mut Vec<Frame<'c>>,
        natives: &mut impl Natives,
    ) -> Checked<Option<Option<i32>>> {
        use ArrayKind::{Boolean, Byte, Int, Short};
        let f = frames.last_mut().expect("the outermost call ends the loop");
        f.pc = f.next;
        self.fuel = self.fuel.checked_sub(1).ok_or(TrapKind::FuelExhausted)?;
        self.executed += 1;
        let first = f.u8()?;
        self.visits[f.method.id.index()][f.pc] += 1;
        if let Some(states) = &mut self.states {
            let state = |f: &Frame<'_>| (f.method.id, f.pc, f.locals.clone(), f.stack.clone());
            states.push((self.fields.clone(), frames.iter().map(state).collect()));
        }
        let f = frames.last_mut().expect("as above");
        let is_wide = first == 0xc4;
        let opcode = if is_wide { f.u8()? } else { first };
        match opcode {
            /* nop             */ 0x00 => {}
            /* aconst_null     */ 0x01 => f.push(0),
            /* iconst_m1 .. 5  */ 0x02..=0x08 => f.push(i32::from(opcode) - 3),
            /* bipush          */ 0x10 => { let value = f.i8()?; f.push(value); }
            /* sipush          */ 0x11 => { let value = f.i16()?; f.push(value); }
            /* ldc, ldc_w      */ 0x12 | 0x13 => { let index = f.index(opcode == 0x13)?; f.push(self.integer(index)?); }
            /* iload, aload    */ 0x15 | 0x19 => { let local = f.index(is_wide)?; f.load(local)?; }
            /* iload_0 .. 3    */ 0x1a..=0x1d => f.load(u16::from(opcode) - 0x1a)?,
            /* aload_0 .. 3    */ 0x2a..=0x2d => f.load(u16::from(opcode) - 0x2a)?,
            /* iaload          */ 0x2e => self.load_element(f, &[Int])?,
            /* baload          */ 0x33 => self.load_element(f, &[Byte, Boolean])?,
            /* saload          */ 0x35 => self.load_element(f, &[Short])?,
            /* istore, astore  */ 0x36 | 0x3a => { let local = f.index(is_wide)?; f.store(local)?; }
            /* istore_0 .. 3   */ 0x3b..=0x3e => f.store(u16::from(opcode) - 0x3b)?,
            /* astore_0 .. 3   */ 0x4b..=0x4e => f.store(u16::from(opcode) - 0x4b)?,
            /* iastore         */ 0x4f => self.store_element(f, &[Int])?,
            /* bastore         */ 0x54 => self.store_element(f, &[Byte, Boolean])?,
            /* sastore         */ 0x56 => self.store_element(f, &[Short])?,
            /* pop             */ 0x57 => f.shuffle(1, &[])?,
            /* pop2            */ 0x58 => f.shuffle(2, &[])?,
            /* dup             */ 0x59 => f.shuffle(1, &[0, 0])?,
            /* dup_x1          */ 0x5a => f.shuffle(2, &[1, 0, 1])?,
            /* dup_x2          */ 0x5b => f.shuffle(3, &[2, 0, 1, 2])?,
            /* dup2            */ 0x5c => f.shuffle(2, &[0, 1, 0, 1])?,
            /* dup2_x1         */ 0x5d => f.shuffle(3, &[1, 2, 0, 1, 2])?,
            /* dup2_x2         */ 0x5e => f.shuffle(4, &[2, 3, 0, 1, 2, 3])?,
            /* swap            */ 0x5f => f.shuffle(2, &[1, 0])?,
            /* iadd            */ 0x60 => f.binary(|a, b| Ok(a.wrapping_add(b)))?,
            /* isub            */ 0x64 => f.binary(|a, b| Ok(a.wrapping_sub(b)))?,
            /* imul            */ 0x68 => f.binary(|a, b| Ok(a.wrapping_mul(b)))?,
            /* idiv            */ 0x6c => f.binary(|a, b| Ok(a.wrapping_div(divisor(b)?)))?,
            /* irem            */ 0x70 => f.binary(|a, b| Ok(a.wrapping_rem(divisor(b)?)))?,
            /* ineg            */ 0x74 => f.unary(i32::wrapping_neg)?,
            // A shift uses the lowest five bits of its count.
            /* ishl            */ 0x78 => f.binary(|a, b| Ok(a << (b & 31)))?,
            /* ishr            */ 0x7a => f.binary(|a, b| Ok(a >> (b & 31)))?,
            /* iushr           */ 0x7c => f.binary(|a, b| Ok((a.cast_unsigned() >> (b & 31)).cast_signed()))?,
            /* iand            */ 0x7e => f.binary(|a, b| Ok(a & b))?,
            /* ior             */ 0x80 => f.binary(|a, b| Ok(a | b))?,
            /* ixor            */ 0x82 => f.binary(|a, b| Ok(a ^ b))?,
            /* iinc            */ 0x84 => f.increment(is_wide)?,
            /* i2b             */ 0x91 => f.unary(|value| narrow(b"B", value))?,
            /* i2s             */ 0x93 => f.unary(|value| narrow(b"S", value))?,
            /* ifeq .. ifle    */ 0x99..=0x9e => { let a = f.pop()?; f.branch_if(holds(opcode - 0x99, a, 0))?; }
            /* if_icmpeq .. le */ 0x9f..=0xa4 => { let [a, b] = f.two()?; f.branch_if(holds(opcode - 0x9f, a, b))?; }
            /* if_acmpeq, ne   */ 0xa5 | 0xa6 => { let [a, b] = f.two()?; f.branch_if(holds(opcode - 0xa5, a, b))?; }
            /* goto            */ 0xa7 => f.branch_if(true)?,
            /* tableswitch     */ 0xaa => f.table_switch()?,
            /* lookupswitch    */ 0xab => f.lookup_switch()?,
            /* ireturn         */ 0xac | 0xb0 => { let result = f.result()?; return Ok(leave(frames, Some(result))); }
            /* return          */ 0xb1 => return Ok(leave(frames, None)),
            /* getstatic       */ 0xb2 => self.field(f, false, false)?,
            /* putstatic       */ 0xb3 => self.field(f, false, true)?,
            /* getfield        */ 0xb4 => self.field(f, true, false)?,
            /* putfield        */ 0xb5 => self.field(f, true, true)?,
            /* invokevirtual, invokespecial, invokestatic */
            0xb6..=0xb8 => if let Some((method, arguments)) = self.invoke(f, opcode != 0xb8, natives)? {
                self.enter(frames, method, arguments)?;
            },
            /* newarray        */ 0xbc => {
                // JVMS table 6.5.newarray-A.
                let (code, length) = (f.u8()?, f.pop()?);
                let kind = match code {
                    4 => Boolean,
                    8 => Byte,
                    9 => Short,
                    10 => Int,
                    _ => return Err(TrapKind::Unverified),
                };
                f.push(self.arrays.make(kind, length)?);
            }
            /* arraylength     */ 0xbe => {
                let array = f.pop()?;
                let length = self.arrays.get(array)?.elements.len();
                f.push(i32::try_from(length).expect("made of an `int`"));
            }
            /* ifnull          */ 0xc6 => { let is_null = f.pop()? == 0; f.branch_if(is_null)?; }
            /* ifnonnull       */ 0xc7 => { let is_null = f.pop()? == 0; f.branch_if(!is_null)?; }
            /* goto_w          */ 0xc8 => { let offset = f.i32()?; f.branch(offset)?; }
            _ => return Err(TrapKind::Unverified),
        }
        Ok(None)
    }

    fn integer(&self, index: u16) -> Checked<i32> {
        match self.class.pool().get(CpIndex(index)) {
            Ok(Constant::Integer(value)) => Ok(value),
            _ => Err(TrapKind::Unverified),
        }
    }

    fn load_element(&mut self, f: &mut Frame<'_>, kinds: &[ArrayKind]) -> Checked<()> {
        let (index, array) = (f.pop()?, f.pop()?);
        f.push(*self.arrays.element(array, index, kinds)?.1);
        Ok(())
    }

    fn store_element(&mut self, f: &mut Frame<'_>, kinds: &[ArrayKind]) -> Checked<()> {
        let (value, index, array) = (f.pop()?, f.pop()?, f.pop()?);
        let (kind, element) = self.arrays.element(array, index, kinds)?;
        *element = match kind {
            ArrayKind::Boolean => narrow(b"Z", value),
            ArrayKind::Byte => narrow(b"B", value),
            ArrayKind::Short => narrow(b"S", value),
            ArrayKind::Int => value,
        };
        Ok(())
    }

    /// `getstatic`, `putstatic`, `getfield` and `putfield`.
    fn field(&mut self, f: &mut Frame<'_>, has_object: bool, is_put: bool) -> Checked<()> {
        let named = self.class.pool().member(CpIndex(f.u16()?));
        let named = named.map_err(|_| TrapKind::Unverified)?;
        let mut fields = self.class.fields();
        let field = fields
            .find(|field| field.name == named.name && field.descriptor == named.descriptor)
            .ok_or(TrapKind::Unverified)?;
        let value = if is_put { f.pop()? } else { 0 };
        if has_object && f.pop()? == 0 {
            return Err(TrapKind::NullPointerException);
        }
        let held = &mut self.fields[field.id.index()];
        if !is_put {
            f.push(*held);
            return Ok(());
        }
        let descriptor = field.descriptor.as_bytes();
        if descriptor.starts_with(b"[") && self.arrays.is_transient(value) {
            return Err(TrapKind::TransientEscape);
        }
        *held = narrow(descriptor, value);
        Ok(())
    }

    /// The three `invoke` instructions: performs a native, or returns a method to enter.
    fn invoke(
        &mut self,
        f: &mut Frame<'_>,
        has_receiver: bool,
        natives: &mut impl Natives,
    ) -> Checked<Option<(Method<'c>, Vec<i32>)>> {
        let named = self.class.pool().member(CpIndex(f.u16()?));
        let named = named.map_err(|_| TrapKind::Unverified)?;
        let parameters = count_parameters(named.descriptor.as_bytes());
        let mut arguments = f.pop_many(parameters + usize::from(has_receiver))?;
        if has_receiver && arguments[0] == 0 {
            return Err(TrapKind::NullPointerException);
        }
        if named.class == "java/lang/Object" {
            return Ok(None); // Its constructor does nothing.
        }
        let is_own = named.class == self.class.name();
        let method = self.class.methods().find(|method| {
            is_own && method.name == named.name && method.descriptor == named.descriptor
        });
        match method {
            Some(method) if !method.access.contains(MethodAccess::NATIVE) => {
                return Ok(Some((method, arguments)));
            }
            _ => drop(arguments.drain(..usize::from(has_receiver))),
        }
        let row = self.natives.iter().position(|native| {
            (is_own || named.class == native.class)
                && named.name == native.name
                && named.descriptor.to_string() == native.descriptor().to_string()
        });
        let row = row.and_then(|row| u16::try_from(row).ok());
        let id = NativeId(row.ok_or(TrapKind::Unverified)?);
        let extra = natives.extra_fuel(id);
        let Some(left) = self.fuel.checked_sub(extra) else {
            // If the fuel does not suffice for a native, the native does not count as executed.
            (self.fuel, self.executed) = (self.fuel + 1, self.executed - 1);
            return Err(TrapKind::FuelExhausted);
        };
        self.fuel = left;
        let result = natives.call(id, &arguments, &mut self.arrays)?;
        if !named.descriptor.as_bytes().ends_with(b"V") {
            f.push(result);
        }
        Ok(None)
    }
}

/// Ends the innermost call, and passes its result to the caller, or returns the result of the outermost call.
fn leave(frames: &mut Vec<Frame<'_>>, result: Option<i32>) -> Option<Option<i32>> {
    frames.truncate(frames.len() - 1);
    match frames.last_mut() {
        None => Some(result),
        Some(caller) => {
            caller.stack.extend(result);
            None
        }
    }
}

fn divisor(value: i32) -> Checked<i32> {
    match value {
        0 => Err(TrapKind::ArithmeticException),
        _ => Ok(value),
    }
}

/// Narrows a value to the type of a descriptor (docs/subset.md). The function leaves references and `int` values
/// unchanged.
fn narrow(descriptor: &[u8], value: i32) -> i32 {
    match descriptor {
        b"Z" => value & 1,
        b"B" => value << 24 >> 24,
        b"S" => value << 16 >> 16,
        _ => value,
    }
}

/// Evaluates a comparison, given by its position in eq, ne, lt, ge, gt, le (JVMS §6.5.if_icmp).
fn holds(comparison: u8, a: i32, b: i32) -> bool {
    [a == b, a != b, a < b, a >= b, a > b, a <= b][usize::from(comparison)]
}

/// Counts the parameters of a method descriptor (JVMS §4.3.3).
fn count_parameters(descriptor: &[u8]) -> usize {
    let mut count = 0;
    let mut bytes = descriptor.iter().skip(1);
    while let Some(&byte) = bytes.next() {
        match byte {
            b')' => break,
            b'[' => continue,
            b'L' => _ = bytes.find(|byte| **byte == b';'),
            _ => {}
        }
        count += 1;
    }
    count
}
