//! A class file assembler, and a disassembler: converts a short readable text to a class file and back.
//!
//! The assembler writes class files that no Java compiler emits, including malformed ones. So the assembler checks
//! nothing except that a value fits its field. Mnemonics and the syntax of operands come from the opcode table.
//!
//! ```text
//! ; expect: unsafe/stack-underflow at pc 1
//! .method static run()I stack 2 locals 0
//!     iconst_1
//!     iadd
//!     ireturn
//! ```
//!
//! `docs/assembly.md` describes the syntax.

mod code;
mod emit;
mod error;
mod line;
mod model;
mod operand;
mod parse;
mod pool;
mod print;

pub use error::{AsmError, AsmErrorKind};
pub(crate) use parse::opcode_named;
pub use print::disassemble;

/// Maximum number of bytes of source that all `.repeat` directives write together. Chosen: repeating a method's 65,535
/// instructions writes a tenth of this number of bytes.
const REPEATED_BYTES_MAX: usize = 32 << 20;

/// Maximum number of raw bytes of a source, repetitions included. Chosen: the longest class file that JIVE reads has 1
/// MiB.
const RAW_BYTES_MAX: usize = 16 << 20;

/// Every directive, for suggestions.
pub const DIRECTIVES: [&str; 19] = [
    ".class",
    ".version",
    ".super",
    ".implements",
    ".source",
    ".constant",
    ".omit",
    ".field",
    ".method",
    ".line",
    ".catch",
    ".bytes",
    ".attribute",
    ".code_attribute",
    ".set",
    ".truncate",
    ".trailing",
    ".repeat",
    ".end",
];

/// An assembled class file, and a fact about its source that tests use.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The class file.
    pub bytes: Vec<u8>,
    /// Name of the first method that the source declares.
    pub first_method: Option<String>,
}

/// Assembles a source. The argument `file` is the source's name for error messages.
pub fn assemble(file: &str, source: &str) -> Result<Assembled, AsmError> {
    let named = |(line, kind)| AsmError {
        file: file.to_owned(),
        line,
        kind,
    };
    let source = parse::parse(source).map_err(named)?;
    Ok(Assembled {
        bytes: emit::emit(&source.class).map_err(named)?,
        first_method: source.first_method,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes of the code array of a source's only method, which follow its `code_length`.
    fn code(lines: &str, length: usize) -> Vec<u8> {
        let source = format!(".omit all\n.method static run()V stack 9 locals 9\n{lines}\n");
        let bytes = assemble("code", &source)
            .expect("the source is well formed")
            .bytes;
        let end = bytes.len() - 6;
        let start = end - length;
        assert_eq!(
            bytes[start - 4..start],
            u32::try_from(length).unwrap().to_be_bytes()
        );
        bytes[start..end].to_vec()
    }

    fn error(source: &str) -> String {
        assemble("x.jasm", source)
            .expect_err("the source is wrong")
            .to_string()
    }

    #[test]
    fn smallest_class_has_the_bytes_of_jvms_4_1() {
        let class = assemble("class", ".omit all\n.class public A\n.super none\n").unwrap();
        let expected = [
            &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49, 0, 3][..],
            &[1, 0, 1, b'A', 7, 0, 1],
            &[0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
        .concat();
        assert_eq!(class.bytes, expected);
        assert_eq!(class.first_method, None);
    }

    #[test]
    fn operands_take_the_bytes_of_their_layout() {
        // JVMS §6.5 defines the expected byte values.
        assert_eq!(code("bipush -2", 2), [0x10, 0xfe]);
        assert_eq!(code("sipush -2", 3), [0x11, 0xff, 0xfe]);
        assert_eq!(code("iload 200", 2), [0x15, 200]);
        assert_eq!(code("wide iload 300", 4), [0xc4, 0x15, 1, 44]);
        assert_eq!(code("wide iinc 1 -1", 6), [0xc4, 0x84, 0, 1, 0xff, 0xff]);
        assert_eq!(code("newarray byte", 2), [0xbc, 8]);
        assert_eq!(code("ldc #3", 2), [0x12, 3]);
        assert_eq!(code("invokeinterface #7 2", 5), [0xb9, 0, 7, 2, 0]);
        assert_eq!(code("invokedynamic #7", 5), [0xba, 0, 7, 0, 0]);
        assert_eq!(code("multianewarray #7 2", 4), [0xc5, 0, 7, 2]);
        assert_eq!(code(".bytes de ad 00*2", 4), [0xde, 0xad, 0, 0]);
    }

    #[test]
    fn branches_count_from_their_own_instruction() {
        assert_eq!(code("nop\na: goto a", 4), [0, 0xa7, 0, 0]);
        assert_eq!(code("goto b\nnop\nb: return", 5), [0xa7, 0, 4, 0, 0xb1]);
        assert_eq!(code("nop\ngoto_w @0", 6), [0, 0xc8, 0xff, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn switches_are_padded_to_a_multiple_of_four() {
        let table = code("nop\na: tableswitch -1: a a default: a", 24);
        let expected = [
            &[0, 0xaa, 0, 0][..],
            &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
            &[0; 8],
        ]
        .concat();
        assert_eq!(table, expected);
        let lookup = code("a: lookupswitch 7: a default: a", 20);
        let expected = [
            &[0xab, 0, 0, 0][..],
            &[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0],
        ]
        .concat();
        assert_eq!(lookup, expected);
    }

    #[test]
    fn only_listed_directives_are_known() {
        for directive in DIRECTIVES {
            if let Err(error) = assemble("x.jasm", directive) {
                let said = error.to_string();
                assert!(!said.contains("unknown directive"), "{said}");
            }
        }
        assert_eq!(error(".clas A"), "x.jasm:1: unknown directive `.clas`");
    }

    #[test]
    fn no_source_takes_all_memory_or_overflows() {
        let method = ".method static run()V stack 0 locals 0\n";
        for (line, expected) in [
            (".trailing 00*99999999999999999999", "expected bytes in hex"),
            (".trailing 00*18446744073709551615", "expected repetitions"),
            (
                ".trailing 0000*18446744073709551615",
                "expected repetitions",
            ),
            (".repeat 4294967295\nnop\n.end", "expected repetitions"),
            (".truncate -1", "expected a count of bytes"),
            ("goto @-9223372036854775808", "branch offset"),
            ("bipush --5", "expected a number"),
            (
                "bipush -170141183460469231731687303715884105728",
                "expected a number",
            ),
            (
                "ldc methodhandle 6 methodhandle 6 a()V",
                "expected a field, a method or an index",
            ),
        ] {
            let said = error(&format!("{method}{line}"));
            assert!(said.contains(expected), "{line}: {said}");
        }
        // Repeating no lines takes no time.
        let nothing = format!("{method}.repeat 4294967295\n.end\nreturn");
        assert_eq!(
            assemble("nothing", &nothing)
                .unwrap()
                .first_method
                .as_deref(),
            Some("run")
        );
    }

    #[test]
    fn errors_name_file_and_line() {
        let method = ".method static run()V stack 0 locals 0\n";
        assert_eq!(
            error(&format!("{method}frob")),
            "x.jasm:2: unknown mnemonic `frob`"
        );
        assert_eq!(
            error(&format!("{method}\ngoto nowhere")),
            "x.jasm:3: unknown label `nowhere`"
        );
        assert_eq!(
            error(&format!("{method}bipush 128")),
            "x.jasm:2: operand 128 does not fit 1 bytes"
        );
        assert_eq!(
            error(".set magick 0"),
            "x.jasm:1: no item `magick` is written here"
        );
        assert_eq!(
            error("nop"),
            "x.jasm:1: an instruction stands outside a method with `stack` and `locals`"
        );
        assert_eq!(
            error("\n.repeat 3\nnop"),
            "x.jasm:2: `.repeat` and `.end` do not pair up"
        );
    }
}
