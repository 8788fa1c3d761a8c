//! The kinds of ops, as an enum that a macro makes from the op table, with the relations between kinds that lowering
//! uses.

use super::op_table;
use super::shape::{Reach, Shape};
use crate::variant;

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

macro_rules! kinds {
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
        /// The kind of an op: what it does.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
        #[repr(u16)]
        pub(crate) enum OpKind {
            $($(#[doc = $doc])+ $Kind,)+
            $($(
                #[doc = concat!("Does as `", stringify!($Kind), "`, with `", $operand, "` from the accumulator.")]
                $Taken,
            )*)+
            $(
                $(#[doc = $fused_doc])+
                $Fused,
                $(
                    #[doc = concat!("Does as `", stringify!($Fused), "`, with `", $fused_operand, "` from the accumulator.")]
                    $FusedTaken,
                )*
            )+
            $($(
                #[doc = concat!("Does as `", stringify!($First), "`, then as `", stringify!($Second), "` if the run continues there.")]
                [<$First Then $Second>],
            )+)*
            /// No op. Running this kind of op is a trap, which only a class that was declared verified wrongly can
            /// reach.
            #[default]
            Nothing,
        }

        impl OpKind {
            /// Returns the shape of the kind's ops. An op of a pair has the shape of the pair's first op.
            pub(crate) const fn shape(self) -> Shape {
                match self {
                    $($(Self::[<$First Then $Second>] => Self::$First.shape_alone(),)+)*
                    alone => alone.shape_alone(),
                }
            }

            /// Returns the shape of the kind's ops, if the kind is not that of a pair.
            // The attribute `inline(always)` is needed, because the compiler's inliner rejects this match for its
            // length. The compiler turns the match into a table lookup, but only after its inliner has run.
            #[cfg_attr(threaded, inline(always))]
            pub(crate) const fn shape_alone(self) -> Shape {
                // Without the threaded variant, the linker never makes the other kinds, so that the compiler's table of
                // shapes needs no entries for them.
                if !variant::THREADED {
                    return match self {
                        $(Self::$Kind => shape!($shape),)+
                        _ => Shape::Control,
                    };
                }
                match self {
                    $(Self::$Kind => shape!($shape),)+
                    $($(Self::$Taken => shape!($shape),)*)+
                    $(Self::$Fused => shape!($fused_shape),)+
                    $($(Self::$FusedTaken => shape!($fused_shape),)*)+
                    _ => Shape::Control,
                }
            }

            /// Returns the kind that does the same as this kind, but not as part of a pair, and with all operands from
            /// registers.
            pub(crate) const fn plain(self) -> Self {
                if !variant::THREADED {
                    return self;
                }
                match self {
                    $($(Self::$Taken => Self::$Kind,)*)+
                    $($(Self::$FusedTaken => Self::$Fused,)*)+
                    $($(Self::[<$First Then $Second>] => Self::$First.plain(),)+)*
                    plain => plain,
                }
            }

            /// Returns the kind that does the same as this kind with an operand from the accumulator, if such a kind
            /// exists.
            pub(crate) const fn taken(self, operand: char) -> Option<Self> {
                match (self, operand) {
                    $($((Self::$Kind, $operand) => Some(Self::$Taken),)*)+
                    $($((Self::$Fused, $fused_operand) => Some(Self::$FusedTaken),)*)+
                    _ => None,
                }
            }

            /// Returns the kind of the pair of two ops, if a kind for that pair exists.
            pub(crate) const fn then(self, next: Self) -> Option<Self> {
                match (self, next) {
                    $($((Self::$First, Self::$Second) => Some(Self::[<$First Then $Second>]),)+)*
                    _ => None,
                }
            }

            /// Returns the name of the kind's row in the op table. For a pair, returns the name of the row of the
            /// pair's first op.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$Kind => stringify!($Kind),)+
                    $($(Self::$Taken => stringify!($Taken),)*)+
                    $(Self::$Fused => stringify!($Fused),)+
                    $($(Self::$FusedTaken => stringify!($FusedTaken),)*)+
                    $($(Self::[<$First Then $Second>] => stringify!($First),)+)*
                    Self::Nothing => "Nothing",
                }
            }

            /// The kinds that lowering makes in every variant of the interpreter.
            pub(crate) const PLAIN: &'static [Self] = &[$(Self::$Kind,)+];

            /// All kinds except pairs, and except `Nothing`, which lowering never makes.
            pub(crate) const SINGLE: &'static [Self] = &[
                $(Self::$Kind,)+
                $($(Self::$Taken,)*)+
                $(Self::$Fused, $(Self::$FusedTaken,)*)+
            ];

            /// The names of the ops of each pair.
            pub(crate) const PAIRS: &'static [[&'static str; 2]] = &[
                $($([stringify!($First), stringify!($Second)],)+)*
            ];
        }
    } };
}

op_table!(kinds);

impl OpKind {
    /// Returns the kind that accesses an element like this kind, but of an array whose reference is in a field.
    pub(crate) const fn in_field(self) -> Option<Self> {
        Some(match self {
            Self::LoadByte => Self::LoadFieldByte,
            Self::LoadShort => Self::LoadFieldShort,
            Self::LoadInt => Self::LoadFieldInt,
            Self::StoreByte => Self::StoreFieldByte,
            Self::StoreShort => Self::StoreFieldShort,
            Self::StoreInt => Self::StoreFieldInt,
            _ => return None,
        })
    }

    /// Returns the kind that accesses an element like this kind, but at a constant index.
    pub(crate) const fn at_constant(self) -> Option<Self> {
        Some(match self {
            Self::LoadByte => Self::LoadByteAt,
            Self::StoreByte => Self::StoreByteAt,
            _ => return None,
        })
    }

    /// Returns the kind that loads a byte like this kind, but without extending the byte's sign.
    pub(crate) const fn without_sign(self) -> Option<Self> {
        Some(match self {
            Self::LoadByte => Self::LoadByteUnsigned,
            Self::LoadByteAt => Self::LoadByteUnsignedAt,
            Self::LoadFieldByte => Self::LoadFieldByteUnsigned,
            Self::LoadFieldByteAtTaken => Self::LoadFieldByteUnsignedAtTaken,
            Self::LoadByteAtTaken => Self::LoadByteUnsignedAtTaken,
            Self::LoadByteAtOfTaken => Self::LoadByteUnsignedAtOfTaken,
            _ => return None,
        })
    }
}
