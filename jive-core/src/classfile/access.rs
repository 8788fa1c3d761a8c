//! Access flags (JVMS §4.1, §4.5, §4.6), and the combinations that a class file may not have.

use bitflags::bitflags;

bitflags! {
    /// Access and properties of a class (JVMS table 4.1-B).
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct ClassAccess: u16 {
        /// Visible outside its package.
        const PUBLIC = 0x0001;
        /// Has no subclasses.
        const FINAL = 0x0010;
        /// Treats superclass methods specially in `invokespecial`; every JVM does so now.
        const SUPER = 0x0020;
        /// Is an interface.
        const INTERFACE = 0x0200;
        /// Must not be instantiated.
        const ABSTRACT = 0x0400;
        /// Is not in the source.
        const SYNTHETIC = 0x1000;
        /// Is an annotation interface.
        const ANNOTATION = 0x2000;
        /// Is an enum class.
        const ENUM = 0x4000;
        /// Is a module.
        const MODULE = 0x8000;
    }
}

bitflags! {
    /// Access and properties of a field (JVMS table 4.5-A).
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct FieldAccess: u16 {
        /// Visible outside its package.
        const PUBLIC = 0x0001;
        /// Visible within its class.
        const PRIVATE = 0x0002;
        /// Visible within subclasses.
        const PROTECTED = 0x0004;
        /// Belongs to the class.
        const STATIC = 0x0008;
        /// Is not assigned after construction.
        const FINAL = 0x0010;
        /// Is not cached.
        const VOLATILE = 0x0040;
        /// Is not written by a persistent object manager.
        const TRANSIENT = 0x0080;
        /// Is not in the source.
        const SYNTHETIC = 0x1000;
        /// Holds an element of an enum class.
        const ENUM = 0x4000;
    }
}

bitflags! {
    /// Access and properties of a method (JVMS table 4.6-A).
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct MethodAccess: u16 {
        /// Visible outside its package.
        const PUBLIC = 0x0001;
        /// Visible within its class.
        const PRIVATE = 0x0002;
        /// Visible within subclasses.
        const PROTECTED = 0x0004;
        /// Belongs to the class.
        const STATIC = 0x0008;
        /// Is not overridden.
        const FINAL = 0x0010;
        /// Runs inside a monitor.
        const SYNCHRONIZED = 0x0020;
        /// Is a bridge, made by the compiler.
        const BRIDGE = 0x0040;
        /// Takes a variable number of arguments in the source.
        const VARARGS = 0x0080;
        /// Is not written in Java.
        const NATIVE = 0x0100;
        /// Has no implementation.
        const ABSTRACT = 0x0400;
        /// Computes floating point strictly.
        const STRICT = 0x0800;
        /// Is not in the source.
        const SYNTHETIC = 0x1000;
    }
}
