//! Repeats each call of a run on OpenJDK as soon as it has ended, and compares both.

use std::fmt::Write as _;

use jive_core::{ArrayKind, TrapKind};
use nic_core::event::{Event, EventKind, Names, NativeArg, Sink, SleEvent, Trigger};
use nic_core::id::EndpointId;
use nic_core::sle::{NativeKind, NicNative};
use nic_runtime::run::EndpointState;
use nic_runtime::spec::{EndpointSpec, FieldState, WindowSpec};
use nic_runtime::spec::{FieldValue, Scenario};

use super::child::{Java, NoAnswer};
use super::lines::{self as lines, NativeCall};

/// Maximum number of bytes of a call that are kept until it ends: its packet, its natives and the bytes that they
/// moved.
const CALL_BYTES_MAX: usize = 1 << 26;

/// Why the calls of an endpoint are not compared any longer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// A call ended at a limit that OpenJDK does not have.
    Limit(TrapKind),
    /// One call has more natives than are kept.
    Long,
    /// The run ended during a call.
    Cut,
    /// An initializer trapped.
    Unloaded,
    /// A swap or a capsule brought a class, whose initializers ran.
    Swapped,
    /// The endpoint has a chain of applets, whose messages to each other the model does not have.
    Chained,
}

/// The calls of an endpoint that are not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Uncompared {
    /// The endpoint.
    pub(super) endpoint: String,
    /// How many calls of the endpoint were compared before the first one that was not compared.
    pub(super) after: u64,
    /// Why.
    pub(super) why: Left,
}

/// The first difference of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The place of the difference: the endpoint, with the call or the field.
    pub(super) place: String,
    /// The lines in which JIVE and OpenJDK describe the call or the field.
    pub(super) jive: Vec<String>,
    pub(super) openjdk: Vec<String>,
}

/// Why the comparison of a run ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// A difference.
    Differs(Difference),
    /// OpenJDK refuses the class of an endpoint, with a message.
    Refused { endpoint: String, message: String },
    /// The class of an endpoint needs a newer JDK, as the message says.
    TooOld { endpoint: String, message: String },
    /// OpenJDK gives no answer for the call at a place.
    Silent { place: String, why: NoAnswer },
}

/// The calls of one endpoint.
#[derive(Default)]
struct Track {
    /// Whether the Java process has received the applet's class.
    is_begun: bool,
    /// Whether the applet has been loaded, with all of its initializers.
    is_loaded: bool,
    /// How many calls of the endpoint were compared.
    compared: u64,
    left: Option<Left>,
    call: Option<Call>,
}

/// A call that has not ended.
struct Call {
    method: String,
    args: Vec<i32>,
    /// The input that the Java process receives: the packet, and the natives with their answers.
    packet: String,
    natives: String,
    /// What JIVE did.
    lines: Vec<String>,
    bytes: usize,
    is_initializer: bool,
}

/// A sink that repeats the calls of a run.
pub(super) struct Repeated<'s, 'j> {
    scenario: &'s Scenario,
    java: &'j mut Java,
    tracks: Vec<Track>,
    stop: Option<Stop>,
}

impl<'s, 'j> Repeated<'s, 'j> {
    pub(super) fn new(scenario: &'s Scenario, java: &'j mut Java) -> Repeated<'s, 'j> {
        let tracks = scenario.endpoints.iter().map(|_| Track::default());
        Repeated {
            scenario,
            java,
            tracks: tracks.collect(),
            stop: None,
        }
    }

    /// Compares the fields of all applets at the end of the run. Returns how many calls agree, and which were not
    /// compared.
    ///
    /// # Errors
    ///
    /// Returns why the comparison ended early.
    pub(super) fn finish(
        mut self,
        states: &[EndpointState],
    ) -> Result<(u64, Vec<Uncompared>), Stop> {
        let mut uncompared = Vec::new();
        for (index, state) in states.iter().enumerate() {
            if let Some(stop) = self.stop.take() {
                return Err(stop);
            }
            let track = &mut self.tracks[index];
            if track.call.is_some() {
                track.left = track.left.or(Some(Left::Cut));
            }
            let spec = &self.scenario.endpoints[index];
            match track.left {
                None if track.is_begun => self.compare_fields(index, state)?,
                None => {}
                Some(why) => uncompared.push(Uncompared {
                    endpoint: spec.name.clone(),
                    after: track.compared,
                    why,
                }),
            }
        }
        if let Some(stop) = self.stop {
            return Err(stop);
        }
        // On `end`, the Java process forgets the endpoints of this scenario.
        let forgotten = self.java.ask("end\n".to_owned(), 1);
        forgotten.map_err(|why| Stop::Silent {
            place: "at the end".to_owned(),
            why,
        })?;
        let agreed = self.tracks.iter().map(|track| track.compared).sum();
        Ok((agreed, uncompared))
    }

    fn compare_fields(&mut self, index: usize, state: &EndpointState) -> Result<(), Stop> {
        let spec = &self.scenario.endpoints[index];
        let class = spec
            .class
            .and_then(|class| self.scenario.classes.get(class));
        let (Some(class), Some(applet)) = (class, &state.applet) else {
            return Ok(());
        };
        let fields = lines::fields(&class.bytes, applet);
        let place = |field: &str| format!("endpoint `{}`, field `{field}` at the end", spec.name);
        let found = self.java.ask(format!("fields {index}\n"), fields.len() + 1);
        let found = found.map_err(|why| Stop::Silent {
            place: format!("endpoint `{}`, fields at the end", spec.name),
            why,
        })?;
        for (position, (name, value)) in fields.into_iter().enumerate() {
            let other = found.get(position);
            if other != Some(&value) {
                return Err(Stop::Differs(Difference {
                    place: place(&name),
                    jive: vec![value],
                    openjdk: other.cloned().into_iter().collect(),
                }));
            }
        }
        Ok(())
    }

    /// Handles an event of an applet.
    fn take(
        &mut self,
        names: &dyn Names,
        endpoint: EndpointId,
        event: &SleEvent<'_>,
    ) -> Result<(), Stop> {
        let Some(track) = self.tracks.get_mut(endpoint.0 as usize) else {
            return Ok(());
        };
        if track.left.is_some() {
            return Ok(());
        }
        match *event {
            SleEvent::AppletCall {
                method,
                args,
                packet,
                trigger,
                ..
            } => {
                if self.scenario.endpoints[endpoint.0 as usize].has_chain() {
                    track.left = Some(Left::Chained);
                    return Ok(());
                }
                // A swap or a capsule brings a class other than the endpoint's class in the scenario, if the endpoint
                // has one.
                let class = self.scenario.endpoints[endpoint.0 as usize].class;
                if class.is_none() || (track.is_loaded && trigger == Trigger::Load) {
                    track.left = Some(Left::Swapped);
                    return Ok(());
                }
                let method = names.method(endpoint, method);
                track.call = Some(Call::new(method, args, packet));
                Ok(())
            }
            SleEvent::Native {
                name,
                args,
                result,
                moved,
                ..
            } => {
                let native = NativeCall {
                    name,
                    args,
                    result,
                    moved,
                };
                if let Some(call) = &mut track.call
                    && !call.add(&native)
                {
                    track.left = Some(Left::Long);
                    track.call = None;
                }
                Ok(())
            }
            SleEvent::AppletReturn { value, .. } => self.ended(endpoint, lines::returned(value)),
            SleEvent::Trap {
                kind, method, line, ..
            } => {
                if is_limit(kind) {
                    track.left = Some(Left::Limit(kind));
                    track.call = None;
                    return Ok(());
                }
                let is_initializer = track.call.as_ref().is_some_and(|call| call.is_initializer);
                let line = lines::trapped(kind, names.method(endpoint, method), line);
                self.ended(endpoint, line)?;
                if is_initializer {
                    self.tracks[endpoint.0 as usize].left = Some(Left::Unloaded);
                }
                Ok(())
            }
            SleEvent::Load { .. } => {
                track.is_loaded = true;
                Ok(())
            }
            SleEvent::AppletSwap { .. } => {
                track.left = Some(Left::Swapped);
                Ok(())
            }
            // A capsule that is accepted leads to a swap, which has an event of its own.
            SleEvent::Capsule { .. }
            | SleEvent::SwapRefused { .. }
            | SleEvent::AppletTrace { .. }
            | SleEvent::AppletDetach { .. }
            | SleEvent::AppletAttach { .. }
            | SleEvent::AppletSuspend { .. }
            | SleEvent::AppletResume { .. } => Ok(()),
        }
    }

    /// Repeats on OpenJDK the call that has ended with the line `last`.
    fn ended(&mut self, endpoint: EndpointId, last: String) -> Result<(), Stop> {
        let index = endpoint.0 as usize;
        let spec = &self.scenario.endpoints[index];
        let track = &mut self.tracks[index];
        let Some(mut call) = track.call.take() else {
            return Ok(());
        };
        call.lines.push(last);
        let number = track.compared + 1;
        let args = call.args.iter().map(i32::to_string);
        let args = args.collect::<Vec<_>>();
        let place = format!(
            "endpoint `{}`, call {number}: {}({})",
            spec.name,
            call.method,
            args.join(", ")
        );
        if !track.is_begun {
            let begin = begin(self.scenario, index, spec);
            let answer = self.java.ask(begin, 1);
            let answer = answer.map_err(|why| Stop::Silent {
                place: place.clone(),
                why,
            })?;
            if let Some(message) = answer.into_iter().next() {
                let endpoint = spec.name.clone();
                let is_too_old = message.contains("UnsupportedClassVersionError");
                return Err(match is_too_old {
                    true => Stop::TooOld { endpoint, message },
                    false => Stop::Refused { endpoint, message },
                });
            }
            track.is_begun = true;
        }
        let list = |text: &str| if text.is_empty() { "-" } else { text }.to_owned();
        let command = format!(
            "call {index} {} {} {} {}\n",
            call.method,
            list(&args.join(",")),
            call.packet,
            list(&call.natives)
        );
        // Accept one line more than JIVE has, because this line shows that OpenJDK does more.
        let answer = self.java.ask(command, call.lines.len() + 2);
        let openjdk = match answer {
            Ok(openjdk) => openjdk,
            Err(why) => return Err(Stop::Silent { place, why }),
        };
        if openjdk != call.lines {
            return Err(Stop::Differs(Difference {
                place,
                jive: call.lines,
                openjdk,
            }));
        }
        track.compared = number;
        Ok(())
    }
}

impl Sink for Repeated<'_, '_> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        let (EventKind::Sle(of_applet), Some(endpoint), None) =
            (&event.kind, event.endpoint, &self.stop)
        else {
            return;
        };
        if let Err(stop) = self.take(names, endpoint, of_applet) {
            self.stop = Some(stop);
        }
    }

    /// Ends the run at the first difference.
    fn has_failed(&self) -> bool {
        self.stop.is_some()
    }
}

impl Call {
    fn new(method: &str, args: &[i32], packet: &[u8]) -> Call {
        // Only calls for a packet or a read have bytes of their own, of which there may be none.
        let mut text = "-".to_owned();
        if method == "doRx" || method == "doRead" {
            text.clear();
            text.push('+');
            lines::push_hex(&mut text, packet);
        }
        Call {
            method: method.to_owned(),
            args: args.to_vec(),
            packet: text,
            natives: String::new(),
            lines: Vec::new(),
            bytes: packet.len(),
            is_initializer: method.starts_with('<'),
        }
    }

    /// Adds a native. Returns false if the call is too long to be kept.
    fn add(&mut self, native: &NativeCall<'_>) -> bool {
        let line = native.line();
        self.bytes += line.len() + native.moved.len() + native.name.len();
        if self.bytes > CALL_BYTES_MAX {
            return false;
        }
        let natives = &mut self.natives;
        if !natives.is_empty() {
            natives.push(',');
        }
        natives.push_str(native.name);
        // Append the result only for natives whose answers depend on the host or on time.
        let row = NicNative::ALL
            .iter()
            .find(|row| row.decl().name == native.name);
        match (row.map(|row| row.kind()), native.result) {
            (Some(NativeKind::Fetch), _) => {
                natives.push('=');
                lines::push_hex(natives, native.moved);
            }
            (
                Some(NativeKind::PopBuffer | NativeKind::ArrivalOffset | NativeKind::Pure),
                Some(NativeArg::Int(result)),
            ) => {
                // Writing to a string cannot fail.
                let _infallible = write!(natives, "={result}");
            }
            _ => {}
        }
        self.lines.push(line);
        true
    }
}

/// Returns whether a trap ends a call at a limit of JIVE that OpenJDK does not have, or has at another value.
fn is_limit(kind: TrapKind) -> bool {
    match kind {
        TrapKind::StackOverflowError
        | TrapKind::OutOfMemoryError
        | TrapKind::FuelExhausted
        | TrapKind::TransientEscape
        | TrapKind::BufferState
        | TrapKind::Unverified => true,
        TrapKind::ArithmeticException
        | TrapKind::ArrayIndexOutOfBoundsException
        | TrapKind::NegativeArraySizeException
        | TrapKind::NullPointerException
        | TrapKind::ProtectionFault
        | TrapKind::QuotaExceeded => false,
    }
}

/// Returns the command that loads the applet of an endpoint.
fn begin(scenario: &Scenario, index: usize, spec: &EndpointSpec) -> String {
    let profile = scenario.profile_of(spec.nic);
    let (dma, sends) = profile
        .quota
        .map_or((u32::MAX, u32::MAX), |quota| (quota.dma_bytes, quota.sends));
    let id = EndpointId(u32::try_from(index).unwrap_or(u32::MAX));
    let ends = scenario.channels.iter();
    let ends = ends.flat_map(|channel| [channel.a, channel.b]);
    let own = ends.filter(|(endpoint, _)| *endpoint == id);
    let channels = own.map(|(_, channel)| channel.0.to_string());
    let state = spec.state.iter().map(state);
    let list = |words: Vec<String>| match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(","),
    };
    let mut command = format!(
        "begin {index} {} {} {} {dma} {sends} {} {} {} {} ",
        profile.memory.max_packet,
        spec.buffer_area,
        spec.free_buffer_length,
        list(channels.collect()),
        list(windows(scenario, |window| window.owner == id)),
        list(windows(scenario, |window| window.writer == id)),
        list(state.collect()),
    );
    if let Some(class) = spec.class.and_then(|class| scenario.classes.get(class)) {
        lines::push_hex(&mut command, &class.bytes);
    }
    command.push_str(&format!(" {}", profile.header().unwrap_or(0)));
    command.push('\n');
    command
}

/// Returns the chosen windows, each as its number, its length, and `r` if the writer may read it.
fn windows(scenario: &Scenario, is_chosen: impl Fn(&WindowSpec) -> bool) -> Vec<String> {
    let windows = scenario.windows.iter();
    let chosen = windows.filter(|window| is_chosen(window));
    chosen
        .map(|window| {
            let right = if window.is_readable { ":r" } else { "" };
            format!("{}:{}{right}", window.number, window.length)
        })
        .collect()
}

/// Returns a field of the state: its position in the class file, its descriptor and its value.
fn state(state: &FieldState) -> String {
    let element = match state.kind.element {
        ArrayKind::Boolean => "Z",
        ArrayKind::Byte => "B",
        ArrayKind::Short => "S",
        ArrayKind::Int => "I",
    };
    let array = if state.kind.is_array { "[" } else { "" };
    let value = match &state.value {
        FieldValue::One(value) => value.to_string(),
        FieldValue::Array(values) if values.is_empty() => "-".to_owned(),
        FieldValue::Array(values) => {
            let values = values.iter().map(i32::to_string);
            values.collect::<Vec<_>>().join("_")
        }
    };
    format!("{}:{array}{element}:{value}", state.field.index())
}
