//! Bodies that keep the verifier's data flow busy. The bodies have 250 arrays in local variables, one of them of
//! another type. In each round of a loop, some of the arrays move to the next variable.

use jive_core::Opcode;

/// Number of arrays in local variables.
pub(super) const ARRAYS: u8 = 250;
/// Maximum operand stack depth of the bodies.
const OPERANDS: u16 = 2;
/// `max_stack` and `max_locals` of every body.
pub(super) const FRAME: (u16, u16) = (OPERANDS, ARRAYS as u16);
/// Maximum length of code.
const CODE_MAX: usize = 65_535;
/// Maximum bytes of the back edge, a `goto_w`.
const WAY_BACK: usize = 5;

const BYTE_ARRAY: u8 = 8;
const SHORT_ARRAY: u8 = 9;

/// Unfinished code.
struct Body {
    code: Vec<u8>,
    /// The pc at which the loop begins.
    start: usize,
}

impl Body {
    /// Creates the arrays, begins the loop and moves `moving` arrays by one variable.
    ///
    /// In each round of the loop, the type of one more moving array becomes the merge of the two types of arrays. Data
    /// flow repeats the loop once for each moving array.
    fn new(moving: u8) -> Body {
        let mut code = Vec::new();
        for local in 0..ARRAYS {
            let kind = if local == 0 { SHORT_ARRAY } else { BYTE_ARRAY };
            code.extend([Opcode::Iconst0.byte(), Opcode::Newarray.byte(), kind]);
            code.extend([Opcode::Astore.byte(), local]);
        }
        let start = code.len();
        let mut body = Body { code, start };
        body.code.extend([Opcode::Aload.byte(), 0]);
        for local in 1..moving {
            body.shift(local);
        }
        body.code.extend([Opcode::Astore.byte(), moving - 1]);
        body
    }

    /// Moves an array to the local variable below.
    fn shift(&mut self, local: u8) {
        let (load, store) = (Opcode::Aload.byte(), Opcode::Astore.byte());
        self.code.extend([load, local, store, local - 1]);
    }

    fn room(&self, length: usize) -> usize {
        length - WAY_BACK - self.code.len()
    }

    /// Appends a branch by this many bytes.
    fn branch(&mut self, opcode: Opcode, by: i16) {
        self.code.push(opcode.byte());
        self.code.extend(by.to_be_bytes());
    }

    /// Appends the back edge.
    fn finish(mut self) -> Vec<u8> {
        let by = self.start.cast_signed() - self.code.len().cast_signed();
        self.code.push(Opcode::GotoW.byte());
        self.code
            .extend(i32::try_from(by).expect("code is short").to_be_bytes());
        self.code
    }
}

/// Returns a loop that only moves arrays.
pub(super) fn rotation(length: usize, moving: u8) -> Vec<u8> {
    let mut body = Body::new(moving);
    body.code.resize(length - WAY_BACK, Opcode::Nop.byte());
    body.finish()
}

/// Returns a loop over branches to the next instruction, with two merges for each.
pub(super) fn merges(moving: u8) -> Vec<u8> {
    let mut body = Body::new(moving);
    for _ in 0..body.room(CODE_MAX) / 4 {
        body.code.push(Opcode::Iconst0.byte());
        body.branch(Opcode::Ifeq, 3);
    }
    body.finish()
}

/// Returns a loop over jumps to the next instruction, with a merge for each.
pub(super) fn jumps() -> Vec<u8> {
    let mut body = Body::new(ARRAYS);
    for _ in 0..body.room(CODE_MAX) / 3 {
        body.branch(Opcode::Goto, 3);
    }
    body.finish()
}

/// Returns a loop over blocks that move an array and may branch back to the block before.
pub(super) fn back_edges() -> Vec<u8> {
    const BLOCK: i16 = 8;
    let mut body = Body::new(ARRAYS);
    let mut local = 1;
    for number in 0..body.room(CODE_MAX) / 8 {
        body.shift(local);
        local = if local == ARRAYS - 1 { 1 } else { local + 1 };
        body.code.push(Opcode::Iconst0.byte());
        // Branch from the end of this block's shift and constant to the start of the previous block.
        let by = if number == 0 { -5 } else { -5 - BLOCK };
        body.branch(Opcode::Ifeq, by);
    }
    body.finish()
}

/// Returns a loop over a chain of jumps that is executed from its end: each jump goes to the jump before it.
pub(super) fn reversed() -> Vec<u8> {
    /// Bytes of a jump.
    const JUMP: usize = 3;
    let mut body = Body::new(ARRAYS);
    let links = body.room(CODE_MAX) / JUMP - 1;
    // Jump over the back edge and all jumps of the chain but the last.
    let over = WAY_BACK + JUMP * links;
    body.code.push(Opcode::GotoW.byte());
    body.code
        .extend(i32::try_from(over).expect("code is short").to_be_bytes());
    // The first jump of the chain goes to the back edge before it, and every other jump goes to the jump before it.
    let by = body.start.cast_signed() - body.code.len().cast_signed();
    body.branch(
        Opcode::Goto,
        i16::try_from(by).expect("the rotation is short"),
    );
    for _ in 0..links {
        body.branch(Opcode::Goto, -3);
    }
    body.code
}

/// The targets of a switch's cases.
#[derive(Copy, Clone, Debug)]
pub(super) enum Cases {
    /// Each case of the switch has its own block.
    Apart,
    /// All cases of the switch have the same block.
    Together,
}

/// Returns a loop over one `tableswitch` with as many cases as fit.
pub(super) fn switch(cases: Cases) -> Vec<u8> {
    let mut body = Body::new(ARRAYS);
    let room = body.room(CODE_MAX) - 1 - 16;
    let (count, blocks) = match cases {
        Cases::Apart => (room / 5, room / 5),
        Cases::Together => ((room - 1) / 4, 1),
    };
    body.code.push(Opcode::Iconst0.byte());
    let at = body.code.len();
    body.code.push(Opcode::Tableswitch.byte());
    while !body.code.len().is_multiple_of(4) {
        body.code.push(0);
    }
    let blocks_at = body.code.len() + 12 + 4 * count;
    let number = |number: usize| i32::try_from(number).expect("code is short").to_be_bytes();
    body.code.extend(number(blocks_at - at));
    body.code.extend(number(0));
    body.code.extend(number(count - 1));
    for case in 0..count {
        body.code
            .extend(number(blocks_at - at + case.min(blocks - 1)));
    }
    body.code.resize(blocks_at + blocks, Opcode::Nop.byte());
    body.finish()
}
