//! Parse errors: the rules of the class file format, each with a stable code.

use super::tag::{ConstantTag, TagSet};
use super::utf8::Utf8;
use super::version::ClassVersion;
use crate::descriptor::DescriptorErrorKind;
use crate::id::CpIndex;
use crate::limits::{CODE_BYTES_MAX, FILE_BYTES_MAX};

/// Which rule of the format bytes violate, so that they are not a class file, and at which offset.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (offset {offset:#x})")]
pub struct ParseError {
    /// Offset in the file, in bytes. If the file ends too early, `offset` is that of the number, table or byte sequence
    /// that is incomplete.
    pub offset: u32,
    /// The rule that the file breaks.
    pub kind: ParseErrorKind,
}

/// Why a constant pool index does not lead to the expected constant.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("constant #{index}: {kind}")]
pub struct PoolError {
    /// The index.
    pub index: CpIndex,
    /// What is wrong with the constant pool index.
    pub kind: PoolErrorKind,
}

/// What is wrong with a constant pool index.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolErrorKind {
    /// The index is 0, or not less than `constant_pool_count`.
    #[error("expected an index from 1 to below {count}")]
    OutOfRange {
        /// The pool's `constant_pool_count`.
        count: u16,
    },
    /// The index is the unusable one after a `long` or `double`, which has no constant.
    #[error("expected a constant, found the unusable index behind a `Long` or `Double`")]
    Unusable,
    /// The constant at the index is of another kind than expected.
    #[error("expected {expected}, found `{found}`")]
    Tag {
        /// The kinds of constants that are valid in the place of the index.
        expected: TagSet,
        /// Kind of the constant at the index.
        found: ConstantTag,
    },
}

impl ParseErrorKind {
    /// Makes a parse error from the error of a constant pool index.
    pub(super) const fn of_index(reason: PoolError) -> ParseErrorKind {
        ParseErrorKind::ConstantIndex {
            index: reason.index.0,
            kind: reason.kind,
        }
    }
}

impl ParseError {
    /// Returns the stable code of the broken rule.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

/// An attribute that this crate reads, identified by name.
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
    /// `StackMapTable` of a method's code (JVMS §4.7.4). The parser checks only that a method's code has at most one
    /// `StackMapTable`.
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

    /// Returns the attribute with this name, or `None` if this crate skips it.
    pub(super) fn of(name: Utf8<'_>) -> Option<AttributeName> {
        let mut all = Self::ALL.into_iter();
        all.find(|known| name == known.as_str())
    }

    /// Returns a bit mask in which only the bit for this attribute is set.
    pub(super) const fn bit(self) -> u8 {
        // The shift cannot overflow, because discriminants are below 7.
        1 << self as u8
    }

    /// Returns the attribute's name as spelled in class files.
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
            /// The stable code of every rule, in declaration order.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// Returns the stable code of this kind of parse error.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(ParseErrorKind::$name { .. } => $code),+ }
            }
        }
    };
}

kinds! {
    /// The file is longer than [`FILE_BYTES_MAX`].
    #[error("expected at most {FILE_BYTES_MAX} bytes, found {found} or more")]
    FileSize {
        /// Number of bytes read from the file, limited to the greatest `u32`.
        found: u32,
    } = "limit/file-size";
    /// The lent index is shorter than [`ClassFile::index_len`](crate::ClassFile::index_len) words.
    #[error("expected an index of {needed} words, found {lent}")]
    IndexSize {
        /// Words needed.
        needed: u32,
        /// Words lent.
        lent: u32,
    } = "limit/index-size";
    /// The class file ends inside a structure.
    #[error("expected more bytes, found the end of the file")]
    Truncated = "malformed/truncated";
    /// Bytes follow the class.
    #[error("expected the end of the file, found more bytes")]
    TrailingBytes = "malformed/trailing-bytes";
    /// The file does not start with the magic number.
    #[error("expected magic number 0xcafebabe, found {found:#010x}")]
    Magic {
        /// The first four bytes.
        found: u32,
    } = "malformed/magic";
    /// The major version is unknown, or the minor version is not permitted for it.
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
    /// The file has a constant whose tag is unknown.
    #[error("expected the tag of a constant, found {found}")]
    UnknownTag {
        /// The tag.
        found: u8,
    } = "malformed/constant-tag";
    /// The class file's version is older than the constant, or a constant for modules is in a class file that is not
    /// a module.
    #[error("expected a constant that class file version {version} may hold here, found `{tag}`")]
    MisplacedTag {
        /// The constant's kind.
        tag: ConstantTag,
        /// The class file's version.
        version: ClassVersion,
    } = "malformed/constant-version";
    /// A `Long` or `Double` takes two indices, but the constant pool ends after the first of these indices.
    #[error("expected an index behind a `Long` or `Double`, found the end of the constant pool")]
    WideConstantAtEnd = "malformed/wide-constant";
    /// A constant pool index does not lead to a constant of the right kind.
    #[error("constant #{index}: {kind}")]
    ConstantIndex {
        /// The index.
        index: u16,
        /// What is wrong with the constant pool index.
        kind: PoolErrorKind,
    } = "malformed/constant-index";
    /// A `Utf8` is not modified UTF-8.
    #[error("expected modified UTF-8, found another byte sequence")]
    Utf8 = "malformed/utf8";
    /// A string is not a valid class name.
    #[error("expected the internal name of a class")]
    ClassName = "malformed/class-name";
    /// A string is not a valid field name.
    #[error("expected the name of a field")]
    FieldName = "malformed/field-name";
    /// A string is not a valid method name.
    #[error("expected the name of a method")]
    MethodName = "malformed/method-name";
    /// A string is not a valid module name.
    #[error("expected the name of a module")]
    ModuleName = "malformed/module-name";
    /// A string is not a field descriptor.
    #[error("field descriptor: {kind}")]
    FieldDescriptor {
        /// The rule for descriptors that the string breaks.
        kind: DescriptorErrorKind,
    } = "malformed/field-descriptor";
    /// A string is not a method descriptor.
    #[error("method descriptor: {kind}")]
    MethodDescriptor {
        /// The rule for descriptors that the string breaks.
        kind: DescriptorErrorKind,
    } = "malformed/method-descriptor";
    /// `<init>` returns a value, or `<clinit>` has parameters or a result in a version that forbids them.
    #[error("expected the descriptor of an initialization method")]
    InitializerDescriptor = "malformed/initializer-descriptor";
    /// A `MethodHandle` has an unknown kind.
    #[error("expected a method handle kind from 1 to 9, found {found}")]
    MethodHandleKind {
        /// The kind.
        found: u8,
    } = "malformed/method-handle-kind";
    /// The combination of class access flags is illegal.
    #[error("expected class access flags that agree, found {flags:#06x}")]
    ClassFlags {
        /// The flags.
        flags: u16,
    } = "malformed/class-flags";
    /// The combination of field access flags is illegal.
    #[error("expected field access flags that agree, found {flags:#06x}")]
    FieldFlags {
        /// The flags.
        flags: u16,
    } = "malformed/field-flags";
    /// The combination of method access flags is illegal.
    #[error("expected method access flags that agree, found {flags:#06x}")]
    MethodFlags {
        /// The flags.
        flags: u16,
    } = "malformed/method-flags";
    /// The class has no superclass or an array class as superclass, or an interface has another superclass than
    /// `Object`.
    #[error("expected a superclass that this class can have")]
    SuperClass = "malformed/superclass";
    /// A module's class file is not named `module-info`, or has a superclass, interfaces or members.
    #[error("expected a module without superclass, interfaces and members, named `module-info`")]
    Module = "malformed/module";
    /// `this_class` names an array class.
    #[error("expected the name of this class, found an array class")]
    ThisClass = "malformed/this-class";
    /// A superinterface occurs twice or is an array class.
    #[error("expected each superinterface once, and no array")]
    Interface = "malformed/interface";
    /// Two fields have the same name and descriptor.
    #[error("expected fields that differ in name or descriptor, found a second one")]
    DuplicateField = "malformed/duplicate-field";
    /// Two methods have the same name and descriptor.
    #[error("expected methods that differ in name or descriptor, found a second one")]
    DuplicateMethod = "malformed/duplicate-method";
    /// An attribute that may occur only once occurs twice.
    #[error("expected one `{name}` attribute, found a second one")]
    DuplicateAttribute {
        /// The attribute.
        name: AttributeName,
    } = "malformed/duplicate-attribute";
    /// The contents of an attribute are shorter or longer than its length.
    #[error("expected contents as long as the attribute's length says")]
    AttributeLength = "malformed/attribute-length";
    /// The constant of a `ConstantValue` does not have the field's type.
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
    /// The parameters of a method take more local variables than its code has.
    #[error("expected `max_locals` of at least {needed} for the parameters, found {found}")]
    ParametersExceedLocals {
        /// Slots that the parameters take, including `this`.
        needed: u16,
        /// `max_locals`.
        found: u16,
    } = "malformed/parameters-exceed-locals";
    /// `this` and the parameters take more than 255 slots.
    #[error("expected `this` and parameters of at most 255 slots, found {found}")]
    ParameterSlots {
        /// The number of slots.
        found: u16,
    } = "malformed/parameter-slots";
    /// An entry of an exception table covers no code, or refers to a pc outside the code array.
    #[error("expected an exception handler within the code")]
    ExceptionTable = "malformed/exception-table";
    /// A line number entry refers to a pc outside the code array.
    #[error("expected a line number within {code_length} bytes of code, found pc {pc}")]
    LineNumber {
        /// The pc.
        pc: u16,
        /// Length of the code array in bytes.
        code_length: u32,
    } = "malformed/line-number";
    /// A dynamic constant or call site refers to a bootstrap method that does not exist.
    #[error("expected a bootstrap method below {count}, found {found}")]
    BootstrapMethod {
        /// Number of bootstrap methods.
        count: u16,
        /// Index of the bootstrap method.
        found: u16,
    } = "malformed/bootstrap-method";
}
