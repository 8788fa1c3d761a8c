//! The dispatch loop of the looped and the small variant: a loop over a `match`.
//!
//! The loop needs no tail calls, so a slice takes one frame of the host's stack with every compiler and processor.

use super::work::*;
use crate::op::Shape;

macro_rules! looped {
    (
        $($(#[doc = $doc:literal])+
        $Kind:ident $shape:ident $body:expr $(, $operand:literal: $Taken:ident)*;)+
        threaded {
            $($(#[doc = $fused_doc:literal])+
            $Fused:ident $fused_shape:ident $fused_body:expr
            $(, $fused_operand:literal: $FusedTaken:ident)*;)+
        }
        pairs {
            $($First:ident: $($Second:ident)+;)*
        }
    ) => {
        /// Runs a slice from op `pc` on, until it ends.
        pub(super) fn dispatch<'a>(
            machine: &mut Machine<'a>,
            mut code: &'a [Op],
            mut pc: usize,
            mut registers: &'a Window,
        ) {
            let stop = loop {
                let Some(op) = code.get(pc) else {
                    break Stop::Pause;
                };
                let flow = match op.kind {
                    $(OpKind::$Kind => {
                        let operands = Operands::<'_, '_, '-'> { op, code, registers, accumulator: 0 };
                        $shape(machine, &operands, pc, $body)
                    })+
                    // The linker makes all other kinds of ops only in the threaded variant, and never makes `Nothing`.
                    _ => Flow::Stop(pc, Stop::Trap(TrapKind::Unverified)),
                };
                // The looped variant keeps no accumulator, but checks that the value is in the op's register, as the
                // threaded variant relies on.
                if let Flow::Value(value) = flow {
                    let is_value = op.kind.shape_alone() == Shape::Value;
                    debug_assert!(!is_value || cell(registers, op.a).get() == value);
                }
                match flow {
                    Flow::Next | Flow::Value(_) => pc = pc.wrapping_add(1),
                    Flow::Onward(target) | Flow::To(target) => pc = target,
                    Flow::Out(target) => {
                        pc = target;
                        if let Flow::Stop(..) = machine.afford(target) {
                            break Stop::Pause;
                        }
                    }
                    Flow::Enter(target, ops, window) => {
                        (pc, code, registers) = (target, ops, window);
                    }
                    Flow::Stop(at, stop) => {
                        pc = at;
                        break stop;
                    }
                    Flow::Leave(value) => {
                        machine.value = value;
                        break Stop::ReturnedValue;
                    }
                }
            };
            (machine.pc, machine.limit) = (pc as u32, code.len() as u32);
            machine.stop = stop;
        }
    };
}

crate::op::op_table!(looped);
