//! `jive daemon`: classes go from a socket to a device on a line. The device here takes capsules as the firmware does, on
//! a Unix socket on which it listens as QEMU does.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use jive_load::{Storage, load_certified};
use jive_verifier::Policy;
use nic_core::sle::capsule::{INSTALLED, answer_header};
use nic_core::sle::line::{FRAME_BYTES_MAX, frame};
use nic_core::sle::{CodeLine, LineEvent, NicEntry, NicNative};
use rustix::process::{Pid, Signal, kill_process};

use crate::{jive_in, words};

/// Longer than anything here takes, and what a test that fails waits for.
const LONG: Duration = Duration::from_secs(60);

/// How the line or the device misbehaves, once.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Fault {
    /// A byte of the stream is changed.
    Flip(usize),
    /// Bytes get lost.
    Lose(usize, usize),
    /// The line is cut after so many bytes.
    Cut(usize),
    /// The device's answer gets lost.
    Mute,
}

/// A device with an applet, on a line.
struct Device {
    faults: Sender<Fault>,
    /// The name of the applet after each answer, and the answer.
    seen: Receiver<(String, &'static str)>,
}

impl Device {
    fn begin(path: &Path) -> Device {
        Device::with_room(path, 8 << 10)
    }

    /// Begins a device with memory for class files of so many bytes.
    fn with_room(path: &Path, class_bytes: usize) -> Device {
        let listener = UnixListener::bind(path).expect("the path is free");
        let (faults, to_make) = channel();
        let (tell, seen) = channel();
        thread::spawn(move || run_device(&listener, class_bytes, &to_make, &tell));
        Device { faults, seen }
    }

    fn next(&self) -> (String, &'static str) {
        self.seen.recv_timeout(LONG).expect("the device answers")
    }
}

fn run_device(
    listener: &UnixListener,
    class_bytes: usize,
    faults: &Receiver<Fault>,
    tell: &Sender<(String, &'static str)>,
) {
    let mut memory = ([0; FRAME_BYTES_MAX], [0; 4 << 10], vec![0; class_bytes]);
    let mut line = CodeLine::new(&mut memory.0, &mut memory.1, &mut memory.2);
    let mut applet = "none".to_owned();
    for stream in listener.incoming() {
        let mut stream = stream.expect("a connection");
        let mut fault = None;
        let mut taken = 0;
        let mut buffer = [0; 512];
        'cut: while let Ok(read @ 1..) = stream.read(&mut buffer) {
            for byte in &mut buffer[..read] {
                if fault.is_none() {
                    fault = faults.try_recv().ok();
                    taken = 0;
                }
                taken += 1;
                match fault {
                    Some(Fault::Flip(at)) if at == taken => {
                        *byte ^= 1;
                        fault = None;
                    }
                    Some(Fault::Lose(from, to)) if (from..to).contains(&taken) => continue,
                    Some(Fault::Lose(_, to)) if to == taken => fault = None,
                    Some(Fault::Cut(at)) if at == taken => break 'cut,
                    _ => {}
                }
                let (number, text) = match line.take(*byte) {
                    LineEvent::Quiet => continue,
                    LineEvent::Answer { number, text } => (number, text),
                    LineEvent::Whole { number } => {
                        let text = match judged(line.class(), line.certificate()) {
                            Ok(name) => {
                                applet = name;
                                INSTALLED
                            }
                            Err(code) => code,
                        };
                        line.answered(number, text);
                        (number, text)
                    }
                };
                tell.send((applet.clone(), text)).expect("the test waits");
                if fault == Some(Fault::Mute) {
                    fault = None;
                    continue;
                }
                let answer = [&answer_header(number)[..], text.as_bytes()].concat();
                let answer: Vec<u8> = frame(&answer).collect();
                if stream.write_all(&answer).is_err() {
                    break 'cut;
                }
            }
        }
    }
}

/// Checks a class as the firmware does, and returns its name.
fn judged(class: &[u8], certificate: &[u8]) -> Result<String, &'static str> {
    let mut memory = [MaybeUninit::uninit(); 24 << 10];
    let (kept, scratch) = memory.split_at_mut(14 << 10);
    let policy = Policy::Applet {
        entries: NicEntry::TABLE,
    };
    let (kept, scratch) = (Storage::new(kept), Storage::new(scratch));
    let both = (class, certificate);
    let loaded = load_certified(both, policy, NicNative::TABLE, &kept, &scratch);
    let loaded = loaded.map_err(|error| error.code())?;
    Ok(String::from_utf8_lossy(loaded.class.name().as_bytes()).into_owned())
}

/// A daemon that runs, in a directory of its own.
struct Daemon {
    child: Child,
    out: BufReader<ChildStdout>,
    directory: tempfile::TempDir,
}

impl Daemon {
    fn begin(options: &[&str]) -> Daemon {
        let directory = tempfile::tempdir().expect("a temporary directory");
        Daemon::begin_in(directory, options)
    }

    fn begin_in(directory: tempfile::TempDir, options: &[&str]) -> Daemon {
        let mut child = Command::new(env!("CARGO_BIN_EXE_jive"))
            .args(["daemon", "--socket", "nic", "--line", "line"])
            .args(options)
            .current_dir(directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the binary was built for this test");
        let mut out = BufReader::new(child.stdout.take().expect("it was piped"));
        let mut first = String::new();
        out.read_line(&mut first).expect("UTF-8");
        assert_eq!(first, "listening on nic for line, until Ctrl-C\n");
        Daemon {
            child,
            out,
            directory,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn device(&self) -> Device {
        Device::begin(&self.path("line"))
    }

    fn connect(&self) -> UnixStream {
        UnixStream::connect(self.path("nic")).expect("the daemon listens")
    }

    /// Sends bytes as a class, and returns the daemon's line.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // The daemon may answer before it has read everything.
        let _sent = stream.write_all(bytes);
        let _ended = stream.shutdown(Shutdown::Write);
        line_of(stream)
    }

    /// Ends the daemon by Ctrl-C. Returns its exit status and the rest of its output.
    fn end(mut self) -> (Option<i32>, String) {
        let id = i32::try_from(self.child.id()).expect("ids are positive");
        let id = Pid::from_raw(id).expect("ids are positive");
        kill_process(id, Signal::INT).expect("it has not been waited for");
        let status = self.child.wait().expect("it was started").code();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("UTF-8");
        assert!(!self.path("nic").exists(), "the socket is removed");
        (status, rest)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // The daemon has ended already, unless the test has failed.
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

/// Returns the line that the daemon answers.
fn line_of(mut stream: UnixStream) -> String {
    stream.set_read_timeout(Some(LONG)).expect("not zero");
    let mut line = String::new();
    // A daemon that closes a connection with unread bytes resets it, behind the line.
    let read = stream.read_to_string(&mut line);
    assert!(read.is_ok() || !line.is_empty(), "{read:?}");
    line
}

fn class(name: &str) -> &'static [u8] {
    let mut applets = applets::ALL.iter();
    let found = applets.find(|applet| applet.name == name);
    found.expect("it is shipped").class
}

#[test]
fn classes_reach_the_device_one_after_another() {
    let daemon = Daemon::begin(&[]);
    let device = daemon.device();
    for _ in 0..2 {
        for name in ["RawUnet", "Counter", "PingPong"] {
            assert_eq!(daemon.send(class(name)), "installed\n");
            assert_eq!(device.next(), (name.to_owned(), "installed"));
        }
    }
    let send = |line: &str| jive_in(daemon.directory.path(), words(line), class("Nat"));
    let sent = send("daemon --socket nic --send builtin:Firewall");
    assert_eq!((sent.status, sent.err.as_str()), (0, ""));
    assert_eq!(sent.out, "ok: builtin:Firewall is installed\n");
    assert_eq!(device.next().0, "Firewall");
    assert_eq!(send("daemon --socket nic --send -").status, 0);
    assert_eq!(device.next().0, "Nat");
    let (status, out) = daemon.end();
    assert_eq!(status, Some(0));
    let length = class("Counter").len();
    assert!(
        out.contains(&format!("installed Counter, {length} bytes\n")),
        "{out}"
    );
}

#[test]
fn a_class_that_the_verifier_rejects_is_not_sent() {
    let daemon = Daemon::begin(&[]);
    let device = daemon.device();
    assert_eq!(daemon.send(class("Counter")), "installed\n");
    assert_eq!(device.next().0, "Counter");
    let refused = daemon.send(b"no class file");
    assert!(
        refused.starts_with("refused: malformed/magic: "),
        "{refused}"
    );
    assert!(daemon.send(b"").starts_with("refused: malformed/"));
    let long = vec![0xca; (1 << 20) + 1];
    let refused = daemon.send(&long);
    let limit = "refused: expected a class file of at most 1048576 bytes\n";
    assert_eq!(refused, limit);
    let send = words("daemon --socket nic --send -");
    let sent = jive_in(daemon.directory.path(), send, b"no class file");
    assert_eq!((sent.status, sent.out.as_str()), (1, ""));
    let said = "error: - is not installed: refused: malformed/magic: ";
    assert!(sent.err.starts_with(said), "{}", sent.err);
    // The device has heard of none of them.
    assert_eq!(daemon.send(class("RawUnet")), "installed\n");
    assert_eq!(device.next(), ("RawUnet".to_owned(), "installed"));
    assert_eq!(daemon.end().0, Some(0));
}

#[test]
fn what_the_verifier_accepts_of_altered_classes_the_device_accepts_too() {
    let daemon = Daemon::begin(&[]);
    let device = daemon.device();
    let good = class("Counter");
    let (mut installed, mut rejected) = (0, 0);
    for place in (0..good.len()).step_by(9) {
        let mut altered = good.to_vec();
        altered[place] ^= 0x15;
        let line = daemon.send(&altered);
        if line == "installed\n" {
            assert_eq!(device.next().1, "installed", "byte {place}");
            installed += 1;
        } else {
            let code = line.strip_prefix("refused: ").expect(&line);
            assert!(!code.starts_with("the device"), "byte {place}: {line}");
            rejected += 1;
        }
    }
    // Names and line numbers may change; most bytes may not.
    assert!(
        installed > 10 && rejected > 50,
        "{installed} and {rejected}"
    );
    assert_eq!(daemon.end().0, Some(0));
}

#[test]
fn a_silent_client_is_given_up_and_keeps_nobody_waiting() {
    let daemon = Daemon::begin(&["--timeout", "2"]);
    let device = daemon.device();
    let began = Instant::now();
    let silent = daemon.connect();
    let mut slow = daemon.connect();
    slow.write_all(&class("Nat")[..9]).expect("it is read");
    // The others are served meanwhile.
    for _ in 0..3 {
        assert_eq!(daemon.send(class("Counter")), "installed\n");
        assert_eq!(device.next().0, "Counter");
    }
    // A byte now and then does not prolong the time.
    let mut writer = slow.try_clone().expect("another descriptor");
    let dripping = thread::spawn(move || {
        while writer.write_all(&[0]).is_ok() && began.elapsed() < LONG {
            thread::sleep(Duration::from_millis(50));
        }
    });
    let given_up = "refused: the class file has not come within 2 seconds\n";
    assert_eq!(line_of(silent), given_up);
    assert_eq!(line_of(slow), given_up);
    assert!(began.elapsed() < LONG / 2, "{:?}", began.elapsed());
    dripping.join().expect("its writing failed");
    assert_eq!(daemon.send(class("RawUnet")), "installed\n");
    assert_eq!(daemon.end().0, Some(0));
}

#[test]
fn only_so_many_clients_are_served_at_a_time() {
    let daemon = Daemon::begin(&["--timeout", "3"]);
    let device = daemon.device();
    let silent: Vec<UnixStream> = (0..16).map(|_| daemon.connect()).collect();
    assert_eq!(daemon.send(class("Counter")), "refused: too many clients\n");
    for stream in silent {
        let line = line_of(stream);
        assert_eq!(
            line,
            "refused: the class file has not come within 3 seconds\n"
        );
    }
    // The daemon counts ended clients when the next one connects.
    assert_eq!(daemon.send(class("Counter")), "installed\n");
    assert_eq!(device.next().0, "Counter");
    assert_eq!(daemon.end().0, Some(0));
}

#[test]
fn damage_on_the_line_is_repaired_and_never_installed() {
    let daemon = Daemon::begin(&["--timeout", "2"]);
    let device = daemon.device();
    assert_eq!(daemon.send(class("PingPong")), "installed\n");
    assert_eq!(device.next().0, "PingPong");
    // In the certificate, in the class, a whole frame, the end.
    let length = class("Counter").len();
    for fault in [
        Fault::Flip(30),
        Fault::Flip(length / 2),
        Fault::Lose(300, 700),
        Fault::Flip(length + 100),
        Fault::Cut(40),
        Fault::Cut(length),
        Fault::Mute,
    ] {
        device.faults.send(fault).expect("the device runs");
        assert_eq!(daemon.send(class("Counter")), "installed\n", "{fault:?}");
        loop {
            let (applet, answer) = device.next();
            if answer == INSTALLED && applet == "Counter" {
                break;
            }
            assert_eq!((applet.as_str(), answer), ("PingPong", "gap"), "{fault:?}");
        }
        if fault == Fault::Mute {
            // The last fragment came again, and so did the answer.
            assert_eq!(device.next(), ("Counter".to_owned(), "installed"));
        }
        assert_eq!(daemon.send(class("PingPong")), "installed\n");
        assert_eq!(device.next().0, "PingPong");
    }
    assert_eq!(daemon.end().0, Some(0));
}

#[test]
fn a_device_that_is_gone_is_told_and_found_again() {
    let daemon = Daemon::begin(&["--timeout", "1"]);
    let refused = daemon.send(class("Counter"));
    assert!(
        refused.starts_with("refused: the device cannot be reached: "),
        "{refused}"
    );
    // A device that listens and says nothing.
    let listener = UnixListener::bind(daemon.path("line")).expect("the path is free");
    let refused = daemon.send(class("Counter"));
    assert!(
        refused.starts_with("refused: the device cannot be reached: "),
        "{refused}"
    );
    drop(listener);
    fs::remove_file(daemon.path("line")).expect("it was there");
    let device = daemon.device();
    assert_eq!(daemon.send(class("Counter")), "installed\n");
    assert_eq!(device.next().0, "Counter");
    assert_eq!(daemon.end().0, Some(0));
}

#[test]
fn a_class_that_the_device_has_no_room_for_is_refused() {
    let daemon = Daemon::begin(&[]);
    let device = Device::with_room(&daemon.path("line"), 1024);
    for _ in 0..2 {
        let refused = "refused: the device says \"sram\"\n";
        assert_eq!(daemon.send(class("Counter")), refused);
        assert_eq!(device.next().1, "sram");
        // Of the certificate, which has come, nothing is left to say.
        assert_eq!(daemon.send(class("PingPong")), "installed\n");
        assert_eq!(device.next(), ("PingPong".to_owned(), "installed"));
    }
    assert_eq!(daemon.end().0, Some(0));
}

#[test]
fn other_users_are_asked_for_before_they_may_send() {
    if !rustix::process::geteuid().is_root() {
        crate::skipped::skip(
            "other users at `jive daemon`",
            "only root can be another user",
        );
        return;
    }
    let daemon = Daemon::begin(&["--allow", "65533"]);
    let device = daemon.device();
    // What the tests were built in need not be open to others.
    let binary = daemon.path("jive");
    fs::copy(env!("CARGO_BIN_EXE_jive"), &binary).expect("there is room");
    for path in [daemon.directory.path(), &binary] {
        let all = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(path, all).expect("it is ours");
    }
    let send_as = |user| {
        let ended = std::os::unix::process::CommandExt::uid(&mut Command::new(&binary), user)
            .args(words("daemon --socket nic --send builtin:Counter"))
            .current_dir(daemon.directory.path())
            .output()
            .expect("it can be executed");
        (
            ended.status.code(),
            String::from_utf8_lossy(&ended.stderr).into_owned(),
        )
    };
    for _ in 0..2 {
        let (status, said) = send_as(65534);
        assert_eq!(status, Some(1));
        let refused = "is not installed: refused: this user may not send classes\n";
        assert!(said.ends_with(refused), "{said}");
        assert_eq!(send_as(65533), (Some(0), String::new()));
        assert_eq!(device.next().0, "Counter");
    }
    let (_, out) = daemon.end();
    assert!(
        out.contains("refused: user 65534 may not send classes\n"),
        "{out}"
    );
}

#[test]
fn a_socket_in_use_is_not_taken_and_a_dead_one_is() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let socket = directory.path().join("nic");
    drop(UnixListener::bind(&socket).expect("the path is free"));
    assert!(socket.exists());
    let daemon = Daemon::begin_in(directory, &[]);
    let mode = fs::metadata(daemon.path("nic")).expect("it exists");
    let mode = std::os::unix::fs::PermissionsExt::mode(&mode.permissions());
    assert_eq!(mode & 0o777, 0o600);
    let second = jive_in(
        daemon.directory.path(),
        words("daemon --socket nic --line line"),
        b"",
    );
    assert_eq!(second.status, 2);
    assert!(
        second.err.starts_with("error: cannot listen on nic: "),
        "{}",
        second.err
    );
    fs::write(daemon.path("file"), b"").expect("it can be written");
    let file = words("daemon --socket file --line line");
    assert_eq!(jive_in(daemon.directory.path(), file, b"").status, 2);
    assert!(daemon.path("file").exists());
    let nobody = words("daemon --socket nowhere --send builtin:Counter");
    let nobody = jive_in(daemon.directory.path(), nobody, b"");
    assert_eq!(nobody.status, 2);
    let said = "error: cannot send builtin:Counter to nowhere: ";
    assert!(nobody.err.starts_with(said), "{}", nobody.err);
    assert_eq!(daemon.end().0, Some(0));
}
