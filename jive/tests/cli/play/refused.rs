//! Requests that get nothing.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::server::{FILES, Response, Server, folder};
use crate::process::jive_in;
use crate::words;

const HOST: &str = "Host: 127.0.0.1:PORT";
const JSON: &str = "Content-Type: application/json";
const COMPILE: &str = "POST /TOKEN/compile HTTP/1.1";

#[test]
fn the_files_of_the_page_are_served_with_their_types() {
    let server = Server::start();
    for (name, text) in FILES {
        let response = server.get(&format!("/TOKEN/{name}?v=1"));
        assert_eq!(
            (response.status, response.text()),
            (200, text.into()),
            "{name}"
        );
    }
    let index = server.get("/TOKEN/");
    for field in [
        "Content-Type: text/html; charset=utf-8",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Content-Security-Policy: frame-ancestors 'none'",
    ] {
        assert!(index.head.contains(field), "{field}: {}", index.head);
    }
    assert!(!index.head.contains("Access-Control"), "{}", index.head);
    let module = server.get("/TOKEN/jive.wasm");
    assert!(
        module.head.contains("Content-Type: application/wasm"),
        "{}",
        module.head
    );
    let head = server.send(&["HEAD /TOKEN/index.html HTTP/1.1", HOST], b"");
    assert_eq!((head.status, head.text()), (200, String::new()));
    let length = format!("Content-Length: {}", FILES[0].1.len());
    assert!(head.head.contains(&length), "{}", head.head);
    let about = server.get("/TOKEN/play.json");
    let version = format!("{{\"version\":\"{}\"}}", env!("CARGO_PKG_VERSION"));
    assert_eq!((about.status, about.text()), (200, version));
}

#[test]
fn requests_from_elsewhere_are_refused() {
    let server = Server::start();
    let get = "GET /TOKEN/ HTTP/1.1";
    for (lines, status) in [
        // Without the token, or with another one.
        (&["GET / HTTP/1.1", HOST][..], 403),
        (&["GET /index.html HTTP/1.1", HOST], 403),
        (&["GET /play.json HTTP/1.1", HOST], 403),
        (&["GET /xTOKEN/ HTTP/1.1", HOST], 403),
        (&["GET /TOKENx/ HTTP/1.1", HOST], 403),
        (&["GET /TOKEN HTTP/1.1", HOST], 403),
        (
            &["POST /compile HTTP/1.1", HOST, JSON, "Content-Length: 0"],
            403,
        ),
        (
            &[
                "POST /compile?TOKEN/ HTTP/1.1",
                HOST,
                JSON,
                "Content-Length: 0",
            ],
            403,
        ),
        // A name that leads here by somebody's DNS.
        (&[get], 421),
        (&[get, "Host: evil.example"], 421),
        (&[get, "Host: evil.example:PORT"], 421),
        (&[get, "Host: localhost:PORT"], 421),
        (&[get, "Host: 127.0.0.1"], 421),
        (&[get, HOST, HOST], 400),
        // Another page.
        (&[get, HOST, "Origin: http://evil.example"], 403),
        (&[get, HOST, "Origin: http://127.0.0.1:1"], 403),
        (&[get, HOST, "Origin: https://127.0.0.1:PORT"], 403),
        (&[get, HOST, "Origin: null"], 403),
        (&[get, HOST, "Sec-Fetch-Site: cross-site"], 403),
        (&[get, HOST, "Sec-Fetch-Site: same-site"], 403),
        (
            &[
                COMPILE,
                HOST,
                JSON,
                "Origin: http://evil.example",
                "Content-Length: 0",
            ],
            403,
        ),
        // And the page itself, and the user.
        (
            &[
                get,
                HOST,
                "Origin: http://127.0.0.1:PORT",
                "Sec-Fetch-Site: same-origin",
            ],
            200,
        ),
        (&[get, HOST, "Sec-Fetch-Site: none"], 200),
    ] {
        let response = server.send(lines, b"");
        assert_eq!(response.status, status, "{lines:?}: {}", response.text());
        assert!(!response.text().contains(&server.token), "{lines:?}");
        assert!(!response.head.contains("Access-Control"), "{lines:?}");
    }
    server.assert_goes_on();
}

#[test]
fn no_file_but_those_of_the_page_is_served() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    fs::write(at("secret"), "secret").expect("it can be written");
    fs::create_dir(at("page/below")).expect("it can be made");
    fs::write(at("page/below/secret"), "secret").expect("it can be written");
    fs::write(at("page/a secret"), "secret").expect("it can be written");
    std::os::unix::fs::symlink(at("secret"), at("page/link")).expect("it can be made");
    std::os::unix::fs::symlink("/", at("page/root")).expect("it can be made");
    let secret = at("secret").display().to_string();
    let server = Server::start_with(folder, |command| command);
    for path in [
        "../secret",
        "..%2fsecret",
        "..%2Fsecret",
        "%2e%2e/secret",
        "%2e%2e%2fsecret",
        "%252e%252e%252fsecret",
        "..%c0%afsecret",
        "..\\secret",
        "..%5csecret",
        "./../secret",
        "below/../../secret",
        "below/secret",
        "below",
        "link",
        "root/etc/passwd",
        "a%20secret",
        "/etc/passwd",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "file:///etc/passwd",
        &secret,
        "index.html/",
        "./index.html",
        "index%2ehtml",
        "index.html%00",
        "",
    ] {
        let response = server.get(&format!("/TOKEN/{path}"));
        let expected = if path.is_empty() { 200 } else { 404 };
        assert_eq!(response.status, expected, "{path}: {}", response.text());
        assert!(!response.text().contains("secret"), "{path}");
    }
    for target in [
        "/../TOKEN/",
        "/../../etc/passwd",
        "//TOKEN/",
        "http://127.0.0.1:PORT/TOKEN/",
        "*",
    ] {
        assert_eq!(server.get(target).status, 403, "{target}");
    }
    // What comes into the folder later is not served either.
    fs::write(server.folder.path().join("page/later"), "secret").expect("it can be written");
    assert_eq!(server.get("/TOKEN/later").status, 404);
    server.assert_goes_on();
}

#[test]
fn what_is_no_proper_request_is_refused() {
    let server = Server::start();
    let many = format!("X: {}", "x".repeat(20_000));
    let fields = vec!["X: x"; 100].join("\r\n");
    for (lines, body, status) in [
        (&["GET /TOKEN/"][..], "", 400),
        (&["\u{7f}\0"], "", 400),
        (&["GET /TOKEN/ HTTP/2.0", HOST], "", 400),
        (&["GET /TOKEN/ HTTP/1.1", HOST, "no field"], "", 400),
        (&["GET /TOKEN/ HTTP/1.1", HOST, &many], "", 431),
        (&["GET /TOKEN/ HTTP/1.1", HOST, &fields], "", 431),
        (&["GET /TOKEN/ HTTP/1.1", "Host: \u{e9}"], "", 400),
        (&["POST /TOKEN/ HTTP/1.1", HOST], "", 405),
        (&["OPTIONS /TOKEN/compile HTTP/1.1", HOST], "", 405),
        (&["GET /TOKEN/compile HTTP/1.1", HOST], "", 405),
        (&["DELETE /TOKEN/index.html HTTP/1.1", HOST], "", 405),
        (
            &[
                COMPILE,
                HOST,
                "Content-Type: Application/JSON; charset=utf-8",
                "Content-Length: 2",
            ],
            "{}",
            400,
        ),
        (&[COMPILE, HOST, "Content-Length: 2"], "{}", 415),
        (
            &[
                COMPILE,
                HOST,
                "Content-Type: text/plain",
                "Content-Length: 2",
            ],
            "{}",
            415,
        ),
        (&[COMPILE, HOST, JSON], "", 411),
        (&[COMPILE, HOST, JSON, "Content-Length: -1"], "", 400),
        (&[COMPILE, HOST, JSON, "Content-Length: +2"], "{}", 400),
        (
            &[
                COMPILE,
                HOST,
                JSON,
                "Content-Length: 2",
                "Content-Length: 2",
            ],
            "{}",
            400,
        ),
        (
            &[
                COMPILE,
                HOST,
                JSON,
                "Content-Length: 99999999999999999999999",
            ],
            "",
            413,
        ),
        (
            &[COMPILE, HOST, JSON, "Transfer-Encoding: chunked"],
            "2\r\n{}\r\n0\r\n\r\n",
            501,
        ),
        (&[COMPILE, HOST, JSON, "Content-Length: 2"], "{}", 400),
        (&[COMPILE, HOST, JSON, "Content-Length: 3"], "[1]", 400),
        (
            &[COMPILE, HOST, JSON, "Content-Length: 8"],
            "\"source\"",
            400,
        ),
        (
            &[COMPILE, HOST, JSON, "Content-Length: 26"],
            "{\"source\":\"\",\"file\":\"/etc\"}",
            400,
        ),
        (
            &[COMPILE, HOST, JSON, "Content-Length: 12"],
            "{\"source\":1}",
            400,
        ),
    ] {
        let response = server.send(lines, body.as_bytes());
        assert_eq!(response.status, status, "{lines:?}: {}", response.text());
        assert!(response.text().ends_with('\n'), "{lines:?}: a sentence");
    }
    let refused = server.send(&["PUT /TOKEN/compile HTTP/1.1", HOST], b"");
    assert!(refused.head.contains("Allow: POST"), "{}", refused.head);
    let refused = server.send(&["HEAD /TOKEN/compile HTTP/1.1", HOST], b"");
    assert_eq!((refused.status, refused.text()), (405, String::new()));
    server.assert_goes_on();
}

/// Sends up to 100 MB after a request's lines, and returns the response and how many bytes were sent.
fn flooded(server: &Server, lines: &[&str]) -> (Response, usize) {
    let head = format!("{}\r\n\r\n", lines.join("\r\n"));
    let head = head.replace("TOKEN", &server.token);
    let head = head.replace("PORT", &server.port.to_string());
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).expect("it is read");
    let part = [b' '; 1 << 16];
    let mut sent = 0;
    while sent < 100_000_000 && stream.write_all(&part).is_ok() {
        sent += part.len();
    }
    (Response::read(stream), sent)
}

#[test]
fn a_body_of_100_mb_is_refused() {
    let server = Server::start();
    let length = "Content-Length: 100000000";
    for (lines, status) in [
        (&[COMPILE, HOST, JSON, length][..], 413),
        (&["POST /compile HTTP/1.1", HOST, JSON, length], 403),
        (&[COMPILE, HOST, JSON, "Origin: null", length], 403),
        (&["GET /TOKEN/nothing HTTP/1.1", HOST, length], 404),
    ] {
        let (response, _) = flooded(&server, lines);
        assert_eq!(response.status, status, "{lines:?}");
    }
    // Spaces are no line: this head has no end.
    let mut stream = server.connect();
    stream
        .write_all(b"GET / HTTP/1.1\r\nX: ")
        .expect("it is read");
    let _refused = stream.write_all(&[b' '; 1 << 20]);
    assert_eq!(Response::read(stream).status, 431);
    // A client that asks first is told before it has sent anything.
    let asked = server.send(&[COMPILE, HOST, JSON, length, "Expect: 100-continue"], b"");
    assert_eq!(asked.status, 413);
    server.assert_goes_on();
}

#[test]
fn half_requests_and_slow_ones_are_refused() {
    let server = Server::start();
    let head = format!("{COMPILE}\r\n{HOST}\r\n{JSON}\r\nContent-Length: 100\r\n\r\n");
    let head = head.replace("TOKEN", &server.token);
    let head = head.replace("PORT", &server.port.to_string());
    for half in [
        "G",
        "GET / HTTP/1.1\r\nHost: ",
        &head,
        &format!("{head}{{\"source\""),
    ] {
        let mut stream = server.connect();
        stream.write_all(half.as_bytes()).expect("it is read");
        stream.shutdown(Shutdown::Write).expect("it is open");
        assert_eq!(Response::read(stream).status, 400, "{half}");
    }
    // Clients that go without a word.
    for _ in 0..20 {
        drop(server.connect());
    }
    // One that says nothing, one that stops in its head, one in its body, and one that sends a byte now and then.
    let began = Instant::now();
    let mut streams = [(); 4].map(|()| server.connect());
    streams[1].write_all(b"GET / HT").expect("it is read");
    streams[2].write_all(head.as_bytes()).expect("it is read");
    let [mut silent, in_head, in_body, mut slow] = streams;
    let slowly = std::thread::spawn(move || {
        slow.set_read_timeout(Some(Duration::from_millis(100)))
            .expect("a time");
        let mut answer = [0; 12];
        for byte in b"GET / HTTP/1.1\r\nX: ".iter().chain([b'x'; 1_000].iter()) {
            slow.write_all(&[*byte]).expect("it is read");
            // The time of this read is the pause.
            if slow.read_exact(&mut answer).is_ok() {
                return answer;
            }
        }
        panic!("there is no answer");
    });
    // Others are served meanwhile.
    server.assert_goes_on();
    assert_eq!(slowly.join().expect("it was answered"), *b"HTTP/1.1 408");
    for stream in [in_head, in_body] {
        assert_eq!(Response::read(stream).status, 408);
    }
    let mut nothing = Vec::new();
    silent.read_to_end(&mut nothing).expect("it is closed");
    assert_eq!(nothing, b"");
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
    server.assert_goes_on();
}

#[test]
fn too_many_clients_are_told_to_come_again() {
    let server = Server::start();
    let mut streams: Vec<TcpStream> = Vec::new();
    for _ in 0..40 {
        let mut stream = server.connect();
        stream.write_all(b"GET / HTTP/1.1\r\n").expect("it is read");
        streams.push(stream);
    }
    // The server accepts clients in their order, and none of the first 32 has sent its whole request.
    for stream in streams.split_off(32) {
        assert_eq!(Response::read(stream).status, 503);
    }
    for mut stream in streams {
        stream.write_all(b"\r\n").expect("it is read");
        assert_eq!(Response::read(stream).status, 421);
    }
    server.assert_goes_on();
}

#[test]
fn the_nearest_built_page_is_served_and_what_is_left_out_is_named() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir_all(at("project/web")).expect("it can be made");
    fs::rename(at("page"), at("project/web/dist")).expect("it can be moved");
    fs::create_dir_all(at("project/a/b")).expect("it can be made");
    fs::create_dir(at("project/web/dist/more")).expect("it can be made");
    let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
        .arg("play")
        .current_dir(at("project/a/b"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was built");
    let mut address = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("it was piped"));
    out.read_line(&mut address).expect("UTF-8");
    let mut said = BufReader::new(child.stderr.take().expect("it was piped")).lines();
    let said = [(); 2].map(|()| said.next().expect("a line").expect("UTF-8"));
    child.kill().and_then(|()| child.wait()).expect("it runs");
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    assert!(
        said[0].starts_with("not served: ") && said[0].contains("more"),
        "{}",
        said[0]
    );
    assert_eq!(
        said[1],
        "open this address in a browser; Ctrl-C ends the server"
    );
}

#[test]
fn without_a_page_or_a_port_the_command_says_what_to_do() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    fs::remove_file(at("page/page.js")).expect("it was written");
    for (command, says) in [
        ("play", "scripts/web"),
        ("play --page page", "it has no page.js"),
        ("play --page page", "scripts/web"),
        ("play --page nowhere", "nowhere"),
        ("play --port 65536", "65536"),
        ("play --timeout 0", "timeout"),
    ] {
        let ended = jive_in(folder.path(), words(command), b"");
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{command}");
        assert!(ended.err.contains(says), "{command}: {}", ended.err);
    }
    let server = Server::start();
    let command = format!("play --page page --port {}", server.port);
    let ended = jive_in(server.folder.path(), words(&command), b"");
    assert_eq!((ended.status, ended.out.as_str()), (2, ""));
    assert!(ended.err.contains("cannot listen"), "{}", ended.err);
}
