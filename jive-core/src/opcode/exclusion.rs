//! Reasons why an opcode is outside the subset.

/// Why an opcode is outside the subset.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// Computes with `long`.
    Long,
    /// Computes with `float`.
    Float,
    /// Computes with `double`.
    Double,
    /// Computes with `char`.
    Char,
    /// Loads a `long` or `double` constant, depending on the tag of the constant pool entry.
    Wide,
    /// Creates or accesses an array of references or of arrays.
    ReferenceArray,
    /// Creates an object.
    Object,
    /// Tests or casts the type of a reference.
    TypeTest,
    /// Throws an exception.
    Exception,
    /// Requires threads.
    Thread,
    /// The opcode belongs to subroutines, which compilers before Java 6 generated for `finally`.
    Subroutine,
    /// Calls a method through an interface.
    InterfaceCall,
    /// Calls a method that is resolved at run time.
    DynamicCall,
    /// The opcode never appears in a class file (JVMS §6.2).
    Reserved,
}
