//! `jive test --java`: compares the applets of a scenario with OpenJDK, call by call.
//!
//! The simulation runs as usual. Whenever a call of an applet ends, a Java process repeats it with the same class file,
//! arguments and packet. `applets/model` has the natives in plain Java. JIVE and OpenJDK describe the call in lines:
//! every native with its arguments, its result and its bytes, and the returned value or the trap. At the end of the
//! run, the applets' fields are compared too.
//!
//! Some natives answer with something that the applet does not decide: a buffer, bytes of the user, the time, the
//! immediate data of a message. For `getFreeBuffer`, `doHtoLDMA` and pure natives the model repeats the answers of the
//! simulation. The model itself computes the natives that it does not repeat, and the checks of all natives.

pub(super) mod child;
mod lines;
mod record;

use nic_runtime::Run;
use std::io;
use std::sync::Mutex;

use anstyle::{AnsiColor, Style};
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable;
use nic_runtime::run::SimError;
use nic_runtime::spec::Scenario;

use self::child::{Java, NoAnswer, Settings};
use self::record::{Difference, Left, Repeated, Stop, Uncompared};

const JIVE: Style = AnsiColor::Red.on_default();
const OPENJDK: Style = AnsiColor::Green.on_default();

/// How many lines are shown before the first line that differs.
const CONTEXT_LINES: usize = 5;

/// The longest line that is shown whole, in characters.
const LINE_CHARS_MAX: usize = 120;

/// The Java process for all scenarios, which is replaced after it gave no answer.
pub(super) struct Session {
    settings: Settings,
    java: Mutex<Option<Java>>,
}

/// The result of comparing a scenario.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// All compared calls agree.
    Agrees {
        /// How many calls.
        calls: u64,
        /// Which calls were not compared, as sentences.
        notes: Vec<String>,
    },
    /// JIVE and OpenJDK differ, as the text describes.
    Differs(String),
    /// The comparison failed, as the message describes.
    Failed(String),
}

impl Session {
    /// Starts the Java process.
    ///
    /// # Errors
    ///
    /// Returns the message for the user.
    pub(super) fn start(settings: Settings) -> Result<Session, String> {
        let java = Java::start(settings).map_err(|error| missing(&error))?;
        Ok(Session {
            settings,
            java: Mutex::new(Some(java)),
        })
    }

    /// Runs a scenario and compares its applets.
    ///
    /// # Errors
    ///
    /// Returns an error if the scenario cannot be run.
    pub(super) fn compare(&self, scenario: &Scenario) -> Result<Compared, SimError> {
        // A panic of an earlier comparison may have left an answer unread, so its process is not used again.
        let mut place = match self.java.lock() {
            Ok(place) => place,
            Err(poisoned) => {
                let mut place = poisoned.into_inner();
                *place = None;
                place
            }
        };
        let java = match place.take().map_or_else(|| Java::start(self.settings), Ok) {
            Ok(java) => place.insert(java),
            Err(error) => return Ok(Compared::Failed(missing(&error))),
        };
        let mut repeated = Repeated::new(scenario, java);
        let (_, states) = Run::new(scenario)
            .sink(&mut repeated)
            .keep_states()
            .execute()?
            .end_and_states();
        let stop = match repeated.finish(&states) {
            Ok((calls, uncompared)) => {
                let notes = uncompared.iter().map(note).collect();
                return Ok(Compared::Agrees { calls, notes });
            }
            Err(stop) => stop,
        };
        // Drop the Java process: it still has the endpoints of this scenario, or has not answered.
        *place = None;
        Ok(match stop {
            Stop::Differs(difference) => Compared::Differs(show(&difference)),
            Stop::Refused { endpoint, message } => Compared::Differs(format!(
                "endpoint `{}`: JIVE accepts the class, OpenJDK refuses it: {}\n",
                printable(&endpoint),
                printable(&message)
            )),
            Stop::TooOld { endpoint, message } => {
                let title = format!(
                    "this `java` is too old for the class of endpoint `{}`",
                    printable(&endpoint)
                );
                let help = "compile with `javac --release 8`, or set JAVA_HOME to a newer JDK";
                let notes = [printable(&message), help.to_owned()];
                Compared::Failed(sentence(&title, &notes))
            }
            Stop::Silent { place, why } => silent(&place, why),
        })
    }
}

/// Returns the result for a call without an answer.
fn silent(place: &str, why: NoAnswer) -> Compared {
    let place = printable(place);
    match why {
        NoAnswer::Late(limit) => Compared::Differs(format!(
            "{place}\n  JIVE has ended the call, OpenJDK has not within {} s\n",
            limit.as_secs()
        )),
        NoAnswer::Broken(why) => {
            let title = format!("the Java process gave no answer: {place}");
            let notes = why.lines().map(printable).collect::<Vec<_>>();
            Compared::Failed(sentence(&title, &notes))
        }
    }
}

/// Returns the message that `java` cannot be started, and how to get it.
fn missing(error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return sentence(&format!("cannot start `java`: {error}"), &[]);
    }
    let title = "`jive test --java` needs OpenJDK, and there is no `java`";
    let notes = [
        "install version 8 or newer: `apt install openjdk-17-jre-headless`, `brew install openjdk`, \
         or https://adoptium.net",
        "`java` is looked for in JAVA_HOME if that is set, and else on the path",
    ];
    sentence(title, &notes.map(str::to_owned))
}

/// Returns the sentence on calls that were not compared.
fn note(uncompared: &Uncompared) -> String {
    let Uncompared {
        endpoint,
        after,
        why,
    } = uncompared;
    let why = match why {
        Left::Limit(kind) => {
            format!("its next call ended with {kind}, a limit that OpenJDK does not share")
        }
        Left::Long => "its next call calls more natives than are kept".to_owned(),
        Left::Cut => "the run ended during its next call".to_owned(),
        Left::Unloaded => "an initializer trapped".to_owned(),
        Left::Chained => {
            "it has a chain of applets, and the model has no messages between applets".to_owned()
        }
        Left::Swapped => {
            "then the initializers of a class ran that a swap or a capsule brought".to_owned()
        }
    };
    let endpoint = printable(endpoint);
    match after {
        0 => format!("endpoint `{endpoint}` was not compared: {why}"),
        _ => format!(
            "endpoint `{endpoint}` was compared up to call {after} and without its fields: {why}"
        ),
    }
}

/// Describes a difference: the place, the lines before it, and the first lines that differ.
fn show(difference: &Difference) -> String {
    let Difference {
        place,
        jive,
        openjdk,
    } = difference;
    let both = jive.iter().zip(openjdk);
    let equal = both.take_while(|(jive, openjdk)| jive == openjdk).count();
    let mut text = format!("{}\n", printable(place));
    let first = equal.saturating_sub(CONTEXT_LINES);
    if first > 0 {
        text.push_str(&format!("  ({first} equal lines)\n"));
    }
    for line in &jive[first..equal] {
        text.push_str(&format!("      both: {}\n", cut(line, 0)));
    }
    let (jive, openjdk) = (jive.get(equal), openjdk.get(equal));
    let common = match (jive, openjdk) {
        (Some(jive), Some(openjdk)) => {
            let both = jive.chars().zip(openjdk.chars());
            both.take_while(|(jive, openjdk)| jive == openjdk).count()
        }
        (None, _) | (_, None) => 0,
    };
    for (name, style, line) in [("JIVE", JIVE, jive), ("OpenJDK", OPENJDK, openjdk)] {
        let line = line.map_or("nothing more".to_owned(), |line| cut(line, common));
        text.push_str(&format!("{style}{name:>10}: {line}{style:#}\n"));
    }
    text
}

/// Shortens a line so that its start and the characters around `at` are shown.
fn cut(line: &str, at: usize) -> String {
    let line = printable(line);
    let chars = line.chars().collect::<Vec<_>>();
    if chars.len() <= LINE_CHARS_MAX {
        return line;
    }
    let text = |range: &[char]| range.iter().collect::<String>();
    let half = LINE_CHARS_MAX / 2;
    if at <= half {
        return format!("{}…", text(&chars[..LINE_CHARS_MAX]));
    }
    // The lines differ soon after the part that is left out, so that the difference is shown.
    let from = at.saturating_sub(half / 2).clamp(half, chars.len());
    let to = chars.len().min(from + half);
    let end = if to < chars.len() { "…" } else { "" };
    format!("{}…{}{end}", text(&chars[..half]), text(&chars[from..to]))
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    fn shown(jive: &[&str], openjdk: &[&str]) -> String {
        let own = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
        let difference = Difference {
            place: "endpoint `a`, call 3: doRx(5, 1)".to_owned(),
            jive: own(jive),
            openjdk: own(openjdk),
        };
        strip_str(&show(&difference)).to_string()
    }

    #[test]
    fn first_difference_is_shown_with_lines_before() {
        let text = shown(
            &["a()", "b()", "c()", "d()", "e()", "f()", "returned 3"],
            &["a()", "b()", "c()", "d()", "e()", "f()", "returned 4", "x"],
        );
        let expected = "endpoint `a`, call 3: doRx(5, 1)\n  (1 equal lines)\n\
             \x20     both: b()\n      both: c()\n      both: d()\n      both: e()\n      both: f()\n\
             \x20     JIVE: returned 3\n   OpenJDK: returned 4\n";
        assert_eq!(text, expected);
        let text = shown(&["a()"], &[]);
        assert!(
            text.ends_with("      JIVE: a()\n   OpenJDK: nothing more\n"),
            "{text}"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_difference() {
        let line = |last: &str| format!("txPush: {}{last}{}", "0".repeat(200), "1".repeat(200));
        let text = shown(&[&line("ab")], &[&line("ac")]);
        let start = format!("txPush: {}", "0".repeat(52));
        let rest = format!("…{}a", "0".repeat(29));
        assert!(text.contains(&format!("{start}{rest}b1")), "{text}");
        assert!(text.contains(&format!("{start}{rest}c1")), "{text}");
    }
}
