//! `jive play`: serves the web page on this machine, and compiles Java for it.

mod compile;
mod http;
mod messages;
mod page;
mod server;
mod site;
mod source;

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use jive_embed::diagnosis::sentence;
use jive_embed::text::printable_path;

use self::compile::Javac;
use self::page::Page;
use self::site::{Site, Token};
use super::console::{Console, Failure, Status};

const AFTER_HELP: &str = "\
The page is the one that `scripts/web` builds. Here the Java source can be edited, and `javac --release 8 -g`
compiles it in a temporary folder. The command prints the page's address, which only this machine can
reach; its random part keeps out other users and other pages. Ctrl-C ends the command.

Examples:
  jive play
  jive play --port 8080 --page web/dist

Exit status:
  0  ended by Ctrl-C
  2  wrong usage, no page, or a port that is taken";

/// Serves the web page on this machine; there it compiles Java
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The port of 127.0.0.1; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// The folder of the built page, in place of the nearest web/dist
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,

    /// End javac after N seconds
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
}

/// Carries the command out.
pub(super) fn main(arguments: &Arguments, console: &mut Console) -> Result<Status, Failure> {
    let ready = read_page(arguments.page.as_deref())
        .and_then(|(page, left_out)| Ok((listen(arguments, page)?, left_out)));
    let ((listener, site), left_out) = match ready {
        Ok(ready) => ready,
        Err(message) => {
            console.notice(&message)?;
            return Ok(Status::Unusable);
        }
    };
    for path in left_out {
        let path = printable_path(&path);
        console.written(&format!("not served: {path}, which is no file of a page"))?;
    }
    writeln!(console.out(), "{}", site.address())?;
    console.out().flush()?;
    console.written("open this address in a browser; Ctrl-C ends the server")?;
    server::serve(listener, site)?;
    Ok(Status::Done)
}

/// Reads the page, and returns what of its folder is left out; or else the message for the user.
fn read_page(given: Option<&Path>) -> Result<(Page, Vec<PathBuf>), String> {
    let folder = given.map(Path::to_owned).or_else(page::default_folder);
    let folder = folder.ok_or_else(|| without_page("no folder `web/dist` here or above"))?;
    Page::read(&folder).map_err(|error| {
        let folder = printable_path(&folder);
        without_page(&format!("cannot use {folder}: {error}"))
    })
}

fn without_page(why: &str) -> String {
    let help =
        "build the page with `scripts/web` in JIVE's sources, or name its folder with `--page DIR`";
    sentence(&format!("there is no page: {why}"), &[help.to_owned()])
}

/// Takes the port for the page; or else returns the message for the user.
fn listen(arguments: &Arguments, page: Page) -> Result<(TcpListener, Site), String> {
    let unusable = |error: io::Error| {
        let title = format!("cannot listen on 127.0.0.1:{}: {error}", arguments.port);
        sentence(&title, &[])
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)).map_err(unusable)?;
    let port = listener.local_addr().map_err(unusable)?.port();
    let token = Token::random()
        .map_err(|error| sentence(&format!("the system has no random bytes: {error}"), &[]))?;
    let site = Site {
        page,
        javac: Javac::new(Duration::from_secs(arguments.timeout.into())),
        token,
        port,
    };
    Ok((listener, site))
}
