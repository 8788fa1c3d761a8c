//! `jive explain`: explains the code of a rejection or trap, with an example and its correction.

use std::io::Write;

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::explanations::{self, Index, Page};
use nic_runtime::scenario::closest;

use super::console::{Console, Failure, Status};

const AFTER_HELP: &str = "\
Examples:
  jive explain                        lists every code
  jive explain subset/long
  jive explain FuelExhausted

Exit status:
  0  explained
  2  there is no such code";

/// Explains a code of a rejection or trap; without a code, lists all codes.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The code of a rejection from `jive verify`, or the name of a trap from a trace
    code: Option<String>,

    /// Print all explanations as the page `docs/errors.md`
    #[arg(long, conflicts_with = "code")]
    markdown: bool,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    if arguments.markdown {
        write!(console.out(), "{Page}")?;
        return Ok(Status::Done);
    }
    let Some(code) = arguments.code.as_deref() else {
        write!(console.out(), "{Index}")?;
        return Ok(Status::Done);
    };
    if let Some(explanation) = explanations::find(code) {
        write!(console.out(), "{explanation}")?;
        return Ok(Status::Done);
    }
    let codes = explanations::all().map(|explanation| explanation.code);
    let mut notes = vec!["`jive explain` lists every code".to_owned()];
    notes.extend(closest(code, codes).map(|word| format!("did you mean `{word}`?")));
    console.notice(&sentence(&format!("no code is called {code}"), &notes))?;
    Ok(Status::Unusable)
}
