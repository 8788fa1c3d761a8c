//! Names of local variables, from the `LocalVariableTable` (JVMS §4.7.13).

use jive_core::{Code, ConstantPool, CpIndex, Cut, Pc};

/// Length of a row in a `LocalVariableTable`, in bytes: start, length, name, descriptor, index.
const ROW_BYTES: usize = 10;

/// Returns the name of a local variable at an instruction, [truncated](Cut) and safe for display on a terminal. Returns
/// `None` if the class file does not name the local variable at that instruction.
#[must_use]
pub fn variable_name(
    pool: ConstantPool<'_>,
    code: &Code<'_>,
    pc: Pc,
    local: u16,
) -> Option<String> {
    let table = code.attributes().find("LocalVariableTable")?.bytes;
    let (_, rows) = table.split_first_chunk::<2>()?;
    rows.as_chunks::<ROW_BYTES>()
        .0
        .iter()
        .map(|&[s0, s1, l0, l1, n0, n1, _, _, i0, i1]| {
            [[s0, s1], [l0, l1], [n0, n1], [i0, i1]].map(u16::from_be_bytes)
        })
        .find(|[start, length, _, index]| {
            let scope = u32::from(*start)..u32::from(*start) + u32::from(*length);
            *index == local && scope.contains(&u32::from(pc.0))
        })
        .and_then(|[_, _, name, _]| pool.utf8(CpIndex(name)).ok())
        .map(|name| Cut(name).to_string())
}
