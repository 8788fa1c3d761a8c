//! Names of classes and methods, for display.

use jive_core::{ClassFile, Cut, FieldType, MethodAccess, MethodDescriptor, MethodId, Utf8};

use crate::text::printable;

/// Returns the name of a class in Java syntax, [truncated](Cut) and safe for display on a terminal.
pub fn class_name(class: &ClassFile<'_>) -> String {
    Cut(class.name()).to_string().replace('/', ".")
}

/// Returns the total length of a class's code, in bytes.
pub fn code_bytes(class: &ClassFile<'_>) -> usize {
    class
        .methods()
        .filter_map(|method| method.code())
        .map(|code| code.bytes.len())
        .sum()
}

/// Returns a method's name, [truncated](Cut) and safe for display on a terminal.
pub fn method_name(class: &ClassFile<'_>, method: MethodId) -> String {
    class
        .method(method)
        .map_or_else(String::new, |method| Cut(method.name).to_string())
}

/// Returns a method's declaration in Java syntax, like `static int gcd(int, int)`, [truncated](Cut).
pub fn signature(class: &ClassFile<'_>, method: MethodId) -> Option<String> {
    let method = class.method(method)?;
    let signature = java_signature(method.name, method.descriptor)?;
    let is_static = method.access.contains(MethodAccess::STATIC);
    Some(format!(
        "{}{signature}",
        if is_static { "static " } else { "" }
    ))
}

/// Returns the name of the source file, if the class file has it. A name that contains a path is ignored, because the
/// caller opens a file with this name.
pub fn source_name(class: &ClassFile<'_>) -> Option<String> {
    let name = class.source_file().map(|name: Utf8<'_>| name.to_string())?;
    let plain = !name.is_empty() && !name.contains(['/', '\\', ':']) && name != "..";
    plain.then_some(name)
}

/// Shows a method as Java declares it, without names of parameters, [cut](Cut) and safe for display on a terminal.
pub(crate) fn java_signature(name: Utf8<'_>, descriptor: Utf8<'_>) -> Option<String> {
    let parsed = MethodDescriptor::parse(descriptor.as_bytes()).ok()?;
    let result = parsed.result().map_or_else(|| "void".to_owned(), java_type);
    let parameters = parsed.parameters().map(java_type);
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    let name = Cut(name);
    Some(Cut(format!("{result} {name}({parameters})")).to_string())
}

/// Displays a type in Java syntax.
pub(crate) fn java_type(kind: FieldType<'_>) -> String {
    use jive_core::ElementType as E;
    let name = |name: &[u8]| {
        let name = String::from_utf8_lossy(name).replace('/', ".");
        printable(&name)
    };
    match kind {
        FieldType::Byte => "byte".to_owned(),
        FieldType::Char => "char".to_owned(),
        FieldType::Double => "double".to_owned(),
        FieldType::Float => "float".to_owned(),
        FieldType::Int => "int".to_owned(),
        FieldType::Long => "long".to_owned(),
        FieldType::Short => "short".to_owned(),
        FieldType::Boolean => "boolean".to_owned(),
        FieldType::Object(class) => name(class),
        FieldType::Array {
            dimensions,
            element,
        } => {
            let element = match element {
                E::Byte => "byte".to_owned(),
                E::Char => "char".to_owned(),
                E::Double => "double".to_owned(),
                E::Float => "float".to_owned(),
                E::Int => "int".to_owned(),
                E::Long => "long".to_owned(),
                E::Short => "short".to_owned(),
                E::Boolean => "boolean".to_owned(),
                E::Object(class) => name(class),
            };
            element + &"[]".repeat(dimensions.into())
        }
    }
}
