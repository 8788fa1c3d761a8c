//! HTTP/1.1 as the page needs it: one request for each connection, with bounds on its bytes and its time.
//!
//! RFC 9112 leaves a server the choice to refuse: lengths that are given twice, transfer codings, and targets that are
//! no path are errors here.

use std::borrow::Cow;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// The most bytes of a request's line and fields.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// The most fields of a request.
const FIELDS_MAX: usize = 64;

/// The most bytes of a request's body.
pub(super) const BODY_BYTES_MAX: usize = 512 << 10;

/// The time in which a client must have sent its request.
const READ_TIME: Duration = Duration::from_secs(5);

/// The time in which a client must have taken its response.
const WRITE_TIME: Duration = Duration::from_secs(10);

/// How long what a client still sends is read after the response.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// What every response says: it is for this page alone, it is not kept, and no other page may frame it.
const ALWAYS: &str = "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: frame-ancestors 'none'\r\n";

/// A status of RFC 9110.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    LengthRequired,
    ContentTooLarge,
    UnsupportedMediaType,
    MisdirectedRequest,
    FieldsTooLarge,
    NotImplemented,
    ServiceUnavailable,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Status::Ok => "200 OK",
            Status::BadRequest => "400 Bad Request",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::MethodNotAllowed => "405 Method Not Allowed",
            Status::RequestTimeout => "408 Request Timeout",
            Status::LengthRequired => "411 Length Required",
            Status::ContentTooLarge => "413 Content Too Large",
            Status::UnsupportedMediaType => "415 Unsupported Media Type",
            Status::MisdirectedRequest => "421 Misdirected Request",
            Status::FieldsTooLarge => "431 Request Header Fields Too Large",
            Status::NotImplemented => "501 Not Implemented",
            Status::ServiceUnavailable => "503 Service Unavailable",
        }
    }
}

/// A response, whose body may be a file of the page.
pub(super) struct Response<'b> {
    pub(super) status: Status,
    pub(super) content_type: &'static str,
    pub(super) body: Cow<'b, [u8]>,
    /// The methods of the place, where the request had another one.
    pub(super) allow: Option<&'static str>,
}

impl Response<'static> {
    /// Returns a response that refuses, with a sentence for people.
    pub(super) fn refusal(status: Status, sentence: &str) -> Response<'static> {
        Response {
            status,
            content_type: "text/plain; charset=utf-8",
            body: Cow::Owned(format!("{sentence}\n").into_bytes()),
            allow: None,
        }
    }
}

impl Response<'_> {
    /// Writes the response, as far as the client takes it within its time. The answer to HEAD has no body.
    fn write(&self, stream: &mut TcpStream, has_body: bool) {
        let allow = self.allow.map(|method| format!("Allow: {method}\r\n"));
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}{ALWAYS}\r\n",
            self.status.line(),
            self.content_type,
            self.body.len(),
            allow.unwrap_or_default(),
        );
        let end = Instant::now() + WRITE_TIME;
        let body = if has_body { &*self.body } else { &[] };
        for mut rest in [head.as_bytes(), body] {
            while !rest.is_empty() {
                let Some(left) = left(end) else { return };
                let is_limited = stream.set_write_timeout(Some(left)).is_ok();
                match stream.write(rest) {
                    Ok(written @ 1..) if is_limited => rest = &rest[written..],
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    // The client has gone, or takes too long.
                    Ok(_) | Err(_) => return,
                }
            }
        }
    }
}

/// Why there is no request.
pub(super) enum NoRequest {
    /// The client has gone, or has sent nothing. No response is due.
    Gone,
    /// The request is refused.
    Refused(Response<'static>),
}

impl NoRequest {
    fn new(status: Status, sentence: &str) -> NoRequest {
        NoRequest::Refused(Response::refusal(status, sentence))
    }
}

/// A request without its body.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) method: String,
    /// What the request is for, as it was sent: nothing is decoded.
    pub(super) target: String,
    fields: Vec<(String, Vec<u8>)>,
}

impl Head {
    /// Returns whether the request asks for a response without its body.
    pub(super) fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// Returns the value of a field. The name is in lower case.
    ///
    /// # Errors
    ///
    /// Returns a refusal if the field is given twice or its value has other characters than those of ASCII.
    pub(super) fn field(&self, name: &str) -> Result<Option<&str>, Response<'static>> {
        let mut values = self.fields.iter().filter(|(field, _)| field == name);
        let value = values.next();
        let text = value
            .map(|(_, value)| std::str::from_utf8(value))
            .transpose();
        match (text, values.next()) {
            (Ok(text), None) if text.is_none_or(str::is_ascii) => Ok(text),
            _ => {
                let sentence = format!("`{name}` must be given once, in ASCII");
                Err(Response::refusal(Status::BadRequest, &sentence))
            }
        }
    }

    /// Returns how long the body is.
    fn body_length(&self) -> Result<usize, Response<'static>> {
        if self.field("transfer-encoding")?.is_some() {
            let sentence = "a body must come as it is, with its length";
            return Err(Response::refusal(Status::NotImplemented, sentence));
        }
        let Some(length) = self.field("content-length")? else {
            let sentence = "the length of the body is missing";
            return Err(Response::refusal(Status::LengthRequired, sentence));
        };
        if length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
            let sentence = "the length of the body is no number";
            return Err(Response::refusal(Status::BadRequest, sentence));
        }
        // A number that does not fit is too large as well.
        let length = length.parse().unwrap_or(usize::MAX);
        if length > BODY_BYTES_MAX {
            let sentence = format!("a body may have {BODY_BYTES_MAX} bytes");
            return Err(Response::refusal(Status::ContentTooLarge, &sentence));
        }
        Ok(length)
    }
}

/// A client that sends a request.
pub(super) struct Client {
    stream: TcpStream,
    /// What was read and not used.
    read: Vec<u8>,
    has_begun: bool,
    wants_body: bool,
    end: Instant,
}

impl Client {
    /// Returns the client at the other end of a connection. Its time begins now.
    pub(super) fn new(stream: TcpStream) -> Client {
        Client {
            stream,
            read: Vec::new(),
            has_begun: false,
            wants_body: true,
            end: Instant::now() + READ_TIME,
        }
    }

    /// Reads the line and the fields of the request.
    pub(super) fn head(&mut self) -> Result<Head, NoRequest> {
        loop {
            let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
            let mut request = httparse::Request::new(&mut fields);
            match request.parse(&self.read) {
                Ok(httparse::Status::Complete(length)) => {
                    let head = owned(&request);
                    self.wants_body = !head.is_head();
                    self.read.drain(..length);
                    return Ok(head);
                }
                Ok(httparse::Status::Partial) if self.read.len() < HEAD_BYTES_MAX => {}
                Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
                    let sentence = format!(
                        "a request may have {FIELDS_MAX} fields, and {HEAD_BYTES_MAX} bytes before its body"
                    );
                    return Err(NoRequest::new(Status::FieldsTooLarge, &sentence));
                }
                Err(error) => {
                    let sentence = format!("this is no request of HTTP/1.1: {error}");
                    return Err(NoRequest::new(Status::BadRequest, &sentence));
                }
            }
            self.read_more()?;
        }
    }

    /// Reads the body of the request.
    pub(super) fn body(&mut self, head: &Head) -> Result<Vec<u8>, NoRequest> {
        let length = head.body_length().map_err(NoRequest::Refused)?;
        if head.field("expect").map_err(NoRequest::Refused)?.is_some() {
            // RFC 9110, section 10.1.1: the client waits for leave to send its body. Ignore the error: a client that
            // has gone sends no body either.
            let _gone = self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
        while self.read.len() < length {
            self.read_more()?;
        }
        self.read.truncate(length);
        Ok(std::mem::take(&mut self.read))
    }

    /// Returns whether the client, whose request was read, has closed its side of the connection.
    ///
    /// A client that closes only the direction of its request cannot be told from one that has gone.
    pub(super) fn has_gone(&self) -> bool {
        let peeked = (self.stream.set_nonblocking(true)).and_then(|()| self.stream.peek(&mut [0]));
        let is_blocking = self.stream.set_nonblocking(false).is_ok();
        match peeked {
            Ok(length) => length == 0,
            Err(error) => {
                let is_quiet =
                    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted);
                !(is_quiet && is_blocking)
            }
        }
    }

    /// Answers the client and lets it go.
    pub(super) fn answer(mut self, response: &Response<'_>) {
        response.write(&mut self.stream, self.wants_body);
        // The system resets a connection that is closed before everything was read, and the client may then lose the
        // response. So read on for a while.
        let is_open = self.stream.shutdown(Shutdown::Write).is_ok();
        self.end = Instant::now() + DRAIN_TIME;
        while is_open && self.read_more().is_ok() {
            self.read.clear();
        }
    }

    fn read_more(&mut self) -> Result<(), NoRequest> {
        let mut part = [0; 16 << 10];
        // Browsers open connections ahead, which may never bring a request.
        let late = match self.has_begun {
            true => NoRequest::new(Status::RequestTimeout, "the request took too long"),
            false => NoRequest::Gone,
        };
        let Some(left) = left(self.end) else {
            return Err(late);
        };
        if self.stream.set_read_timeout(Some(left)).is_err() {
            return Err(NoRequest::Gone);
        }
        match self.stream.read(&mut part) {
            Ok(0) if !self.has_begun => Err(NoRequest::Gone),
            Ok(0) => Err(NoRequest::new(
                Status::BadRequest,
                "the request is not complete",
            )),
            Ok(length) => {
                self.has_begun = true;
                self.read.extend_from_slice(&part[..length]);
                Ok(())
            }
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => Ok(()),
                ErrorKind::WouldBlock | ErrorKind::TimedOut => Err(late),
                _ => Err(NoRequest::Gone),
            },
        }
    }
}

/// Returns the time that is left; `None` if none is.
fn left(end: Instant) -> Option<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}

fn owned(request: &httparse::Request<'_, '_>) -> Head {
    let fields = request.headers.iter();
    Head {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        fields: fields
            .map(|field| (field.name.to_ascii_lowercase(), field.value.to_vec()))
            .collect(),
    }
}
