//! Why bytes are not a class file, each reason with its code.

use super::tag::{ConstantTag, TagSet};
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::descriptor::DescriptorErrorKind;
use crate::id::CpIndex;
use crate::limits::{CODE_BYTES_MAX, FILE_BYTES_MAX};

/// Why bytes are not a class file, and where in them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (offset {offset:#x})")]
pub struct ParseError {
    /// Offset within the file, in bytes; where the file ends too early, that of the number, table or
    /// run of bytes that is cut off.
    pub offset: u32,
    /// The rule that is broken.
    pub kind: ParseErrorKind,
}

/// Why an index does not lead to the constant that is asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("constant #{index}: {kind}")]
pub struct PoolError {
    /// The index.
    pub index: CpIndex,
    /// What is wrong with it.
    pub kind: PoolErrorKind,
}

/// What is wrong with an index into the constant pool.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolErrorKind {
    /// It is 0 or not less than `constant_pool_count`.
    #[error("expected an index from 1 to below {count}")]
    OutOfRange {
        /// The pool's `constant_pool_count`.
        count: u16,
    },
    /// It is the index behind a `long` or `double`, which stands for nothing.
    #[error("expected a constant, found the unusable index behind a `Long` or `Double`")]
    Unusable,
    /// The constant is of another kind.
    #[error("expected {expected}, found `{found}`")]
    Tag {
        /// The kinds that are right there.
        expected: TagSet,
        /// The constant's kind.
        found: ConstantTag,
    },
}

impl ParseErrorKind {
    /// Returns the rule that an index into the constant pool breaks.
    pub(super) const fn of_index(reason: PoolError) -> ParseErrorKind {
        ParseErrorKind::ConstantIndex {
            index: reason.index.0,
            kind: reason.kind,
        }
    }
}

impl ParseError {
    /// Returns the stable code of the rule that is broken.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

/// An attribute that this crate reads, by name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AttributeName {
    /// `BootstrapMethods` of a class (JVMS §4.7.23).
    BootstrapMethods,
    /// `Code` of a method (JVMS §4.7.3).
    Code,
    /// `ConstantValue` of a static field (JVMS §4.7.2).
    ConstantValue,
    /// `Exceptions` of a method (JVMS §4.7.5).
    Exceptions,
    /// `LineNumberTable` of a method's code (JVMS §4.7.12).
    LineNumberTable,
    /// `SourceFile` of a class (JVMS §4.7.10).
    SourceFile,
    /// `StackMapTable` of a method's code (JVMS §4.7.4); only its number is checked.
    StackMapTable,
}

impl AttributeName {
    const ALL: [AttributeName; 7] = [
        AttributeName::BootstrapMethods,
        AttributeName::Code,
        AttributeName::ConstantValue,
        AttributeName::Exceptions,
        AttributeName::LineNumberTable,
        AttributeName::SourceFile,
        AttributeName::StackMapTable,
    ];

    /// Returns the attribute of this name, or `None` of those that this crate skips.
    pub(super) fn of(name: Utf8<'_>) -> Option<AttributeName> {
        let mut all = Self::ALL.into_iter();
        all.find(|known| name == known.as_str())
    }

    /// Returns a bit of its own.
    pub(super) const fn bit(self) -> u8 {
        // The discriminants are below 8, by the list of all.
        1 << self as u8
    }

    /// Returns the name as it stands in the class file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            AttributeName::BootstrapMethods => "BootstrapMethods",
            AttributeName::Code => "Code",
            AttributeName::ConstantValue => "ConstantValue",
            AttributeName::Exceptions => "Exceptions",
            AttributeName::LineNumberTable => "LineNumberTable",
            AttributeName::SourceFile => "SourceFile",
            AttributeName::StackMapTable => "StackMapTable",
        }
    }
}

impl core::fmt::Display for AttributeName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ #[error($($error:tt)*)] $name:ident $({ $($(#[doc = $field_doc:literal])+ $field:ident: $type:ty),+ $(,)? })? = $code:literal;)+) => {
        /// The rule that a class file breaks.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum ParseErrorKind {
            $($(#[doc = $doc])+ #[error($($error)*)] $name $({ $($(#[doc = $field_doc])+ $field: $type),+ })?,)+
        }

        impl ParseErrorKind {
            /// Every code, in the order of the kinds.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// Returns the stable code of the kind.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(ParseErrorKind::$name { .. } => $code),+ }
            }
        }
    };
}

kinds! {
    /// The file is longer than the limit.
    #[error("expected at most {FILE_BYTES_MAX} bytes, found {found} or more")]
    FileSize {
        /// Length in bytes of what was read of the file, at most the greatest `u32`.
        found: u32,
    } = "limit/file-size";
    /// The caller lent fewer words than `ClassFile::index_len` asks for.
    #[error("expected an index of {needed} words, found {lent}")]
    IndexSize {
        /// Words asked for.
        needed: u32,
        /// Words lent.
        lent: u32,
    } = "limit/index-size";
    /// The file ends inside something.
    #[error("expected more bytes, found the end of the file")]
    Truncated = "malformed/truncated";
    /// Bytes follow the class.
    #[error("expected the end of the file, found more bytes")]
    TrailingBytes = "malformed/trailing-bytes";
    /// The file does not begin as a class file does.
    #[error("expected magic number 0xcafebabe, found {found:#010x}")]
    Magic {
        /// The first four bytes.
        found: u32,
    } = "malformed/magic";
    /// The major version is none that is known, or the minor version none that it may have.
    #[error(
        "expected class file version {}.0 to {}.0, without preview features, found {found}",
        ClassVersion::MAJOR_MIN,
        ClassVersion::MAJOR_MAX
    )]
    Version {
        /// The version.
        found: ClassVersion,
    } = "malformed/version";
    /// `constant_pool_count` is 0.
    #[error("expected a constant pool count of at least 1, found 0")]
    PoolCount = "malformed/constant-pool-count";
    /// No constant has this tag.
    #[error("expected the tag of a constant, found {found}")]
    UnknownTag {
        /// The tag.
        found: u8,
    } = "malformed/constant-tag";
    /// The constant is newer than the class file's version, or a module's in what is no module.
    #[error("expected a constant that class file version {version} may hold here, found `{tag}`")]
    MisplacedTag {
        /// The constant's kind.
        tag: ConstantTag,
        /// The class file's version.
        version: ClassVersion,
    } = "malformed/constant-version";
    /// A `Long` or `Double` has no second index, since the pool ends.
    #[error("expected an index behind a `Long` or `Double`, found the end of the constant pool")]
    WideConstantAtEnd = "malformed/wide-constant";
    /// An index into the constant pool leads to no constant of the right kind.
    #[error("constant #{index}: {kind}")]
    ConstantIndex {
        /// The index.
        index: u16,
        /// What is wrong with it.
        kind: PoolErrorKind,
    } = "malformed/constant-index";
    /// A `Utf8` is not modified UTF-8.
    #[error("expected modified UTF-8, found another byte sequence")]
    Utf8 = "malformed/utf8";
    /// A string is not the name of a class.
    #[error("expected the internal name of a class")]
    ClassName = "malformed/class-name";
    /// A string is not the name of a field.
    #[error("expected the name of a field")]
    FieldName = "malformed/field-name";
    /// A string is not the name of a method.
    #[error("expected the name of a method")]
    MethodName = "malformed/method-name";
    /// A string is not the name of a module.
    #[error("expected the name of a module")]
    ModuleName = "malformed/module-name";
    /// A string is not a field descriptor.
    #[error("field descriptor: {kind}")]
    FieldDescriptor {
        /// The rule that it breaks.
        kind: DescriptorErrorKind,
    } = "malformed/field-descriptor";
    /// A string is not a method descriptor.
    #[error("method descriptor: {kind}")]
    MethodDescriptor {
        /// The rule that it breaks.
        kind: DescriptorErrorKind,
    } = "malformed/method-descriptor";
    /// `<init>` returns a value, or `<clinit>` has parameters or a result where the version forbids it.
    #[error("expected the descriptor of an initialization method")]
    InitializerDescriptor = "malformed/initializer-descriptor";
    /// A `MethodHandle` has a kind that does not exist.
    #[error("expected a method handle kind from 1 to 9, found {found}")]
    MethodHandleKind {
        /// The kind.
        found: u8,
    } = "malformed/method-handle-kind";
    /// The flags of the class contradict each other.
    #[error("expected class access flags that agree, found {flags:#06x}")]
    ClassFlags {
        /// The flags.
        flags: u16,
    } = "malformed/class-flags";
    /// The flags of a field contradict each other.
    #[error("expected field access flags that agree, found {flags:#06x}")]
    FieldFlags {
        /// The flags.
        flags: u16,
    } = "malformed/field-flags";
    /// The flags of a method contradict each other.
    #[error("expected method access flags that agree, found {flags:#06x}")]
    MethodFlags {
        /// The flags.
        flags: u16,
    } = "malformed/method-flags";
    /// The superclass is missing, an array, or not `Object` for an interface.
    #[error("expected a superclass that this class can have")]
    SuperClass = "malformed/superclass";
    /// A module's class file is not named `module-info`, or has more than attributes.
    #[error("expected a module without superclass, interfaces and members, named `module-info`")]
    Module = "malformed/module";
    /// The class names itself as an array.
    #[error("expected the name of this class, found an array class")]
    ThisClass = "malformed/this-class";
    /// A superinterface is named twice or is an array.
    #[error("expected each superinterface once, and no array")]
    Interface = "malformed/interface";
    /// Two fields have one name and one descriptor.
    #[error("expected fields that differ in name or descriptor, found a second one")]
    DuplicateField = "malformed/duplicate-field";
    /// Two methods have one name and one descriptor.
    #[error("expected methods that differ in name or descriptor, found a second one")]
    DuplicateMethod = "malformed/duplicate-method";
    /// An attribute that may stand once stands twice.
    #[error("expected one `{name}` attribute, found a second one")]
    DuplicateAttribute {
        /// Which.
        name: AttributeName,
    } = "malformed/duplicate-attribute";
    /// The contents of an attribute end before its length says, or after.
    #[error("expected contents as long as the attribute's length says")]
    AttributeLength = "malformed/attribute-length";
    /// The constant of a `ConstantValue` is not of the field's type.
    #[error("expected a constant of the field's type, found `{found}`")]
    ConstantValue {
        /// The constant's kind.
        found: ConstantTag,
    } = "malformed/constant-value";
    /// A method that is neither native nor abstract has no code.
    #[error("expected a `Code` attribute in a method that is neither native nor abstract")]
    CodeMissing = "malformed/code-missing";
    /// A native or abstract method has code.
    #[error("expected no `Code` attribute in a native or abstract method")]
    CodePresent = "malformed/code-present";
    /// A code array is empty or too long.
    #[error("expected a code length from 1 to {CODE_BYTES_MAX} bytes, found {found}")]
    CodeLength {
        /// The length.
        found: u32,
    } = "malformed/code-length";
    /// The parameters take more local variables than the method has.
    #[error("expected `max_locals` of at least {needed} for the parameters, found {found}")]
    ParametersExceedLocals {
        /// Slots that the parameters take, `this` included.
        needed: u16,
        /// `max_locals`.
        found: u16,
    } = "malformed/parameters-exceed-locals";
    /// `this` and the parameters take more than 255 slots.
    #[error("expected `this` and parameters of at most 255 slots, found {found}")]
    ParameterSlots {
        /// The slots.
        found: u16,
    } = "malformed/parameter-slots";
    /// An entry of an exception table covers no code, or leaves the code array.
    #[error("expected an exception handler within the code")]
    ExceptionTable = "malformed/exception-table";
    /// A line number belongs to a pc outside the code array.
    #[error("expected a line number within {code_length} bytes of code, found pc {pc}")]
    LineNumber {
        /// The pc.
        pc: u16,
        /// Length of the code array in bytes.
        code_length: u32,
    } = "malformed/line-number";
    /// A constant computed or linked at run time names a bootstrap method that is not there.
    #[error("expected a bootstrap method below {count}, found {found}")]
    BootstrapMethod {
        /// How many there are.
        count: u16,
        /// The position asked for.
        found: u16,
    } = "malformed/bootstrap-method";
}
