//! A class with long methods for measuring loading: loops over arithmetic, as a compiler writes them.

use std::fmt::Write;

use jive_lab::asm;

/// Maximum number of loops of a method, whose code is then slightly below the limit of 64 KiB.
pub const LOOPS_MAX: u32 = 3_000;

/// Returns a class file with `methods` methods of `loops` loops each. [`LOOPS_MAX`] loops make almost 64 KiB of code.
///
/// # Panics
///
/// Panics if the assembler rejects the source.
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
