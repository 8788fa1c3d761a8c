//! Accepts connections, each of which a thread serves, until a signal ends the process.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::http::{Client, Response, Status};
use super::site::Site;

/// How many clients are served at the same time. A browser opens six connections for a page.
const CLIENTS_MAX: usize = 32;

/// How many more clients are told at the same time that there are too many. Those beyond are cut off.
const REFUSED_MAX: usize = 32;

/// How long to wait where no connection can be accepted, for instance because the process has too many files open.
const PAUSE: Duration = Duration::from_millis(50);

/// How long the end waits until compilations have ended and deleted their folders.
const END: Duration = Duration::from_secs(2);

/// What the threads share.
struct Shared {
    site: Site,
    clients: AtomicUsize,
    ending: AtomicBool,
}

/// A client that is counted as long as it has a thread.
struct Counted(Arc<Shared>);

impl Counted {
    /// Counts another client, and returns how many there were before.
    fn new(shared: &Arc<Shared>) -> (Counted, usize) {
        let before = shared.clients.fetch_add(1, Ordering::Relaxed);
        (Counted(Arc::clone(shared)), before)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves a site until the user or the system ends the process.
///
/// # Errors
///
/// Returns an error if the process cannot be told of signals.
pub(super) fn serve(listener: TcpListener, site: Site) -> io::Result<()> {
    let shared = Arc::new(Shared {
        site,
        clients: AtomicUsize::new(0),
        ending: AtomicBool::new(false),
    });
    #[cfg(unix)]
    end_by_signal(&listener, &shared)?;
    for stream in listener.incoming() {
        if shared.ending.load(Ordering::Relaxed) {
            break;
        }
        match stream {
            Ok(stream) => take(stream, &shared),
            Err(_) => thread::sleep(PAUSE),
        }
    }
    shared.site.javac.wait_for_end(END);
    Ok(())
}

/// Starts a thread that serves a client, or tells it to come again where there are too many.
fn take(stream: TcpStream, shared: &Arc<Shared>) {
    let (counted, before) = Counted::new(shared);
    if before >= CLIENTS_MAX + REFUSED_MAX {
        return;
    }
    let serve = move || {
        let Counted(shared) = &counted;
        let client = Client::new(stream);
        if before < CLIENTS_MAX {
            shared.site.serve(client, &shared.ending);
        } else {
            let sentence = "too many clients: try again";
            client.answer(&Response::refusal(Status::ServiceUnavailable, sentence));
        }
    };
    // Without a thread the connection is closed.
    let _handle = thread::Builder::new().spawn(serve);
}

/// Ends the server at the first signal. The connection that this makes wakes the thread that accepts them.
#[cfg(unix)]
fn end_by_signal(listener: &TcpListener, shared: &Arc<Shared>) -> io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::low_level::pipe;

    let (mut told, tells) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        pipe::register(signal, tells.try_clone()?)?;
    }
    let address = listener.local_addr()?;
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        // An error would mean that no signal can arrive any more, and then there is no other way to end either.
        let _told = told.read(&mut [0]);
        shared.ending.store(true, Ordering::Relaxed);
        let _woken = TcpStream::connect(address);
    });
    Ok(())
}
