//! JIVE for a web page: one function that takes a request as JSON and answers as JSON.
//!
//! [`ask`] judges class files, assembles and runs scenarios. A request is an object whose member `ask` says what is
//! wanted; the variants of [`Request`] are the requests. An answer is an object with the member `answer`, or with the
//! member `error`, whose text is what the command `jive` would say. Bytes are base64.
//!
//! The same functions serve the command, so a page shows what a terminal shows, to the byte. Nothing is read from files
//! and nothing is sent anywhere: the classes and captures that a scenario names come with the request.
//!
//! In a browser the module `memory` passes requests and answers; everything else is ordinary Rust, and its tests run on
//! any machine.

mod bytes;
mod gallery;
mod judge;
mod keys;
mod memory;
mod run;

use nic_runtime::export::moments::Wanted;
use nic_runtime::export::plain_json;
use serde::{Deserialize, Serialize};

use self::bytes::Bytes;
use self::judge::Sources;
use self::run::{Asked, Form};

/// What a page may ask.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// The shipped applets and scenarios.
    Gallery {},
    /// The keys of scenarios, with their meanings and values.
    Keys {},
    /// The verdict on a class file, and how it reads as assembly.
    Judge {
        /// Name of the file, for messages.
        name: String,
        /// The class file.
        class: Bytes,
        /// Java sources, by their names.
        #[serde(default)]
        sources: Sources,
    },
    /// The class that an assembly text makes, and the verdict on it.
    Assemble {
        /// Name of the text, for messages.
        name: String,
        /// The text.
        text: String,
    },
    /// A class file as text, with the verifier's types before each instruction, as `jive disasm` prints it.
    List {
        /// The class file.
        class: Bytes,
    },
    /// A run of a scenario: its trace, timeline and summary.
    Run {
        /// What is run.
        run: Asked,
    },
    /// The story of one packet of a run, with its bytes.
    Follow {
        /// What is run.
        run: Asked,
        /// Id of the packet.
        packet: u64,
    },
    /// A moment of a run, with the values of the applet's call there.
    Step {
        /// What is run.
        run: Asked,
        /// Which moment.
        wanted: Wanted,
    },
    /// A file of a run.
    File {
        /// What is run.
        run: Asked,
        /// The form of the file.
        form: Form,
    },
}

/// What a request gives.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Reply<A> {
    Answer(A),
    Error(String),
}

/// Answers a request. Text that is no request is answered with an error.
#[must_use]
pub fn ask(request: &[u8]) -> Vec<u8> {
    let request = match serde_json::from_slice(request) {
        Ok(request) => request,
        Err(error) => return json::<()>(&Reply::Error(format!("not a request: {error}"))),
    };
    match request {
        Request::Gallery {} => json(&Reply::Answer(gallery::gallery())),
        Request::Keys {} => json(&Reply::Answer(keys::keys())),
        Request::Judge {
            name,
            class,
            sources,
        } => json(&Reply::Answer(judge::judge(&name, class.0, &sources))),
        Request::Assemble { name, text } => json(&reply(judge::assemble(&name, &text))),
        Request::List { class } => json(&reply(judge::list(&class.0))),
        Request::Run { run: asked } => json(&reply(run::run(&asked))),
        Request::Follow { run: asked, packet } => json(&reply(run::follow(&asked, packet))),
        Request::Step { run: asked, wanted } => json(&reply(run::step(&asked, &wanted))),
        Request::File { run: asked, form } => json(&reply(run::file(&asked, form))),
    }
}

fn reply<A>(answer: Result<A, String>) -> Reply<A> {
    match answer {
        Ok(answer) => Reply::Answer(answer),
        Err(message) => Reply::Error(message),
    }
}

fn json<A: Serialize>(reply: &Reply<A>) -> Vec<u8> {
    let mut text = Vec::new();
    plain_json::to_writer(&mut text, reply).expect("memory can be written");
    text
}
