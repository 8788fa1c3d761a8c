//! `jive explain`: explains the code of a rejection or trap, with an example and its correction.

use std::io::Write;

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::explanations::{self, Explanation, Index, Page};
use nic_runtime::scenario::closest;

use super::console::{Console, Failure, Status};

const AFTER_HELP: &str = "\
Examples:
  jive explain                        lists every code
  jive explain subset/long
  jive explain nullpointer            any case, and any part that only one code has
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

/// Maximum number of codes that a message lists.
const MEANT_MAX: usize = 8;

/// Returns the explanations that a word may mean. A code is meant exactly, or by the word after its `/`, or by any part of
/// it; the case of letters matters only for the first.
fn meant(word: &str) -> Vec<&'static Explanation> {
    if let Some(explanation) = explanations::find(word) {
        return vec![explanation];
    }
    let word = word.to_ascii_lowercase();
    if word.is_empty() {
        return Vec::new();
    }
    let matching = |matches: &dyn Fn(&str) -> bool| {
        let all = explanations::all();
        Vec::from_iter(all.filter(|explanation| matches(&explanation.code.to_ascii_lowercase())))
    };
    let whole = matching(&|code| code.rsplit('/').next() == Some(&word));
    match whole.is_empty() {
        true => matching(&|code| code.contains(&word)),
        false => whole,
    }
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
    let meant = meant(code);
    if let [explanation] = meant[..] {
        write!(console.out(), "{explanation}")?;
        return Ok(Status::Done);
    }
    let codes = explanations::all().map(|explanation| explanation.code);
    let mut notes = vec!["`jive explain` lists every code".to_owned()];
    let several = meant.iter().take(MEANT_MAX);
    let several = several.map(|explanation| format!("`{}`", explanation.code));
    let several = several.collect::<Vec<_>>();
    if several.is_empty() {
        notes.extend(closest(code, codes).map(|word| format!("did you mean `{word}`?")));
    } else {
        notes.push(format!("codes with this word are {}", several.join(", ")));
    }
    console.notice(&sentence(&format!("no code is called {code}"), &notes))?;
    Ok(Status::Unusable)
}
