//! What ends: a javac that takes too long, and the server itself.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::server::{Server, fake_javac, folder};

/// A javac that starts a child and never ends. Both hold a named pipe open, whose reader learns when both have ended.
const ENDLESS: &str = "exec > ../../../pipe\nsleep 1000 &\necho started\nwait";

/// Returns a folder with the endless javac and its pipe.
fn with_endless_javac() -> TempDir {
    let folder = folder();
    fake_javac(folder.path(), ENDLESS);
    let made = Command::new("mkfifo")
        .arg(folder.path().join("pipe"))
        .status();
    assert!(made.expect("a tool of every Unix").success());
    folder
}

fn temporary_files(server: &Server) -> usize {
    let temporary = fs::read_dir(server.folder.path().join("temporary"));
    temporary.expect("it is there").count()
}

#[test]
fn javac_is_ended_after_its_time_with_its_children() {
    let folder = with_endless_javac();
    let home = folder.path().join("jdk");
    let server = Server::start_with(folder, |command| {
        command.args(["--timeout", "1"]).env("JAVA_HOME", home)
    });
    thread::scope(|scope| {
        let answer = scope.spawn(|| server.compile("class A {}"));
        let mut pipe = File::open(server.folder.path().join("pipe")).expect("it was made");
        let mut written = String::new();
        pipe.read_to_string(&mut written).expect("UTF-8");
        assert_eq!(written, "started\n");
        let answer = answer.join().expect("it is answered");
        assert_eq!(answer["reason"], "javac was ended after 1 s");
    });
    assert_eq!(temporary_files(&server), 0);
    server.assert_goes_on();
}

/// Sends a source for the endless javac and does not wait for the answer.
fn sent(server: &Server) -> TcpStream {
    let body = "{\"source\":\"\"}";
    let request = format!(
        "POST /{}/compile HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        server.token,
        server.port,
        body.len()
    );
    let mut client = server.connect();
    client.write_all(request.as_bytes()).expect("it is read");
    client
}

#[test]
fn javac_is_ended_when_its_client_has_gone() {
    let folder = with_endless_javac();
    let home = folder.path().join("jdk");
    let server = Server::start_with(folder, |command| {
        command.args(["--timeout", "1000"]).env("JAVA_HOME", home)
    });
    let first = sent(&server);
    let mut pipe = File::open(server.folder.path().join("pipe")).expect("it was made");
    let mut started = [0; 8];
    pipe.read_exact(&mut started).expect("it starts");
    // Those that wait take no place either: there are more of them than clients that are served at the same time.
    let waiting: Vec<_> = (0..31).map(|_| sent(&server)).collect();
    drop((waiting, first));
    pipe.read_to_end(&mut Vec::new()).expect("all are ended");
    let began = Instant::now();
    while temporary_files(&server) > 0 {
        assert!(began.elapsed() < Duration::from_secs(10), "folders stay");
        thread::sleep(Duration::from_millis(20));
    }
    server.assert_goes_on();
}

#[test]
fn a_signal_ends_the_server_and_javac() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let folder = with_endless_javac();
        let home = folder.path().join("jdk");
        let mut server = Server::start_with(folder, |command| {
            command.args(["--timeout", "1000"]).env("JAVA_HOME", home)
        });
        // Two of them are compiled, and the others wait.
        let clients: Vec<_> = (0..8).map(|_| sent(&server)).collect();
        let mut pipe = File::open(server.folder.path().join("pipe")).expect("it was made");
        let mut started = [0; 8];
        pipe.read_exact(&mut started).expect("it starts");
        let id = i32::try_from(server.child.id()).expect("ids are positive");
        kill_process(Pid::from_raw(id).expect("ids are positive"), signal).expect("it runs");
        pipe.read_to_end(&mut Vec::new()).expect("all are ended");
        let status = server.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{signal:?}");
        assert_eq!(temporary_files(&server), 0);
        let mut rest = String::new();
        server.out.read_to_string(&mut rest).expect("UTF-8");
        assert_eq!(rest, "", "the address alone is data: {}", server.address);
        drop(clients);
    }
}
