//! Methods, fields and places of a class.

use core::ffi::c_char;

use jive_core::{FieldId, MethodId, parse_field};

use crate::state::{Jive, Loaded, status};
use crate::{JiveStatus, JiveText, given};

/// A method, for calls without a search for its name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct JiveMethod {
    /// Number of the method in the class.
    pub number: u32,
}

/// A field, for access without a search for its name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct JiveField {
    /// Number of the field in the class.
    pub number: u32,
}

/// Where a call trapped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct JivePlace {
    /// Name of the method, as bytes of the class file.
    pub method: JiveText,
    /// The instruction, as its offset in the method's code.
    pub pc: u16,
    /// The line of the Java source, or 0 if the class has no line numbers.
    pub line: u16,
}

impl JiveMethod {
    pub(crate) fn id(self) -> Result<MethodId, JiveStatus> {
        let number = u16::try_from(self.number);
        number.map(MethodId).map_err(|_| JiveStatus::Argument)
    }
}

impl JiveField {
    fn id(self) -> Result<FieldId, JiveStatus> {
        let number = u16::try_from(self.number);
        number.map(FieldId).map_err(|_| JiveStatus::Argument)
    }
}

/// Looks up a method that has code, by its name and its descriptor (JVMS 4.3.3), such as `"([BI)Z"`.
///
/// # Safety
///
/// `jive` is of `jive_load`; the texts end with a zero; `method` leads to a `JiveMethod`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_method(
    jive: *const Jive,
    name: *const c_char,
    descriptor: *const c_char,
    method: *mut JiveMethod,
) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe {
        Jive::with(jive, |loaded| {
            let (name, descriptor) = (given::text(name)?, given::text(descriptor)?);
            let mut methods = loaded.class.class.methods();
            let found = methods.find(|method| {
                let is_meant = method.name == name && method.descriptor == descriptor;
                is_meant && !name.starts_with('<') && method.code().is_some()
            });
            let number = found.ok_or(JiveStatus::NotFound)?.id.0.into();
            given::put(method, JiveMethod { number })
        })
    })
}

/// Looks up a field by its name and its descriptor (JVMS 4.3.2), such as `"I"` or `"[B"`.
///
/// # Safety
///
/// `jive` is of `jive_load`; the texts end with a zero; `field` leads to a `JiveField`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_field(
    jive: *const Jive,
    name: *const c_char,
    descriptor: *const c_char,
    field: *mut JiveField,
) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe {
        Jive::with(jive, |loaded| {
            let (name, descriptor) = (given::text(name)?, given::text(descriptor)?);
            let mut fields = loaded.class.class.fields();
            let found = fields.find(|field| field.name == name && field.descriptor == descriptor);
            let number = found.ok_or(JiveStatus::NotFound)?.id.0.into();
            given::put(field, JiveField { number })
        })
    })
}

/// Gives the value of a field. The value of an array field is the array's number, or 0 for null.
///
/// # Safety
///
/// `jive` is of `jive_load`; `value` leads to an `int32_t`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_get(
    jive: *const Jive,
    field: JiveField,
    value: *mut i32,
) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe {
        Jive::with(jive, |loaded| {
            let fields = loaded.instance.fields();
            let found = fields.get(field.id()?.index()).copied();
            given::put(value, found.ok_or(JiveStatus::Argument)?)
        })
    })
}

/// Sets a field: to a number that its type has, or to an array of the instance or 0.
///
/// # Safety
///
/// `jive` is of `jive_load`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_set(jive: *mut Jive, field: JiveField, value: i32) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe {
        Jive::with(jive, |loaded| {
            let id = field.id()?;
            let field = loaded.class.class.field(id).ok_or(JiveStatus::Argument)?;
            let kind = parse_field(field.descriptor.as_bytes());
            if !kind.is_ok_and(|kind| loaded.fits(kind, value)) {
                return Err(JiveStatus::Argument);
            }
            loaded.instance.set_field(id, value);
            Ok(())
        })
    })
}

/// Returns the name of the trap that ended the last call, as in `"ArithmeticException"`; empty if there was none.
///
/// # Safety
///
/// `jive` is of `jive_load`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_trap_name(jive: *const Jive) -> JiveText {
    // SAFETY: The caller promises it.
    let trap = unsafe { Jive::with(jive, |loaded| Ok(loaded.trap)) };
    let trap = trap.ok().flatten();
    JiveText::of(trap.map_or("", |trap| trap.kind.name()))
}

/// Says where the last call trapped. Answers `JIVE_STATUS_NOT_FOUND` if it did not.
///
/// # Safety
///
/// `jive` is of `jive_load`; `place` leads to a `JivePlace`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jive_trap_at(jive: *const Jive, place: *mut JivePlace) -> JiveStatus {
    // SAFETY: The caller promises it.
    status(unsafe { Jive::with(jive, |loaded| given::put(place, trapped(loaded)?)) })
}

fn trapped(loaded: &Loaded) -> Result<JivePlace, JiveStatus> {
    let trap = loaded.trap.ok_or(JiveStatus::NotFound)?;
    let method = loaded.class.class.method(trap.method);
    let name = method.map_or(&[][..], |method| method.name.as_bytes());
    Ok(JivePlace {
        method: JiveText::of_bytes(name),
        pc: trap.pc.0,
        line: loaded.class.line(trap.method, trap.pc).unwrap_or(0),
    })
}
