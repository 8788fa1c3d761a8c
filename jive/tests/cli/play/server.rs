//! A running `jive play`, and requests to it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The files of the page that the server serves.
pub(super) const FILES: [(&str, &str); 4] = [
    ("index.html", "<p>the page"),
    ("page.js", "// the script"),
    ("jive.wasm", "\0asm"),
    ("icon.svg", "<svg/>"),
];

/// A running server. It is killed where a test does not end it.
pub(super) struct Server {
    pub(super) child: Child,
    pub(super) out: BufReader<ChildStdout>,
    /// A folder with the page, the folder for temporary files, and what tests put there.
    pub(super) folder: TempDir,
    pub(super) address: String,
    pub(super) port: u16,
    pub(super) token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test may have ended it.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Server {
    pub(super) fn start() -> Server {
        Server::start_with(folder(), |command| command)
    }

    /// Starts the server in a folder, with more arguments or variables.
    pub(super) fn start_with(
        folder: TempDir,
        more: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jive"));
        command
            .args(["play", "--page", "page", "--quiet"])
            .env("TMPDIR", folder.path().join("temporary"))
            .current_dir(folder.path())
            .stdout(Stdio::piped());
        let mut child = more(&mut command).spawn().expect("it was built");
        let mut out = BufReader::new(child.stdout.take().expect("it was piped"));
        let mut address = String::new();
        out.read_line(&mut address).expect("UTF-8");
        let address = address.trim_end().to_owned();
        let rest = address.strip_prefix("http://127.0.0.1:");
        let (port, token) = rest
            .and_then(|rest| rest.split_once('/'))
            .unwrap_or_else(|| panic!("an address: {address}"));
        let token = token.strip_suffix('/').expect("a folder");
        Server {
            port: port.parse().expect("a number"),
            token: token.to_owned(),
            child,
            out,
            folder,
            address,
        }
    }

    pub(super) fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).expect("it listens")
    }

    /// Returns the response to a request that has these lines, in which `PORT` and `TOKEN` stand for the server's.
    pub(super) fn send(&self, lines: &[&str], body: &[u8]) -> Response {
        let head = format!("{}\r\n\r\n", lines.join("\r\n"));
        let head = head.replace("TOKEN", &self.token);
        let head = head.replace("PORT", &self.port.to_string());
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).expect("it is read");
        // The server may have refused the request before all of it was sent.
        let _refused = stream.write_all(body);
        Response::read(stream)
    }

    pub(super) fn get(&self, path: &str) -> Response {
        let line = format!("GET {path} HTTP/1.1");
        self.send(&[&line, "Host: 127.0.0.1:PORT"], b"")
    }

    /// Returns the response to a source, as the page sends it.
    pub(super) fn compile(&self, source: &str) -> Value {
        let body = json!({ "source": source }).to_string();
        let length = format!("Content-Length: {}", body.len());
        let lines = [
            "POST /TOKEN/compile HTTP/1.1",
            "Host: 127.0.0.1:PORT",
            "Origin: http://127.0.0.1:PORT",
            "Sec-Fetch-Site: same-origin",
            "Content-Type: application/json",
            &length,
        ];
        let response = self.send(&lines, body.as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        serde_json::from_slice(&response.body).expect("JSON")
    }

    /// Asserts that the page is still served.
    #[track_caller]
    pub(super) fn assert_goes_on(&self) {
        let response = self.get("/TOKEN/");
        assert_eq!((response.status, response.text()), (200, FILES[0].1.into()));
    }
}

/// Returns a folder with a page, and a folder for temporary files.
pub(super) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let at = |path: &str| folder.path().join(path);
    fs::create_dir(at("page")).expect("it can be made");
    fs::create_dir(at("temporary")).expect("it can be made");
    for (name, text) in FILES {
        fs::write(at("page").join(name), text).expect("it can be written");
    }
    folder
}

/// Puts a shell script in the place of javac, and returns the folder that `JAVA_HOME` is to name.
pub(super) fn fake_javac(folder: &Path, script: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let home = folder.join("jdk");
    fs::create_dir_all(home.join("bin")).expect("it can be made");
    let javac = home.join("bin/javac");
    fs::write(&javac, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
    fs::set_permissions(&javac, fs::Permissions::from_mode(0o755)).expect("it is ours");
    home
}

#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// Reads a response to the end of the connection.
    pub(super) fn read(mut stream: TcpStream) -> Response {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it is not reset");
        // The server may have closed it first.
        let _closed = stream.shutdown(Shutdown::Both);
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n");
        let end =
            end.unwrap_or_else(|| panic!("a response: {:?}", bytes.escape_ascii().to_string()));
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Response {
            status: status.expect("a status"),
            body: bytes[end + 4..].to_vec(),
            head,
        }
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}
