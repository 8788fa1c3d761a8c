//! The shapes of ops that only the threaded variant has.
//!
//! Most ops of the threaded variant alone access an element of an array whose reference is in a field. Programs keep
//! their arrays in fields, so an op for an array in a field saves a `GetField` for each access. The other ops are the
//! near branches, which contain a constant of 16 bits.

use crate::heap::Heap;
use crate::interp::Stop;
use crate::interp::control::{Flow, go_again, go_back, go_onward, load_element, store_element};
use crate::interp::machine::{Machine, Operands};
use crate::op::Reach;

/// Loads an element of an array. Field `b` has the array's reference, and the index is register `c` plus the op's
/// offset.
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

/// Stores register `c` as an element of an array. Field `a` has the array's reference, and the index is register `b`
/// plus the op's offset.
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

/// Defines a function for each shape of near branch. The constant of a near branch takes half of the bits that hold the
/// cost of other branches. Eight bits are left for the cost of the near branch.
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

/// Compares register `a` with a constant of 16 bits.
macro_rules! near {
    ($holds:expr) => {
        |operands| {
            let holds: fn(i32, i32) -> bool = $holds;
            holds(operands.a(), operands.op.near_constant())
        }
    };
}

pub(super) use near;
