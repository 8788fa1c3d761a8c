//! `jive certify`: writes the certificate by which a device checks a class again, and checks one.

use std::path::{Path, PathBuf};

use clap::Args;
use jive_core::ClassFile;
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;
use jive_embed::{
    CERTIFICATE_BYTES_MAX, CertifyError, FoundAt, LoadError, Rejections, certify, check_certified,
    input, verify_class,
};
use jive_verifier::Policy;
use nic_core::sle::{NicEntry, NicNative};

use super::class_file;
use super::console::{Console, Failure, Status};
use super::output_file::{OutputFile, unwritable};
use super::overwrite;

const AFTER_HELP: &str = "\
Examples:
  jive certify Filter.class -o Filter.cert       verifies, and writes what a device needs to check again
  jive certify Filter.class --check Filter.cert  checks as a device does

Exit status:
  0  done
  1  the class was rejected, or the certificate does not fit it
  2  wrong usage, or a file that cannot be read or written";

/// Verifies a class file and writes a certificate, by which a device checks the class without inferring its types.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The class file, or `builtin:NAME`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the certificate to this file
    #[arg(short, long, value_name = "FILE", required_unless_present = "check")]
    out: Option<PathBuf>,

    /// Check the class against this certificate, as a device does, and write nothing
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    check: Option<PathBuf>,

    /// Judge the class alone, without the members that every applet has
    #[arg(long)]
    class_only: bool,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    match arguments.certified() {
        Ok(said) => {
            console.written(&said)?;
            Ok(Status::Done)
        }
        Err((status, report)) => {
            console.notice(&report)?;
            Ok(status)
        }
    }
}

/// The exit status and the message of a command that failed.
type Refused = (Status, String);

fn unusable(title: &str) -> Refused {
    (Status::Unusable, sentence(title, &[]))
}

impl Arguments {
    fn certified(&self) -> Result<String, Refused> {
        let shown = printable_path(&self.file);
        let bytes = class_file::read(&self.file)
            .map_err(|error| unusable(&format!("cannot read {shown}: {error}")))?;
        let mut index = vec![0; ClassFile::index_len(&bytes)];
        let class = ClassFile::parse(&bytes, &mut index)
            .map_err(|error| self.rejected(&bytes, error.into()))?;
        match (&self.check, &self.out) {
            (Some(certificate), _) => self.checked(&bytes, class, certificate),
            (None, Some(out)) => {
                let certificate = certify(class, self.policy(), NicNative::TABLE);
                let certificate = certificate.map_err(|error| match error {
                    CertifyError::Rejected(error) => self.rejected(&bytes, error.into()),
                    error => (
                        Status::Rejected,
                        sentence(&format!("{shown}: {error}"), &[]),
                    ),
                })?;
                let refused = |report| (Status::Unusable, report);
                overwrite::check(&[out], &[&self.file]).map_err(refused)?;
                write(out, &certificate).map_err(|error| refused(unwritable(out, &error)))?;
                let (length, out) = (certificate.len(), printable_path(out));
                Ok(format!("wrote {out}: {length} bytes"))
            }
            (None, None) => Err(unusable("expected `--out` or `--check`")),
        }
    }

    fn policy(&self) -> Policy {
        if self.class_only {
            Policy::ClassOnly
        } else {
            Policy::Applet {
                entries: NicEntry::TABLE,
            }
        }
    }

    /// Checks the class against a certificate.
    fn checked(
        &self,
        class_file: &[u8],
        class: ClassFile<'_>,
        certificate: &Path,
    ) -> Result<String, Refused> {
        let (shown, from) = (printable_path(&self.file), printable_path(certificate));
        let limit = u64::try_from(CERTIFICATE_BYTES_MAX).unwrap_or(u64::MAX);
        let bytes = input::read_given(certificate, limit)
            .map_err(|error| unusable(&format!("cannot read {from}: {error}")))?;
        match check_certified(class, self.policy(), NicNative::TABLE, &bytes) {
            Ok(_) => Ok(format!("ok: {shown} with {from}")),
            // The check says only where it refuses a class. The verifier knows whether the class itself is at fault.
            Err(misfit) => match verify_class(class, self.policy(), NicNative::TABLE, &mut ()) {
                Err(error) => Err(self.rejected(class_file, error.into())),
                Ok(_) => Err((
                    Status::Rejected,
                    sentence(&format!("{shown} with {from}: {misfit}"), &[]),
                )),
            },
        }
    }

    /// Explains why the class was rejected.
    fn rejected(&self, bytes: &[u8], error: LoadError) -> Refused {
        let found = FoundAt::from(self.file.as_path());
        let natives = NicNative::TABLE;
        let rejections = Rejections::explore(found, bytes, self.policy(), natives, error);
        (Status::Rejected, rejections.render())
    }
}

fn write(path: &Path, certificate: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = OutputFile::named(path)?;
    file.write_all(certificate)?;
    file.place()
}
