//! Why an opcode is outside the subset.

/// Why an opcode is outside the subset.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// It computes with `long`.
    Long,
    /// It computes with `float`.
    Float,
    /// It computes with `double`.
    Double,
    /// It computes with `char`.
    Char,
    /// It loads a `long` or `double` constant; which one, the constant pool tells.
    Wide,
    /// It makes or uses an array of references or of arrays.
    ReferenceArray,
    /// It creates an object.
    Object,
    /// It tests or casts the type of a reference.
    TypeTest,
    /// It throws an exception.
    Exception,
    /// It needs threads.
    Thread,
    /// It belongs to the subroutines that compilers before Java 6 used for `finally`.
    Subroutine,
    /// It calls through an interface.
    InterfaceCall,
    /// It calls what is linked at run time.
    DynamicCall,
    /// It never stands in a class file (JVMS §6.2).
    Reserved,
}
