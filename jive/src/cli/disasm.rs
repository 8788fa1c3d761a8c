//! `jive disasm`: shows a class file's constant pool, members and code, with the verifier's types.

use std::io::Write;
use std::path::PathBuf;

use bumpalo::Bump;
use clap::Args;
use jive_core::ClassFile;
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use jive_embed::{Listing, LoadError, Rejection};
use jive_verifier::Policy;
use nic_core::javia::ViaNative;
use nic_core::sle::NicNative;

use super::class_file;
use super::console::{Console, Failure, Status};

const AFTER_HELP: &str = "\
Behind each instruction that the verifier reached stand the types that local variables and operand
stack hold before it, up to 32 of each, for the first 65536 of these instructions. Of a class that is
rejected they are shown as far as they were inferred, with a mark where it is rejected, and a word where
there are none; the rejection goes to standard error. Names longer than 256 characters are cut, with an
ellipsis in place of the rest.

Examples:
  jive disasm Filter.class
  cat Filter.class | jive disasm -

Exit status:
  0  shown, whether the class verifies or not
  1  not a class file
  2  wrong usage, or a file that cannot be read";

/// Shows a class file's constant pool, members and code, with the verifier's types at each pc.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A class file, or `builtin:NAME`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let file = arguments.file.as_path();
    let bytes = match class_file::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            let title = format!("cannot read {}: {error}", printable_path(file));
            console.notice(&sentence(&title, &[]))?;
            return Ok(Status::Unusable);
        }
    };
    let arena = Bump::new();
    let index = arena.alloc_slice_fill_copy(ClassFile::index_len(&bytes), 0);
    let class = match ClassFile::parse(&bytes, index) {
        Ok(class) => class,
        Err(error) => {
            let error = LoadError::Parse(error);
            let rejection =
                Rejection::explore(file, &bytes, Policy::ClassOnly, NicNative::TABLE, error);
            console.notice(&rejection.render())?;
            return Ok(Status::Rejected);
        }
    };
    let (mut listing, mut verified) = Listing::of(class, Policy::ClassOnly, NicNative::TABLE);
    if verified.is_err() {
        let of_program = Listing::of(class, Policy::ClassOnly, ViaNative::TABLE);
        if of_program.1.is_ok() {
            (listing, verified) = of_program;
        }
    }
    write!(console.out(), "{listing}")?;
    if let Err(error) = verified {
        let rejection = Rejection::explore(
            file,
            &bytes,
            Policy::ClassOnly,
            NicNative::TABLE,
            LoadError::Verify(error),
        );
        console.notice(&rejection.render())?;
    }
    Ok(Status::Done)
}
