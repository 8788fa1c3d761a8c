//! Verification errors: a table of kinds, each with a stable code and a message.

use core::fmt;

use jive_core::{CpIndex, FieldId, MethodId, Opcode, Pc};

use crate::found::{AppletMember, Expected, ResolutionError, TypeUse};
use crate::types::VerificationType;

/// The part of the class that an error belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// The class as a whole.
    Class,
    /// The declaration of a field.
    Field(FieldId),
    /// The declaration of a method, or its code as a whole.
    Method(MethodId),
    /// An instruction.
    Code {
        /// The method that contains the instruction.
        method: MethodId,
        /// The pc at which the instruction starts in the code array.
        pc: Pc,
    },
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Class => f.write_str("class"),
            Location::Field(field) => write!(f, "field {field}"),
            Location::Method(method) => write!(f, "method {method}"),
            Location::Code { method, pc } => write!(f, "method {method}, pc {pc}"),
        }
    }
}

/// Why and where a class was rejected.
///
/// The verifier reports only the first error. The order of the checks is part of the contract: first the class as a
/// whole, its fields and the declarations of its methods. The members of an applet come next, followed by the code of
/// each method, in file order. For each method, static constraints are checked first, in order of pc. The data flow of
/// the method comes second, and always continues with the lowest pc on the worklist.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} ({at})")]
pub struct VerifyError {
    /// The part of the class that breaks the rule.
    pub at: Location,
    /// The broken rule.
    pub kind: VerifyErrorKind,
}

/// What a walk over a class learns of a broken rule: which rule it is, or nothing at all.
///
/// The rules are written once, for the verifier and for the check of a device. The check says no more of a class than
/// where it is refused ([`Refused`]), so the compiler leaves out of it all code that only describes an error.
pub(crate) trait Reason: From<VerifyErrorKind> {
    /// A reason with its position.
    type Error;

    /// Returns the reason for a rule that takes code to describe.
    fn of(kind: impl FnOnce() -> VerifyErrorKind) -> Self;

    /// Adds the position.
    fn at(self, at: Location) -> Self::Error;
}

impl Reason for VerifyErrorKind {
    type Error = VerifyError;

    #[inline(always)]
    fn of(kind: impl FnOnce() -> VerifyErrorKind) -> Self {
        kind()
    }

    #[inline(always)]
    fn at(self, at: Location) -> VerifyError {
        VerifyError { at, kind: self }
    }
}

/// The reason of a check, which names neither the broken rule nor its position: the check knows where it is.
#[derive(Debug)]
pub(crate) struct Refused;

impl From<VerifyErrorKind> for Refused {
    #[inline(always)]
    fn from(_: VerifyErrorKind) -> Self {
        Refused
    }
}

impl Reason for Refused {
    type Error = Refused;

    #[inline(always)]
    fn of(_: impl FnOnce() -> VerifyErrorKind) -> Self {
        Refused
    }

    #[inline(always)]
    fn at(self, _: Location) -> Refused {
        self
    }
}

/// Where a check refused a class: the class breaks a rule there, or the certificate does not fit it.
///
/// The check does not name the rule: a device has no use for the name, and the code that finds it would take more than
/// the check itself. A host that wants to know verifies the class.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a certificate that fits the class, found one that does not at {at}")]
pub struct CheckError {
    /// The part of the class that is refused: the whole of it too if the memory lent to the check is too small.
    pub at: Location,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident $({ $($field:ident: $type:ty),+ $(,)? })?
       = $code:literal, $text:literal;)+) => {
        /// The rule for which a class was rejected.
        ///
        /// The first word of the [`code`](Self::code) is the family of the rule. A class with an `unsafe` error
        /// violates a rule of the JVM. A class with a `subset` error is valid Java that JIVE does not support. A class
        /// with a `limit` error exceeds a capacity of this VM. A class with an `applet` error lacks a member that an
        /// applet needs. The parser reports the family `malformed` earlier, for files that are not class files.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[expect(missing_docs, reason = "a field is named for what the sentence of its kind says of it")]
        pub enum VerifyErrorKind {
            $($(#[doc = $doc])+ #[error($text)] $name $({ $($field: $type),+ })?,)+
        }

        impl VerifyErrorKind {
            /// The code of every kind, in table order.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// Returns the stable code. The first word of the code is the family of the rule.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(VerifyErrorKind::$name { .. } => $code,)+ }
            }
        }
    };
}

kinds! {
    // Static constraints of the JVM (JVMS §4.9.1).

    /// The class is `java/lang/Object` itself.
    ClassCircularity
        = "unsafe/class-circularity", "expected a class below `java/lang/Object`, found that class itself";
    /// A method overrides a `final` method of `Object` (JVMS §4.10).
    FinalOverride
        = "unsafe/final-override", "expected a method that overrides no `final` method of `java/lang/Object`, it does";
    /// The code ends inside an instruction.
    TruncatedInstruction
        = "unsafe/truncated-instruction", "instruction ends behind the end of the code";
    /// No instruction has this opcode.
    UnknownOpcode { byte: u8 }
        = "unsafe/unknown-opcode", "expected an opcode, found {byte:#04x}";
    /// An opcode that is reserved for debuggers and implementations (JVMS §6.2).
    ReservedOpcode { opcode: Opcode }
        = "unsafe/reserved-opcode", "expected an opcode for class files, `{opcode}` is reserved";
    /// `wide` precedes an instruction that has no wide form.
    WideOpcode { byte: u8 }
        = "unsafe/wide-opcode", "expected an opcode with a wide form after `wide`, found {byte:#04x}";
    /// The first key of a `tableswitch` is greater than the last.
    SwitchBounds { low: i32, high: i32 }
        = "unsafe/switch-bounds", "expected `low` to be at most `high` in `tableswitch`, found {low} and {high}";
    /// A `lookupswitch` has a negative number of pairs.
    SwitchCount { count: i32 }
        = "unsafe/switch-count", "expected 0 or more pairs in `lookupswitch`, found {count}";
    /// The keys of a `lookupswitch` are not in ascending order.
    SwitchOrder { previous: i32, key: i32 }
        = "unsafe/switch-order", "expected ascending keys in `lookupswitch`, found {key} after {previous}";
    /// The padding of a switch is not zero, below class file version 51.
    SwitchPadding { opcode: Opcode }
        = "unsafe/switch-padding", "expected zeros as padding of `{opcode}` below class file version 51, found other bytes";
    /// An operand byte that must be zero is not zero, or a count that must not be zero is zero.
    OperandBytes { opcode: Opcode }
        = "unsafe/operand-bytes", "expected a count above 0 and zero bytes as last operands of `{opcode}`, found others";
    /// A branch target is not the start of an instruction.
    BranchTarget { opcode: Opcode, target: i64 }
        = "unsafe/branch-target", "expected the start of an instruction as target of `{opcode}`, found {target}";
    /// An instruction names a local variable at or above `max_locals`.
    LocalIndex { opcode: Opcode, local: u16, max_locals: u16 }
        = "unsafe/local-index", "`{opcode}` names local variable {local}, `max_locals` is {max_locals}";
    /// The constant pool has no constant at an index that an instruction names.
    ConstantIndex { opcode: Opcode, index: CpIndex }
        = "unsafe/constant-index", "`{opcode}` names constant {index}, which the constant pool does not have";
    /// A constant has a kind that the instruction does not permit.
    ConstantKind { opcode: Opcode, index: CpIndex }
        = "unsafe/constant-kind", "`{opcode}` names constant {index}, which is of another kind";
    /// An array type code that has no meaning (JVMS table 6.5.newarray-A).
    ArrayTypeCode { found: u8 }
        = "unsafe/array-type-code", "expected an array type code of 4 to 11, found {found}";
    /// An instruction calls `<init>` or `<clinit>` that must not call it.
    SpecialMethodCall { opcode: Opcode, index: CpIndex }
        = "unsafe/special-method-call", "`{opcode}` may not call the initializer that constant {index} names";

    // Structural constraints of the JVM (JVMS §4.9.2), checked by data flow.

    /// An instruction pops more values than the operand stack holds.
    StackUnderflow { opcode: Opcode, needed: u8, found: u8 }
        = "unsafe/stack-underflow", "`{opcode}` pops {needed} values, operand stack holds {found}";
    /// An instruction pushes more than `max_stack` allows.
    StackOverflow { opcode: Opcode, max_stack: u16 }
        = "unsafe/stack-overflow", "`{opcode}` pushes beyond `max_stack`, which is {max_stack}";
    /// A value on the operand stack has the wrong type. The operand at `depth` 0 is the top of the stack.
    OperandType { opcode: Opcode, depth: u8, expected: Expected, found: VerificationType }
        = "unsafe/operand-type", "`{opcode}` expects {expected} at depth {depth} of the operand stack, found {found}";
    /// A local variable has the wrong type.
    LocalType { opcode: Opcode, local: u16, expected: Expected, found: VerificationType }
        = "unsafe/local-type", "`{opcode}` expects {expected} in local variable {local}, found {found}";
    /// Before `Object.<init>`, an instruction uses `this` for something other than a store to a field of the class.
    UninitializedThis { opcode: Opcode, depth: u8 }
        = "unsafe/uninitialized-this", "`{opcode}` expects an initialised value at depth {depth} of the operand stack, found `this` before `Object.<init>`";
    /// `Object.<init>` is called on a value that is not an uninitialised `this`.
    NotUninitialized { found: VerificationType }
        = "unsafe/not-uninitialized", "`Object.<init>` expects `this` before `Object.<init>`, found {found}";
    /// A constructor returns on a path that has not called `Object.<init>`.
    ReturnBeforeInit
        = "unsafe/return-before-init", "constructor returns before it has called `Object.<init>` on every path";
    /// A return instruction does not match the result type of the method.
    ReturnKind { opcode: Opcode, expected: Expected }
        = "unsafe/return-kind", "method returns {expected}, `{opcode}` returns something else";
    /// Two paths meet with different depths of the operand stack.
    MergeDepth { target: Pc, expected: u8, found: u8 }
        = "unsafe/merge-depth", "operand stack at pc {target} holds {expected} values on another path, here {found}";
    /// Two paths meet with values on the operand stack that cannot be merged. The operand at `depth` 0 is the top of
    /// the stack.
    MergeType { target: Pc, depth: u8, expected: VerificationType, found: VerificationType }
        = "unsafe/merge-type", "operand stack at pc {target} holds {expected} at depth {depth} on another path, here {found}";
    /// Execution can continue past the last instruction.
    FallsOffEnd
        = "unsafe/falls-off-end", "expected a return, branch or switch as last instruction, execution falls off the end";

    // Valid Java that JIVE does not support (docs/subset.md).

    /// The type `char`.
    Char { found: TypeUse }
        = "subset/char", "expected a type of the subset, {found} `char`";
    /// The type `long`.
    Long { found: TypeUse }
        = "subset/long", "expected a type of the subset, {found} `long`";
    /// The type `float`.
    Float { found: TypeUse }
        = "subset/float", "expected a type of the subset, {found} `float`";
    /// The type `double`.
    Double { found: TypeUse }
        = "subset/double", "expected a type of the subset, {found} `double`";
    /// The type `String`.
    String { found: TypeUse }
        = "subset/string", "expected a type of the subset, {found} `String`";
    /// A class type other than the class itself.
    ForeignType { found: TypeUse }
        = "subset/foreign-type", "expected a type of the subset, {found} another class";
    /// Arrays of arrays or of references.
    ReferenceArray { found: TypeUse }
        = "subset/reference-array", "expected an array of `byte`, `short`, `int` or `boolean`, {found} arrays of references or of arrays";
    /// A class literal.
    ClassConstant { index: CpIndex }
        = "subset/class-constant", "expected an `int` constant, constant {index} is a class";
    /// A method handle or method type.
    MethodHandle { index: CpIndex }
        = "subset/method-handle", "expected an `int` constant, constant {index} is a method handle or method type";
    /// A constant that is computed at run time.
    DynamicConstant { index: CpIndex }
        = "subset/dynamic-constant", "expected an `int` constant, constant {index} is computed at run time";
    /// `new`.
    NewObject { opcode: Opcode }
        = "subset/new-object", "expected no object but the one instance of the class, `{opcode}` creates one";
    /// `checkcast` and `instanceof`.
    TypeTest { opcode: Opcode }
        = "subset/type-test", "expected types known at verification, `{opcode}` asks at run time";
    /// `athrow`.
    Throw { opcode: Opcode }
        = "subset/throw", "expected no exceptions, `{opcode}` throws one";
    /// A method has an exception table.
    ExceptionHandler
        = "subset/exception-handler", "expected an empty exception table, a handler covers code from here on";
    /// `monitorenter` and `monitorexit`.
    Monitor { opcode: Opcode }
        = "subset/monitor", "expected no threads, `{opcode}` uses a monitor";
    /// A `synchronized` method.
    SynchronizedMethod
        = "subset/synchronized-method", "expected no threads, the method is `synchronized`";
    /// `jsr`, `jsr_w` and `ret`.
    Subroutine { opcode: Opcode }
        = "subset/subroutine", "expected no subroutines, `{opcode}` belongs to one";
    /// `invokeinterface`.
    InvokeInterface { opcode: Opcode }
        = "subset/invokeinterface", "expected a call of the class's own method, `{opcode}` calls through an interface";
    /// `invokedynamic`.
    InvokeDynamic { opcode: Opcode }
        = "subset/invokedynamic", "expected a call of the class's own method, `{opcode}` links at run time";
    /// The class is an interface or annotation.
    Interface
        = "subset/interface", "expected a class, found an interface";
    /// The class is a module descriptor.
    Module
        = "subset/module", "expected a class, found a module descriptor";
    /// The superclass is not `java/lang/Object`.
    Superclass
        = "subset/superclass", "expected superclass `java/lang/Object`, the class has another or none";
    /// The class implements interfaces.
    Implements { count: u16 }
        = "subset/implements", "expected no interfaces, the class implements {count}";
    /// An `abstract` method.
    AbstractMethod
        = "subset/abstract-method", "expected a method with code or a native, the method is `abstract`";
    /// Two methods share a name.
    OverloadedMethod { first: MethodId }
        = "subset/overloaded-method", "expected one method of each name, method {first} has the name too";
    /// A `<clinit>` takes parameters (JVMS §2.9.2). The parser rejects a `<clinit>` that returns a value, and from class
    /// file version 51 a `<clinit>` with parameters.
    ClassInitializer
        = "subset/class-initializer", "expected `<clinit>` to have descriptor `()V`, it has another";
    /// A `native` method is not in the natives table.
    UnknownNative { misfit: ResolutionError }
        = "subset/unknown-native", "expected a native of the table, {misfit}";
    /// The native that an instruction calls is not in the natives table.
    UnresolvedNative { index: CpIndex, misfit: ResolutionError }
        = "subset/unresolved-native", "expected constant {index} to name a native of the table, {misfit}";
    /// The class has no field that matches an instruction's constant.
    UnresolvedField { index: CpIndex, misfit: ResolutionError }
        = "subset/unresolved-field", "expected constant {index} to name a field of the class, {misfit}";
    /// The class has no method that matches an instruction's constant.
    UnresolvedMethod { index: CpIndex, misfit: ResolutionError }
        = "subset/unresolved-method", "expected constant {index} to name a method of the class, {misfit}";
    /// An instruction accesses a field of another class.
    ForeignField { index: CpIndex }
        = "subset/foreign-field", "expected a field of the class itself, constant {index} names another class's";
    /// An instruction calls a method of another class.
    ForeignMethod { index: CpIndex }
        = "subset/foreign-method", "expected a method of the class itself or a native, constant {index} names another class's";
    /// A constructor calls another constructor of the class.
    ConstructorCall { index: CpIndex }
        = "subset/constructor-call", "expected a call of `Object.<init>`, constant {index} names the class's own constructor";
    /// A store to a `final` field outside the initializer of the class or instance (JVMS §6.5.putfield,
    /// §6.5.putstatic).
    FinalStore { index: CpIndex }
        = "subset/final-store", "expected a store to a `final` field in its initializer only, constant {index} names one";

    // Capacity limits of this VM (docs/subset.md).

    /// Too many constants.
    Constants { needed: u32, limit: u32 }
        = "limit/constants", "`constant_pool_count` is {needed}, the limit is {limit}";
    /// Too many fields.
    Fields { needed: u32, limit: u32 }
        = "limit/fields", "number of fields is {needed}, the limit is {limit}";
    /// Too many methods, including natives and initializers.
    Methods { needed: u32, limit: u32 }
        = "limit/methods", "number of methods is {needed}, the limit is {limit}";
    /// Too many local variables and operand stack entries, added together.
    Frame { needed: u32, limit: u32 }
        = "limit/frame", "`max_locals` and `max_stack` together are {needed}, the limit is {limit}";
    /// The data flow takes more steps than are allowed for the method.
    VerifySteps { limit: u32 }
        = "limit/verify-steps", "verification of the method takes more than its limit of {limit} steps";
    /// The lent memory is smaller than [`work_size`](crate::work_size) requires.
    WorkArea
        = "limit/work-area", "work area lent to the verifier is smaller than the class needs";

    // Members of an applet or a program (docs/subset.md).

    /// The class lacks a member that every applet, or every program, needs.
    MissingMember { member: AppletMember }
        = "applet/missing-member", "expected {member}, the class has none";
    /// A member of an applet or a program has the wrong descriptor.
    MemberDescriptor { member: AppletMember }
        = "applet/member-descriptor", "expected {member}, its descriptor differs";
    /// A method that the NIC or the host calls is `native`.
    NativeEntry { member: AppletMember }
        = "applet/native-entry", "expected {member} with code, it is `native`";
    /// A method of a program that the host calls is not `static`.
    InstanceEntry { member: AppletMember }
        = "applet/instance-entry", "expected {member} that is `static`, it is not";
    /// `RxBuf` is `final`, but the runtime must set it.
    FinalRxBuf
        = "applet/final-rx-buf", "expected `RxBuf` to be assignable, it is `final`";
    /// A NIC that receives directly never sets `RxBuf`.
    UnsetRxBuf
        = "applet/unset-rx-buf", "expected no `RxBuf`, a NIC that receives directly does not set it";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_of_the_four_families() {
        for (position, code) in VerifyErrorKind::CODES.iter().enumerate() {
            let (family, name) = code.split_once('/').expect("a code has a family");
            assert!(
                ["unsafe", "subset", "limit", "applet"].contains(&family),
                "{code}"
            );
            assert!(
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
                "{code}"
            );
            assert!(
                VerifyErrorKind::CODES
                    .iter()
                    .skip(position + 1)
                    .all(|other| other != code),
                "{code}"
            );
        }
    }
}
