//! The work of fused ops, which only this variant of the interpreter runs.

use crate::heap::Heap;
use crate::interp::Stop;
use crate::interp::control::{Flow, go_again, go_back, go_onward, load_element, store_element};
use crate::interp::machine::{Machine, Operands};
use crate::op::Reach;

/// Loads element `c`, plus the offset, of the array in field `b` into register `a`.
#[inline(always)]
pub(super) fn load_field<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    load: impl FnOnce(&Heap<'a>, i32, i32) -> Option<i32>,
) -> Flow<'a> {
    let Some(&array) = machine.fields.get(usize::from(operands.op.b)) else {
        return Flow::Stop(pc, Stop::NoElement);
    };
    let element = operands.c().wrapping_add(operands.op.offset());
    load_element(machine, operands, pc, (array, element), load)
}

/// Stores register `c` as element `b`, plus the offset, of the array in field `a`.
#[inline(always)]
pub(super) fn store_field<'a, const TAKEN: char>(
    machine: &mut Machine<'a>,
    operands: &Operands<'a, '_, TAKEN>,
    pc: usize,
    store: impl FnOnce(&mut Heap<'a>, i32, i32, i32) -> Option<()>,
) -> Flow<'a> {
    let Some(&array) = machine.fields.get(usize::from(operands.op.a)) else {
        return Flow::Stop(pc, Stop::NoElement);
    };
    let element = operands.b().wrapping_add(operands.op.offset());
    store_element(machine, pc, (array, element), operands.c(), store)
}

/// Branches whose cost has eight bits, since a constant of two bytes takes the place of a longer cost.
macro_rules! near_branches {
    ($($name:ident: $goes:ident;)+) => {
        $(
            #[doc = concat!("Does as `", stringify!($goes), "`, by `Reach::Near`.")]
            #[inline(always)]
            pub(super) fn $name<'a, const TAKEN: char>(
                machine: &mut Machine<'a>,
                operands: &Operands<'a, '_, TAKEN>,
                pc: usize,
                holds: impl FnOnce(&Operands<'a, '_, TAKEN>) -> bool,
            ) -> Flow<'a> {
                $goes(machine, operands, pc, Reach::Near, holds)
            }
        )+
    };
}

near_branches! {
    onward_near: go_onward;
    back_near: go_back;
    again_near: go_again;
}

/// A condition on register `a` and the low half of the constant.
macro_rules! near {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.op.near_constant())
        }
    };
}

pub(super) use near;
