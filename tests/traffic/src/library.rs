//! The library of applets. Each applet of the library has a page in `docs/applets`.

use applets::Applet;

/// The applets of the paper's measurements and of the tutorial, whose scenarios are in `tests/scenarios`.
pub const MEASURED: [&str; 9] = [
    "AckInNic",
    "Burst25",
    "Counter",
    "Drop",
    "Generator",
    "NullCall",
    "PingPong",
    "RawUnet",
    "RawUnetSingle",
];

/// Returns the applets of the library, each with the name of its files, such as `token-flow` for `TokenFlow`.
pub fn library() -> impl Iterator<Item = (&'static Applet, String)> {
    let applets = applets::staged().filter(|applet| !MEASURED.contains(&applet.name));
    applets.map(|applet| (applet, file_name(applet.name)))
}

fn file_name(applet: &str) -> String {
    let mut name = String::new();
    for letter in applet.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name
}
