//! How the parts of a class file are named.

use jive_core::{ClassFile, Cut, MethodId, Utf8};

/// Returns the name of a class as Java writes it, [cut](Cut) and fit for a terminal.
pub fn class_name(class: &ClassFile<'_>) -> String {
    Cut(class.name()).to_string().replace('/', ".")
}

/// Returns the sum of a class's code, in bytes.
pub fn code_bytes(class: &ClassFile<'_>) -> usize {
    class
        .methods()
        .filter_map(|method| method.code())
        .map(|code| code.bytes.len())
        .sum()
}

/// Returns a method's name, [cut](Cut) and fit for a terminal.
pub fn method_name(class: &ClassFile<'_>, method: MethodId) -> String {
    class
        .method(method)
        .map_or_else(String::new, |method| Cut(method.name).to_string())
}

/// Returns the name of the source file, where the class tells one that is the name of a file and
/// nothing more.
pub fn source_name(class: &ClassFile<'_>) -> Option<String> {
    let name = class.source_file().map(|name: Utf8<'_>| name.to_string())?;
    let plain = !name.is_empty() && !name.contains(['/', '\\', ':']) && name != "..";
    plain.then_some(name)
}
