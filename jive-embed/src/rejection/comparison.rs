//! The expected and the actual value of a verification error, in a few words each.

use jive_core::{
    ClassFile, CpIndex, Cut, MemberKind, Method, MethodDescriptor, NativeDecl, Utf8, parse_field,
};
use jive_verifier::{AppletMember, ResolutionError, TypeUse, VerifyError, VerifyErrorKind as Kind};

use super::likely::signature;
use crate::names::{java_signature, java_type};

/// The types that Java code in the subset may use, as a list for messages.
const TYPES: &str = "byte, short, int, boolean or an array of one of them";

/// Returns the expected and the actual value of an error that compares values. For other errors returns `None`, because
/// their message is sufficient.
pub(super) fn compared(
    class: &ClassFile<'_>,
    natives: &[NativeDecl<'_>],
    error: VerifyError,
) -> Option<(String, String)> {
    let (expected, found) = match error.kind {
        Kind::StackUnderflow { needed, found, .. } => (values(needed.into()), values(found.into())),
        Kind::StackOverflow { max_stack, .. } => (
            format!("at most {}", values(max_stack.into())),
            "more".to_owned(),
        ),
        Kind::OperandType {
            expected, found, ..
        }
        | Kind::LocalType {
            expected, found, ..
        } => (expected.to_string(), found.to_string()),
        Kind::MergeDepth {
            expected, found, ..
        } => (values(expected.into()), values(found.into())),
        Kind::MergeType {
            expected, found, ..
        } => (expected.to_string(), found.to_string()),
        Kind::UninitializedThis { .. } => (
            "an initialised value".to_owned(),
            "this before Object.<init>".to_owned(),
        ),
        Kind::NotUninitialized { found } => {
            ("this before Object.<init>".to_owned(), found.to_string())
        }
        Kind::ReturnKind { opcode, expected } => (
            format!("a return of {expected}"),
            opcode.mnemonic().to_owned(),
        ),
        Kind::LocalIndex {
            local, max_locals, ..
        } => (
            format!("a local variable below {max_locals}"),
            local.to_string(),
        ),
        Kind::BranchTarget { target, .. } => {
            ("the start of an instruction".to_owned(), target.to_string())
        }
        Kind::Constants { needed, limit }
        | Kind::Fields { needed, limit }
        | Kind::Methods { needed, limit }
        | Kind::Frame { needed, limit } => (format!("at most {limit}"), needed.to_string()),
        Kind::Char { .. } => (TYPES.to_owned(), "char".to_owned()),
        Kind::Long { .. } => (TYPES.to_owned(), "long".to_owned()),
        Kind::Float { .. } => (TYPES.to_owned(), "float".to_owned()),
        Kind::Double { .. } => (TYPES.to_owned(), "double".to_owned()),
        Kind::String { .. } => (TYPES.to_owned(), "String".to_owned()),
        Kind::ForeignType { found } | Kind::ReferenceArray { found } => {
            (TYPES.to_owned(), used_type(class, error, found)?)
        }
        Kind::ForeignMethod { index } => (
            "a method of the class itself or a native".to_owned(),
            member(class, index)?,
        ),
        Kind::ForeignField { index } => (
            "a field of the class itself".to_owned(),
            member(class, index)?,
        ),
        Kind::Superclass => (
            "java.lang.Object".to_owned(),
            class_name(class, class.super_class()?)?,
        ),
        Kind::OverloadedMethod { first } => {
            let first = class.method(first)?;
            (
                "one method of each name".to_owned(),
                format!("{}{} too", Cut(first.name), Cut(first.descriptor)),
            )
        }
        Kind::UnknownNative {
            misfit: ResolutionError::Descriptor,
        } => {
            let jive_verifier::Location::Method(id) = error.at else {
                return None;
            };
            let method = class.method(id)?;
            of_native(natives, method.name, method.descriptor)?
        }
        Kind::UnresolvedNative {
            index,
            misfit: ResolutionError::Descriptor,
        } => {
            let member = class.pool().member(index).ok()?;
            of_native(natives, member.name, member.descriptor)?
        }
        Kind::MissingMember { member } => (wanted(member), "none".to_owned()),
        Kind::MemberDescriptor { member } => (wanted(member), present(class, member)?),
        _ => return None,
    };
    Some((expected.replace('`', ""), found.replace('`', "")))
}

/// Compares the signature of a native with that of a method that has the native's name.
fn of_native(
    natives: &[NativeDecl<'_>],
    name: Utf8<'_>,
    descriptor: Utf8<'_>,
) -> Option<(String, String)> {
    let native = natives.iter().find(|row| name == row.name)?;
    let found = java_signature(name, descriptor)?;
    Some((signature(native), found))
}

fn values(count: u32) -> String {
    match count {
        1 => "1 value".to_owned(),
        count => format!("{count} values"),
    }
}

/// Returns the declared type for which a field or method is rejected.
fn used_type(class: &ClassFile<'_>, error: VerifyError, found: TypeUse) -> Option<String> {
    let kind = match (error.at, found) {
        (jive_verifier::Location::Field(id), TypeUse::Field) => {
            parse_field(class.field(id)?.descriptor.as_bytes()).ok()?
        }
        (jive_verifier::Location::Method(id), found) => {
            let descriptor = class.method(id)?.descriptor.as_bytes();
            let descriptor = MethodDescriptor::parse(descriptor).ok()?;
            match found {
                TypeUse::Parameter(number) => {
                    let before = usize::from(number.checked_sub(1)?);
                    descriptor.parameters().nth(before)?
                }
                TypeUse::Result => descriptor.result()?,
                TypeUse::Opcode(_) | TypeUse::Constant(_) | TypeUse::Field => return None,
            }
        }
        _ => return None,
    };
    Some(Cut(java_type(kind)).to_string())
}

/// Displays a member in Java syntax, with its descriptor.
fn member(class: &ClassFile<'_>, index: CpIndex) -> Option<String> {
    let member = class.pool().member(index).ok()?;
    let owner = Cut(member.class).to_string().replace('/', ".");
    let separator = match member.kind {
        MemberKind::Field => " ",
        MemberKind::Method | MemberKind::InterfaceMethod => "",
    };
    Some(format!(
        "{owner}.{}{separator}{}",
        Cut(member.name),
        Cut(member.descriptor)
    ))
}

fn class_name(class: &ClassFile<'_>, index: CpIndex) -> Option<String> {
    let name = class.pool().class_name(index).ok()?;
    Some(Cut(name).to_string().replace('/', "."))
}

/// Displays the required declaration of an applet's member.
pub(super) fn wanted(member: AppletMember) -> String {
    match member {
        AppletMember::Constructor => "a constructor without parameters".to_owned(),
        AppletMember::Entry(entry) => {
            let parameters: Vec<_> = entry
                .parameters
                .iter()
                .map(|name| format!("int {name}"))
                .collect();
            format!("int {}({})", entry.name, parameters.join(", "))
        }
        AppletMember::RxBuf => "byte[] RxBuf".to_owned(),
    }
}

/// Displays the class's declaration of an applet's member.
fn present(class: &ClassFile<'_>, member: AppletMember) -> Option<String> {
    let name = member.name();
    let field = class.fields().find(|field| field.name == name);
    let method = class.methods().find(|method| method.name == name);
    match member {
        AppletMember::RxBuf => {
            let kind = parse_field(field?.descriptor.as_bytes()).ok()?;
            Some(Cut(format!("{} {name}", java_type(kind))).to_string())
        }
        AppletMember::Constructor => Some(format!(
            "{name} with descriptor {}",
            Cut(method?.descriptor)
        )),
        AppletMember::Entry(_) => {
            let method = method?;
            java_signature(method.name, method.descriptor)
        }
    }
}

/// Returns the first word of a type in a Java declaration: the element type of an array, or a class name without
/// packages.
pub(super) fn java_type_word(descriptor: &[u8]) -> String {
    let shown = parse_field(descriptor).map_or_else(|_| String::new(), java_type);
    let plain = shown.trim_end_matches("[]");
    plain.rsplit(['.', '$']).next().unwrap_or("").to_owned()
}

/// Returns the first words of a method's Java declaration, in order.
pub(super) fn declaration_words(class: &ClassFile<'_>, method: &Method<'_>) -> Vec<String> {
    let Ok(descriptor) = MethodDescriptor::parse(method.descriptor.as_bytes()) else {
        return Vec::new();
    };
    let word = |kind| {
        let shown = java_type(kind);
        let plain = shown.trim_end_matches("[]");
        plain.rsplit(['.', '$']).next().unwrap_or("").to_owned()
    };
    let mut words = if method.name == "<init>" {
        let name = class.name().to_string();
        vec![name.rsplit(['/', '$']).next().unwrap_or("").to_owned()]
    } else {
        let result = descriptor.result().map_or_else(|| "void".to_owned(), word);
        vec![result, method.name.to_string()]
    };
    words.push("(".to_owned());
    words.extend(descriptor.parameters().map(word));
    words.push(")".to_owned());
    words
}
