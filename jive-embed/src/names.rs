//! Names of classes and methods, for display.

use jive_core::{ClassFile, Cut, MethodAccess, MethodId, Utf8};

use crate::rejection::java_signature;

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
