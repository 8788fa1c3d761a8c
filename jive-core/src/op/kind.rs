//! The kinds of ops, from the table of ops: what lowering asks of a kind.

use super::op_table;
use super::shape::{Reach, Shape};

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
        pub(crate) const KINDS: usize = OpKind::Nothing as usize + 1;

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
            pub(crate) const fn name(self) -> &'static str {
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
            pub(crate) const SINGLE: &'static [Self] = &[
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
            pub(crate) const PAIRS: &'static [[&'static str; 2]] = &[
                $($(
                    #[cfg(threaded)]
                    [stringify!($First), stringify!($Second)],
                )+)*
            ];
        }
    } };
}

op_table!(kinds);

impl OpKind {
    /// Returns the kind that loads from or stores into an array that a field holds.
    #[cfg(threaded)]
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

    /// Returns the kind that loads or stores a byte whose index is a constant, if there is one.
    pub(crate) const fn at_constant(self) -> Option<Self> {
        Some(match self {
            _ if cfg!(small) => return None,
            Self::LoadByte => Self::LoadByteAt,
            Self::StoreByte => Self::StoreByteAt,
            _ => return None,
        })
    }

    /// Returns the kind that loads a byte without its sign, of one that loads it with its sign.
    pub(crate) const fn without_sign(self) -> Option<Self> {
        Some(match self {
            Self::LoadByte => Self::LoadByteUnsigned,
            Self::LoadByteAt => Self::LoadByteUnsignedAt,
            #[cfg(threaded)]
            Self::LoadFieldByte => Self::LoadFieldByteUnsigned,
            #[cfg(threaded)]
            Self::LoadFieldByteAtTaken => Self::LoadFieldByteUnsignedAtTaken,
            #[cfg(threaded)]
            Self::LoadByteAtTaken => Self::LoadByteUnsignedAtTaken,
            #[cfg(threaded)]
            Self::LoadByteAtOfTaken => Self::LoadByteUnsignedAtOfTaken,
            _ => return None,
        })
    }
}
