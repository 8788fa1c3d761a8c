//! What the table of ops gives: the kinds, what is asked of one while lowering, and the two ways to run ops.
//!
//! Macros, which `table.rs` calls with its rows; what a row names is imported there.

use super::op::Reach;

/// What ops have in common beyond what they compute.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It writes register `a` and no other.
    Value,
    /// It goes on at the next op, and writes what only its kind tells.
    Effect,
    /// A branch onwards.
    Onward(Reach),
    /// A branch past the next op.
    Skip,
    /// A branch back.
    Back(Reach),
    /// A jump back to a branch onwards.
    Again(Reach),
    /// Anything else.
    Control,
}

macro_rules! shape {
    (value) => {
        Shape::Value
    };
    (load) => {
        Shape::Value
    };
    (load_at) => {
        Shape::Value
    };
    (load_field) => {
        Shape::Value
    };
    (store_field) => {
        Shape::Effect
    };
    (effect) => {
        Shape::Effect
    };
    (store) => {
        Shape::Effect
    };
    (store_at) => {
        Shape::Effect
    };
    (onward) => {
        Shape::Onward(Reach::Wide)
    };
    (skip) => {
        Shape::Skip
    };
    (back) => {
        Shape::Back(Reach::Wide)
    };
    (again) => {
        Shape::Again(Reach::Wide)
    };
    (again_count) => {
        Shape::Again(Reach::Count)
    };
    (onward_near) => {
        Shape::Onward(Reach::Near)
    };
    (back_near) => {
        Shape::Back(Reach::Near)
    };
    (again_near) => {
        Shape::Again(Reach::Near)
    };
    (control) => {
        Shape::Control
    };
}

#[cfg(threaded)]
macro_rules! thread {
    ($Kind:ident $shape:ident $operand:literal $body:expr) => {
        pub(super) struct $Kind;

        impl Work for $Kind {
            #[inline(always)]
            fn run<'a, N: Then>(
                machine: &mut Machine<'a>,
                code: &'a [Op],
                pc: usize,
                registers: &'a Window,
                accumulator: i32,
            ) {
                let Some(op) = code.get(pc) else {
                    return pause(machine, code, pc, registers, accumulator);
                };
                let operands = Operands::<'_, '_, $operand> {
                    op,
                    code,
                    registers,
                    accumulator,
                };
                let flow = $shape(machine, &operands, pc, $body);
                follow::<N>(machine, code, pc, registers, accumulator, flow);
            }
        }
    };
}

macro_rules! ops {
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
    ) => { pastey::paste! {
        /// What an op does.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
        #[repr(u16)]
        pub(crate) enum OpKind {
            $($(#[doc = $doc])+ $Kind,)+
            $($(
                #[cfg(threaded)]
                #[doc = concat!("Does as `", stringify!($Kind), "`; `", $operand, "` is what the op before computed.")]
                $Taken,
            )*)+
            $(
                #[cfg(threaded)]
                $(#[doc = $fused_doc])+
                $Fused,
                $(
                    #[cfg(threaded)]
                    #[doc = concat!("Does as `", stringify!($Fused), "`; `", $fused_operand, "` is what the op before computed.")]
                    $FusedTaken,
                )*
            )+
            $($(
                #[cfg(threaded)]
                #[doc = concat!("Does as `", stringify!($First), "`, then as `", stringify!($Second), "` if it goes on there.")]
                [<$First Then $Second>],
            )+)*
            /// Nothing is to run there: a broken promise.
            #[default]
            Nothing,
        }

        /// How many kinds there are: the last is that of nothing.
        #[cfg(threaded)]
        const KINDS: usize = OpKind::Nothing as usize + 1;

        impl OpKind {
            /// Returns the shape of the kind's ops.
            pub(crate) const fn shape(self) -> Shape {
                match self {
                    $(Self::$Kind => shape!($shape),)+
                    $($(
                        #[cfg(threaded)]
                        Self::$Taken => shape!($shape),
                    )*)+
                    $(
                        #[cfg(threaded)]
                        Self::$Fused => shape!($fused_shape),
                        $(
                            #[cfg(threaded)]
                            Self::$FusedTaken => shape!($fused_shape),
                        )*
                    )+
                    $($(
                        #[cfg(threaded)]
                        Self::[<$First Then $Second>] => Self::$First.shape(),
                    )+)*
                    Self::Nothing => Shape::Control,
                }
            }

            /// Returns the kind that does the same with operands from registers.
            pub(crate) const fn plain(self) -> Self {
                match self {
                    $($(
                        #[cfg(threaded)]
                        Self::$Taken => Self::$Kind,
                    )*)+
                    $($(
                        #[cfg(threaded)]
                        Self::$FusedTaken => Self::$Fused,
                    )*)+
                    $($(
                        #[cfg(threaded)]
                        Self::[<$First Then $Second>] => Self::$First.plain(),
                    )+)*
                    plain => plain,
                }
            }

            /// Returns the kind that does the same and has an operand from the op before, if there is one.
            #[cfg(threaded)]
            pub(crate) const fn taken(self, operand: char) -> Option<Self> {
                match (self, operand) {
                    $($((Self::$Kind, $operand) => Some(Self::$Taken),)*)+
                    $($((Self::$Fused, $fused_operand) => Some(Self::$FusedTaken),)*)+
                    _ => None,
                }
            }

            /// Returns the kind that does the same and then what the next op does, if there is one.
            #[cfg(threaded)]
            pub(crate) const fn then(self, next: Self) -> Option<Self> {
                match (self, next) {
                    $($((Self::$First, Self::$Second) => Some(Self::[<$First Then $Second>]),)+)*
                    _ => None,
                }
            }

            /// Returns the name of what an op does by itself.
            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$Kind => stringify!($Kind),)+
                    $($(
                        #[cfg(threaded)]
                        Self::$Taken => stringify!($Taken),
                    )*)+
                    $(
                        #[cfg(threaded)]
                        Self::$Fused => stringify!($Fused),
                        $(
                            #[cfg(threaded)]
                            Self::$FusedTaken => stringify!($FusedTaken),
                        )*
                    )+
                    $($(
                        #[cfg(threaded)]
                        Self::[<$First Then $Second>] => stringify!($First),
                    )+)*
                    Self::Nothing => "Nothing",
                }
            }

            /// Every kind that does one op's work: pairs are left out, and `Nothing`, which lowering never lays down.
            pub(super) const SINGLE: &'static [Self] = &[
                $(Self::$Kind,)+
                $($(
                    #[cfg(threaded)]
                    Self::$Taken,
                )*)+
                $(
                    #[cfg(threaded)]
                    Self::$Fused,
                    $(
                        #[cfg(threaded)]
                        Self::$FusedTaken,
                    )*
                )+
            ];

            /// The names of ops that are run together.
            pub(super) const PAIRS: &'static [[&'static str; 2]] = &[
                $($(
                    #[cfg(threaded)]
                    [stringify!($First), stringify!($Second)],
                )+)*
            ];
        }

        #[cfg(threaded)]
        pub(super) mod threads {
            use super::*;
            use crate::interp::threaded::{
                Any, Straight, Then, Thread, Work, broken, follow, pause,
            };

            $(thread! { $Kind $shape '-' $body })+
            $($(thread! { $Taken $shape $operand $body })*)+
            $(thread! { $Fused $fused_shape '-' $fused_body })+
            $($(thread! { $FusedTaken $fused_shape $fused_operand $fused_body })*)+

            #[expect(clippy::indexing_slicing, reason = "there are as many as kinds")]
            pub(in crate::interp) static THREADS: [Thread; KINDS] = {
                let mut threads = [broken as Thread; KINDS];
                $(threads[OpKind::$Kind as usize] = $Kind::run::<Any>;)+
                $($(threads[OpKind::$Taken as usize] = $Taken::run::<Any>;)*)+
                $(threads[OpKind::$Fused as usize] = $Fused::run::<Any>;)+
                $($(threads[OpKind::$FusedTaken as usize] = $FusedTaken::run::<Any>;)*)+
                $($(threads[OpKind::[<$First Then $Second>] as usize] = $First::run::<Straight<$Second>>;)+)*
                threads
            };
        }
        }

        /// Runs code from a place on until the slice ends.
        #[cfg(not(threaded))]
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
                    OpKind::Nothing => Flow::Stop(pc, Stop::Trap(TrapKind::Unverified)),
                };
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
