//! What a request gets: a file of the page, or a compiled class, and only from the page itself.
//!
//! Other pages in the user's browser can send requests to this machine. Three checks keep them out. `Host` is the
//! address of the server, so a name that an attacker's DNS points to 127.0.0.1 is of no use. `Origin` and
//! `Sec-Fetch-Site`, which pages cannot set, are those of the page. And every path begins with a random token, which
//! also keeps out other users of the machine.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::compile::{Answer, Javac};
use super::http::{Client, Head, NoRequest, Response, Status};
use super::page::Page;

const JSON: &str = "application/json";

/// The bytes of a token before they become text.
const TOKEN_BYTES: usize = 24;

/// The secret part of the page's address.
pub(super) struct Token(String);

impl Token {
    /// Returns a token that nobody can guess.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no random bytes.
    pub(super) fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Token(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Returns whether a text is the token. How long that takes says nothing about where they differ.
    fn is(&self, text: &str) -> bool {
        let pairs = self.0.bytes().zip(text.bytes());
        let differing = pairs.fold(0, |bits, (own, other)| bits | (own ^ other));
        text.len() == self.0.len() && std::hint::black_box(differing) == 0
    }
}

/// What is served.
pub(super) struct Site {
    pub(super) page: Page,
    pub(super) javac: Javac,
    pub(super) token: Token,
    pub(super) port: u16,
}

/// What a request is for.
enum Wanted<'r> {
    File(&'r str),
    About,
    Compile,
}

/// The answer to `GET play.json`, which tells the page that its server compiles Java.
#[derive(Serialize)]
struct About {
    version: &'static str,
}

/// The body of `POST compile`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    source: String,
}

impl Site {
    /// Returns the address of the page.
    pub(super) fn address(&self) -> String {
        format!("{}/{}/", self.origin(), self.token.0)
    }

    fn origin(&self) -> String {
        origin(self.port)
    }

    /// Reads a client's request and answers it. A compilation ends early when the flag is set, or the client has gone.
    pub(super) fn serve(&self, mut client: Client, ending: &AtomicBool) {
        let response = match self.respond(&mut client, ending) {
            Ok(response) | Err(NoRequest::Refused(response)) => response,
            Err(NoRequest::Gone) => return,
        };
        client.answer(&response);
    }

    fn respond(&self, client: &mut Client, ending: &AtomicBool) -> Result<Response<'_>, NoRequest> {
        let head = client.head()?;
        let wanted = self.wanted(&head).map_err(NoRequest::Refused)?;
        match wanted {
            Wanted::File(name) => Ok(self.file(name)),
            Wanted::About => Ok(json(&About {
                version: env!("CARGO_PKG_VERSION"),
            })),
            Wanted::Compile => {
                let body = client.body(&head)?;
                let source: Source = serde_json::from_slice(&body).map_err(|error| {
                    let sentence = format!("this is no source in JSON: {error}");
                    NoRequest::Refused(Response::refusal(Status::BadRequest, &sentence))
                })?;
                let is_unwanted = || ending.load(Ordering::Relaxed) || client.has_gone();
                let answer: Answer = self.javac.compile(&source.source, &is_unwanted);
                Ok(json(&answer))
            }
        }
    }

    /// Returns what a request is for, if it comes from the page.
    fn wanted<'r>(&self, head: &'r Head) -> Result<Wanted<'r>, Response<'static>> {
        self.check_sender(head)?;
        let path = head.target.split('?').next().unwrap_or_default();
        let parts = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        let Some((_, name)) = parts.filter(|(token, _)| self.token.is(token)) else {
            let sentence = "open the whole address that `jive play` has printed";
            return Err(Response::refusal(Status::Forbidden, sentence));
        };
        let (wanted, method) = match name {
            "compile" => (Wanted::Compile, "POST"),
            "play.json" => (Wanted::About, "GET"),
            "" => (Wanted::File("index.html"), "GET"),
            name => (Wanted::File(name), "GET"),
        };
        let is_allowed = head.method == method || head.is_head() && method == "GET";
        if !is_allowed {
            let sentence = format!("the method here is {method}");
            let allow = if method == "GET" { "GET, HEAD" } else { method };
            return Err(Response {
                allow: Some(allow),
                ..Response::refusal(Status::MethodNotAllowed, &sentence)
            });
        }
        // A form of another page can send three types without asking first, and this is none of them.
        let is_json = |field: &str| {
            let named = field.split(';').next().unwrap_or_default();
            named.trim().eq_ignore_ascii_case(JSON)
        };
        if matches!(wanted, Wanted::Compile) && !head.field("content-type")?.is_some_and(is_json) {
            let sentence = format!("the type of the body must be {JSON}");
            return Err(Response::refusal(Status::UnsupportedMediaType, &sentence));
        }
        Ok(wanted)
    }

    /// Refuses requests that were made for another server, or by another page.
    fn check_sender(&self, head: &Head) -> Result<(), Response<'static>> {
        let origin = self.origin();
        let host = origin.trim_start_matches("http://");
        if head.field("host")? != Some(host) {
            let sentence = format!("this server is {host}");
            return Err(Response::refusal(Status::MisdirectedRequest, &sentence));
        }
        let is_own_origin = head.field("origin")?.is_none_or(|given| given == origin);
        // `none` is a user who opens the address.
        let is_own_site = |site| matches!(site, "same-origin" | "none");
        if !is_own_origin || !head.field("sec-fetch-site")?.is_none_or(is_own_site) {
            let sentence = "only the page of `jive play` may ask: open its address in a new tab";
            return Err(Response::refusal(Status::Forbidden, sentence));
        }
        Ok(())
    }

    fn file(&self, name: &str) -> Response<'_> {
        match self.page.file(name) {
            Some((bytes, content_type)) => Response {
                status: Status::Ok,
                content_type,
                body: Cow::Borrowed(bytes),
                allow: None,
            },
            None => Response::refusal(Status::NotFound, "the page has no such file"),
        }
    }
}

/// Returns the origin of a page at a port, as browsers write it: without the port that HTTP has anyway.
fn origin(port: u16) -> String {
    match port {
        80 => "http://127.0.0.1".to_owned(),
        port => format!("http://127.0.0.1:{port}"),
    }
}

fn json(value: &impl Serialize) -> Response<'static> {
    match serde_json::to_vec(value) {
        Ok(body) => Response {
            status: Status::Ok,
            content_type: JSON,
            body: Cow::Owned(body),
            allow: None,
        },
        // Texts, numbers and lists always become JSON.
        Err(error) => Response::refusal(Status::ServiceUnavailable, &error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_what_browsers_send() {
        assert_eq!(origin(80), "http://127.0.0.1");
        assert_eq!(origin(443), "http://127.0.0.1:443");
        assert_eq!(origin(8080), "http://127.0.0.1:8080");
    }
}
