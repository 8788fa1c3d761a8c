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
    /// Loads a `long` or `double` constant. The constant pool decides which.
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
    /// Belongs to subroutines, which compilers before Java 6 generated for `finally`.
    Subroutine,
    /// Calls a method through an interface.
    InterfaceCall,
    /// Calls a method that is resolved at run time.
    DynamicCall,
    /// Never appears in a class file (JVMS §6.2).
    Reserved,
}
