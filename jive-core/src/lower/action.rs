//! Lowering of one instruction: calls the function for its action.

use super::Body;
use super::branch::BranchPcs;
use super::error::LowerError;
use super::linking::Linking;
use super::stack::Value;
use crate::array_kind::ArrayKind;
use crate::insn::RawInsn;
use crate::op::{Op, OpKind};
use crate::opcode::{Action, ConstantSource, Shuffle};

impl<L: Linking> Body<'_, '_, '_, '_, '_, L> {
    /// Lowers one instruction.
    pub(super) fn lower(&mut self, insn: RawInsn<'_>) {
        match insn.action() {
            Action::Nothing => {}
            Action::Constant(ConstantSource::Null) => {
                self.stack.push(Value::Constant(0));
            }
            Action::Constant(ConstantSource::Immediate) => {
                self.stack.push(Value::Constant(insn.int()));
            }
            Action::Constant(ConstantSource::Pool) => self.pool_constant(insn.constant()),
            Action::Load(_) => {
                let local = self.local(insn);
                self.stack.push(Value::Register(local));
            }
            Action::Store(_) => {
                let local = self.local(insn);
                self.store_local(local);
            }
            Action::Increment => {
                let local = self.local(insn);
                self.save(local);
                self.out.count(local, insn.increment());
            }
            Action::LoadElement(kind) => self.load_element(kind),
            Action::StoreElement(kind) => self.store_element(kind),
            Action::Shuffle(shuffle) => self.shuffle(shuffle),
            Action::Unary(operator) => self.unary_operator(operator),
            Action::Binary(operator) => self.binary_operator(operator),
            // The reference `null` is lowered as the constant 0.
            Action::BranchZero(comparison) | Action::BranchNull(comparison) => {
                let zero = self.stack.behind(Value::Constant(0));
                self.branch(BranchPcs::of(insn), comparison, zero);
            }
            Action::BranchInt(comparison) | Action::BranchReference(comparison) => {
                let second = self.stack.pop();
                self.branch(BranchPcs::of(insn), comparison, second);
            }
            Action::Jump => self.jump(BranchPcs::of(insn)),
            Action::Switch => self.switch(insn.decode()),
            Action::Return(None) => self.return_nothing(),
            Action::Return(Some(_)) => self.return_value(),
            Action::Member(usage) => self.member(usage, insn.constant()),
            Action::NewArray => self.new_array(insn.array_type()),
            Action::ArrayLength => self.length(),
            Action::Wide | Action::Unsupported(_) => self.out.refuse(LowerError::Opcode),
        }
    }

    fn new_array(&mut self, code: u8) {
        match ArrayKind::from_newarray_code(code) {
            Some(kind) if L::COLLECTED => self.allocate(kind),
            Some(_) => self.unary(OpKind::NewArray, code.into()),
            None => self.out.refuse(LowerError::Descriptor),
        }
    }

    fn return_nothing(&mut self) {
        let done = self.out.index.saturating_add(1);
        let op = Op::new(OpKind::Return, 0, 0, 0).with_high(done);
        self.out.perform(op);
        self.end_path();
    }

    /// Lowers a stack shuffle. The instructions `pop` and `dup` emit no op, because lowering only changes its
    /// descriptions of values.
    fn shuffle(&mut self, shuffle: Shuffle) {
        let count = shuffle.push_count();
        if count == 0 {
            return self.stack.pop_many(shuffle.pops());
        }
        self.stack.copy(shuffle.copies());
        // Instructions such as `dup_x1` insert the copied values below other values. `dup` and `dup2` leave the copied
        // values on top.
        if shuffle.copies() < shuffle.pops() {
            self.rotate(shuffle.inserted(), count);
        }
    }
}
