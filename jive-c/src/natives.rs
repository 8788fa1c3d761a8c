//! Natives that a C program offers, as rows.

use core::ffi::{c_char, c_void};

use jive_core::{
    ElementType, FieldType, Heap, MethodDescriptor, NativeDecl, NativeId, NativeParameter,
    NativeType, Natives, TrapKind,
};

use crate::lent::{Lent, written};
use crate::{JiveStatus, given};

/// The heap of an instance, during the call of a native.
#[derive(Debug)]
pub struct JiveHeap {
    _opaque: [u8; 0],
}

/// A native: a method of the class that the C program performs.
///
/// `jive_load` keeps the pointer to the rows: they stay where they are as long as the class is used.
#[derive(Copy, Clone, Debug)]
#[repr(C)]
pub struct JiveNative {
    /// Internal name of the class whose static method the native is, such as `"board/Led"`.
    pub class_name: *const c_char,
    /// Name of the method.
    pub name: *const c_char,
    /// Descriptor of the method (JVMS 4.3.3), such as `"([BI)V"`. A native takes and returns `int` and arrays of
    /// `boolean`, `byte`, `short` and `int`.
    pub descriptor: *const c_char,
    /// Performs the native. An array among the arguments is a number for `jive_heap_bytes`, or 0 for null. A native that
    /// is not void writes its result. A native that returns false traps with `ProtectionFault`. It must not call
    /// functions for the instance that called it, which answer `JIVE_STATUS_BUSY`.
    pub callback: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            heap: *mut JiveHeap,
            arguments: *const i32,
            argument_count: usize,
            result: *mut i32,
        ) -> bool,
    >,
    /// What the callback gets as its first argument.
    pub context: *mut c_void,
}

/// A row with its pointers as references.
#[derive(Copy, Clone)]
struct Row<'n> {
    class: &'n str,
    name: &'n str,
    descriptor: MethodDescriptor<'n>,
}

impl<'n> Row<'n> {
    /// # Safety
    ///
    /// The names of the row are null, or lead to texts that nothing changes during `'n`.
    unsafe fn of(native: &JiveNative) -> Result<Row<'n>, JiveStatus> {
        // SAFETY: The caller promises it.
        let text = |pointer| unsafe { given::text::<'n>(pointer) };
        let descriptor = text(native.descriptor)?.as_bytes();
        let descriptor = MethodDescriptor::parse(descriptor).map_err(|_| JiveStatus::Argument)?;
        if native.callback.is_none() {
            return Err(JiveStatus::Argument);
        }
        Ok(Row {
            class: text(native.class_name)?,
            name: text(native.name)?,
            descriptor,
        })
    }
}

/// Returns how many bytes [`declare`] needs at most.
///
/// # Safety
///
/// As for [`declare`].
pub(crate) unsafe fn declared_bytes(natives: &[JiveNative]) -> Result<usize, JiveStatus> {
    let mut bytes = align_of::<NativeDecl<'_>>().saturating_mul(2);
    for native in natives {
        // SAFETY: The caller promises it.
        let row = unsafe { Row::of(native) }?;
        let parameters = row.descriptor.parameters().count();
        bytes = bytes
            .saturating_add(size_of::<NativeDecl<'_>>())
            .saturating_add(parameters.saturating_mul(size_of::<NativeParameter<'_>>()))
            .saturating_add(align_of::<NativeParameter<'_>>());
    }
    Ok(bytes)
}

/// Makes the table of natives that verifier and linker read, in scratch memory.
///
/// # Safety
///
/// The names of each row are null, or lead to texts that nothing changes during `'n`.
pub(crate) unsafe fn declare<'n>(
    natives: &[JiveNative],
    scratch: &Lent<'n>,
) -> Result<&'n [NativeDecl<'n>], JiveStatus> {
    let rows = scratch.lend_uninit(natives.len());
    let rows = rows.ok_or(JiveStatus::NoMemory)?;
    for (place, native) in rows.iter_mut().zip(natives) {
        // SAFETY: The caller promises it.
        let row = unsafe { Row::<'n>::of(native) }?;
        let parameters = scratch.lend_uninit(row.descriptor.parameters().count());
        let parameters = parameters.ok_or(JiveStatus::NoMemory)?;
        for (place, kind) in parameters.iter_mut().zip(row.descriptor.parameters()) {
            place.write(NativeParameter {
                name: "",
                kind: native_type(kind).ok_or(JiveStatus::Argument)?,
            });
        }
        let result = match row.descriptor.result() {
            None => None,
            Some(kind) => Some(native_type(kind).ok_or(JiveStatus::Argument)?),
        };
        place.write(NativeDecl {
            class: row.class,
            name: row.name,
            // SAFETY: There are as many places as parameters, and each was written above.
            parameters: unsafe { written(parameters) },
            result,
        });
    }
    // SAFETY: There are as many places as natives, and each was written above.
    Ok(unsafe { written(rows) })
}

fn native_type(kind: FieldType<'_>) -> Option<NativeType> {
    match kind {
        FieldType::Int => Some(NativeType::Int),
        FieldType::Array {
            dimensions: 1,
            element,
        } => match element {
            ElementType::Boolean => Some(NativeType::BooleanArray),
            ElementType::Byte => Some(NativeType::ByteArray),
            ElementType::Short => Some(NativeType::ShortArray),
            ElementType::Int => Some(NativeType::IntArray),
            ElementType::Char
            | ElementType::Double
            | ElementType::Float
            | ElementType::Long
            | ElementType::Object(_) => None,
        },
        FieldType::Array { .. }
        | FieldType::Boolean
        | FieldType::Byte
        | FieldType::Char
        | FieldType::Double
        | FieldType::Float
        | FieldType::Long
        | FieldType::Object(_)
        | FieldType::Short => None,
    }
}

/// Performs the natives of an instance by its callbacks.
pub(crate) struct Performing(pub(crate) &'static [JiveNative]);

impl Natives for Performing {
    fn call(
        &mut self,
        id: NativeId,
        arguments: &[i32],
        heap: &mut Heap<'_>,
    ) -> Result<i32, TrapKind> {
        let native = self.0.get(id.index()).ok_or(TrapKind::ProtectionFault)?;
        let callback = native.callback.ok_or(TrapKind::ProtectionFault)?;
        let mut result = 0;
        let heap: *mut Heap<'_> = heap;
        // SAFETY: Whoever loaded the class promises that the callback may be called with the row's context. The heap and
        // the arguments outlive the call. The callback returns before they are used again, and reaches the heap by
        // `jive_heap_bytes` alone.
        let is_performed = unsafe {
            callback(
                native.context,
                heap.cast(),
                arguments.as_ptr(),
                arguments.len(),
                &raw mut result,
            )
        };
        if is_performed {
            Ok(result)
        } else {
            Err(TrapKind::ProtectionFault)
        }
    }
}
