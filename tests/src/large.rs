//! A class of long methods, to measure loading by: loops over arithmetic, as a compiler would write them.

use std::fmt::Write;

use crate::asm;

/// The most loops of a method; together their code is a little below the limit of 64 KiB.
pub const LOOPS_MAX: u32 = 3_000;

/// Returns a class file of so many methods with so many loops each; [`LOOPS_MAX`] make nearly 64 KiB of code.
///
/// # Panics
/// Where the assembler refuses it.
#[must_use]
pub fn class_file(methods: u32, loops: u32) -> Vec<u8> {
    let mut source = String::new();
    for method in 0..methods {
        // Writing to a string cannot fail.
        let _ = writeln!(source, ".method static run{method}(II)I stack 2 locals 3");
        source.push_str("    iconst_0\n    istore_2\n");
        for number in 0..loops {
            let _ = writeln!(
                source,
                "L{number}:\n    iload_2\n    iload_0\n    ixor\n    istore_2\n    iinc 0 -1\n    \
                 iload_0\n    iload_1\n    iadd\n    iinc 1 3\n    ifgt L{number}"
            );
        }
        source.push_str("    iload_2\n    ireturn\n");
    }
    match asm::assemble("large", &source) {
        Ok(assembled) => assembled.bytes,
        Err(error) => panic!("{error:?}"),
    }
}
