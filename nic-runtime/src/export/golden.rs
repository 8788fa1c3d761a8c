//! A golden trace: the text trace with the content that the scenario's `[golden]` selects.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::{self, Write};

use nic_core::event::fields::{FieldSink, PayloadMode, Value};
use nic_core::event::line::{Place, TIME_WIDTH};
use nic_core::event::roles::Shown;
use nic_core::event::{Event, Names, Sink};
use nic_core::id::{EndpointId, NicId};
use sha2::{Digest as _, Sha256};

use crate::spec::{Code, GoldenSettings, Times};

/// Longest payload that a golden trace shows in full, in bytes. For a longer payload, a golden trace shows the digest
/// of the payload.
pub const SHOWN_BYTES_MAX: usize = 64;

/// Maximum number of bytes of a trace without times that are kept until the end of the run.
const KEPT_BYTES_MAX: usize = 1 << 26;

/// A sink that writes events as lines of a golden trace. With the default settings the golden trace equals that of
/// [`TextTrace`](super::text::TextTrace) with payloads, but has digests of long payloads and no size of code.
#[derive(Debug)]
pub struct GoldenTrace<W> {
    writer: W,
    settings: GoldenSettings,
    line: String,
    /// The lines that [`Times::None`] keeps, for each endpoint, and for each NIC with events without an endpoint.
    streams: BTreeMap<(NicId, Option<EndpointId>), String>,
    kept: usize,
    failure: Option<io::Error>,
}

impl<W: Write> GoldenTrace<W> {
    /// Starts a trace.
    pub fn new(writer: W, settings: GoldenSettings) -> GoldenTrace<W> {
        GoldenTrace {
            writer,
            settings,
            line: String::new(),
            streams: BTreeMap::new(),
            kept: 0,
            failure: None,
        }
    }

    /// Ends the trace and returns the writer.
    ///
    /// # Errors
    ///
    /// Returns the first error of the writer, after which nothing was written. A trace without times is kept until its
    /// end, and fails with [`io::ErrorKind::FileTooLarge`] beyond 64 MiB.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        for stream in self.streams.values() {
            self.writer.write_all(stream.as_bytes())?;
        }
        Ok(self.writer)
    }

    /// Renders the line of an event into `self.line`.
    fn render(&mut self, names: &dyn Names, event: &Event<'_>) -> fmt::Result {
        self.line.clear();
        if self.settings.times == Times::Exact {
            write!(self.line, "{:>TIME_WIDTH$}  ", event.time)?;
        }
        write!(self.line, "{}", Place::new(names, event))?;
        let payload_mode = match self.settings.payload {
            true => PayloadMode::Shown,
            false => PayloadMode::Omitted,
        };
        let settings = self.settings;
        let line = &mut self.line;
        event.visit(names, payload_mode, &mut Fields { line, settings })?;
        self.line.push('\n');
        Ok(())
    }

    /// Writes the rendered line of an event, or keeps the line until the end of the run.
    fn take_line(&mut self, event: &Event<'_>) -> io::Result<()> {
        match self.settings.times {
            Times::Exact | Times::Order => self.writer.write_all(self.line.as_bytes()),
            Times::None => {
                self.kept += self.line.len();
                if self.kept > KEPT_BYTES_MAX {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                let stream = self.streams.entry((event.nic, event.endpoint));
                stream.or_default().push_str(&self.line);
                Ok(())
            }
        }
    }
}

impl<W: Write> Sink for GoldenTrace<W> {
    fn wants(&self, shown: Shown) -> bool {
        super::is_shown(shown, false)
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let shown = event.kind.roles().shown;
        if self.failure.is_some() || !super::is_shown(shown, false) {
            return;
        }
        let rendered = self.render(names, event).map_err(io::Error::other);
        self.failure = rendered.and_then(|()| self.take_line(event)).err();
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}

/// Writes an event's fields as `key=value`, and omits costs and the size of code if the settings say so.
struct Fields<'l> {
    line: &'l mut String,
    settings: GoldenSettings,
}

impl FieldSink for Fields<'_> {
    type Error = fmt::Error;

    fn field(&mut self, key: &'static str, value: Value<'_>) -> fmt::Result {
        match value {
            Value::Cost(_) if !self.settings.costs => Ok(()),
            Value::CodeSize(_) if self.settings.code == Code::None => Ok(()),
            Value::Payload(payload) if payload.bytes().nth(SHOWN_BYTES_MAX).is_some() => {
                let mut hash = Sha256::new();
                payload.bytes().for_each(|byte| hash.update([byte]));
                write!(self.line, " {key}=sha256:")?;
                let mut digest = hash.finalize().into_iter();
                digest.try_for_each(|byte| write!(self.line, "{byte:02x}"))
            }
            Value::Signed(_)
            | Value::Number(_)
            | Value::Cost(_)
            | Value::CodeSize(_)
            | Value::Flag(_)
            | Value::Name(_)
            | Value::Word(_)
            | Value::Null
            | Value::Arguments(_)
            | Value::Native(_)
            | Value::NativeArguments(_)
            | Value::Offsets(_)
            | Value::Payload(_) => write!(self.line, " {key}={value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::text::TextTrace;
    use crate::scenario::{BUILTIN, builtin, parse};

    use crate::run::Run;
    use crate::spec::Scenario;

    fn scenario(name: &str) -> Scenario {
        let shipped = builtin(name).expect("it is shipped");
        parse(shipped.text.as_bytes(), None, None).expect("a shipped scenario is right")
    }

    fn trace(scenario: &Scenario, settings: GoldenSettings) -> String {
        let mut trace = GoldenTrace::new(Vec::new(), settings);
        Run::new(scenario)
            .sink(&mut trace)
            .execute()
            .expect("a shipped scenario runs");
        let bytes = trace.finish().expect("a vector takes everything");
        String::from_utf8(bytes).expect("a text")
    }

    #[test]
    fn the_default_is_the_text_trace_with_digests_and_without_the_size_of_code() {
        let word = |word: &str| match word.strip_prefix("payload=") {
            Some(digits) if digits.len() > 2 * SHOWN_BYTES_MAX => {
                let digit = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16);
                let bytes = (0..digits.len()).step_by(2).map(digit);
                let bytes = bytes.collect::<Result<Vec<_>, _>>().expect("hexadecimal");
                let hash = Sha256::digest(bytes);
                let digest = hash.iter().map(|byte| format!("{byte:02x}"));
                format!("payload=sha256:{}", digest.collect::<String>())
            }
            Some(_) | None => word.to_owned(),
        };
        let expected = |line: &str| {
            let words = line
                .split(' ')
                .filter(|word| !word.starts_with("code_bytes="));
            words.map(word).collect::<Vec<_>>().join(" ")
        };
        for shipped in BUILTIN {
            let scenario = scenario(shipped.name);
            assert_eq!(scenario.golden, GoldenSettings::default());
            let mut text = TextTrace::new(Vec::new(), PayloadMode::Shown);
            Run::new(&scenario)
                .sink(&mut text)
                .execute()
                .expect("a shipped scenario runs");
            let text = text.finish().expect("a vector takes everything");
            let text = String::from_utf8(text).expect("a text");
            let golden = trace(&scenario, scenario.golden);
            let expected = text.lines().map(expected).collect::<Vec<_>>();
            assert!(golden.lines().eq(&expected), "{}", shipped.name);
        }
    }

    #[test]
    fn long_payloads_are_shown_as_their_digest() {
        let scenario = scenario("pingpong");
        let settings = GoldenSettings {
            payload: true,
            ..GoldenSettings::default()
        };
        let golden = trace(&scenario, settings);
        let of = |length: &str| {
            let mut lines = golden.lines();
            let line = lines.find(|line| line.contains("rx-descriptor") && line.contains(length));
            let (_, payload) = line
                .and_then(|line| line.split_once(" payload="))
                .expect("shown");
            payload.to_owned()
        };
        assert_eq!(of("length=5 ").len(), 2 * 5);
        assert_eq!(of("length=57 ").len(), 2 * 57);
        let digest = of("length=1000 ");
        let digits = digest.strip_prefix("sha256:").expect("a digest");
        assert_eq!(digits.len(), 64);
    }

    #[test]
    fn the_size_of_code_is_shown_where_it_is_asked_for() {
        let scenario = scenario("swap");
        let of = |code| {
            let settings = GoldenSettings {
                code,
                ..GoldenSettings::default()
            };
            trace(&scenario, settings)
        };
        let (exact, none) = (of(Code::Exact), of(Code::None));
        for event in ["load", "applet-swap"] {
            let mut lines = exact
                .lines()
                .filter(|line| line.contains(&format!(" {event} ")));
            assert!(
                lines.all(|line| line.contains(" code_bytes=")),
                "{event}: {exact}"
            );
        }
        assert!(!none.contains("code_bytes"), "{none}");
        let without = |line: &str| {
            let fields = line.split(' ');
            let kept = fields.filter(|field| !field.starts_with("code_bytes="));
            kept.collect::<Vec<_>>().join(" ")
        };
        let stripped = exact.lines().map(without).collect::<Vec<_>>();
        assert_eq!(stripped, none.lines().collect::<Vec<_>>());
    }

    #[test]
    fn without_times_each_endpoints_events_stand_together_in_their_order() {
        let scenario = scenario("pingpong");
        let settings = |times| GoldenSettings {
            times,
            costs: false,
            ..GoldenSettings::default()
        };
        let order = trace(&scenario, settings(Times::Order));
        let none = trace(&scenario, settings(Times::None));
        for cost in ["bytecodes=", "dur_ns=", " us "] {
            assert!(!order.contains(cost), "{cost} in {order}");
        }
        let of = |text: &str, nic: char| {
            let lines = text.lines().filter(|line| line.starts_with(nic));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        let (a, b) = (of(&order, 'a'), of(&order, 'b'));
        assert!(!a.is_empty() && !b.is_empty());
        assert_eq!(none.lines().collect::<Vec<_>>(), [a, b].concat());
        assert_ne!(order, none);
    }
}
