//! Java source next to a class file, and the search for lines that a diagnosis quotes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jive_core::ClassFile;

use crate::text::printable_path;
use crate::{input, names, plain_text};

/// Greatest length of a Java source file, in bytes. A diagnosis does not quote lines of a longer source file.
const SOURCE_BYTES_MAX: u64 = 1 << 20;

/// Greatest length of a line that is quoted, in bytes. The limit keeps diagnoses short, because a class can have many
/// errors, each with a line.
const LINE_BYTES_MAX: usize = 1024;

/// A source counts as compiled if it was changed by less than this time after the class file. The tolerance is needed
/// because a checkout writes source and class file at nearly the same time, in any order.
const NEWER_BY: Duration = Duration::from_secs(2);

/// A Java source file.
#[derive(Clone, Debug)]
pub struct JavaSource {
    /// Path of the source file.
    pub(super) file: PathBuf,
    /// The same, safe for display on a terminal.
    pub(super) path: String,
    /// Whether the source was changed after the class file, so that its lines may not match the code.
    pub(super) is_newer: bool,
    text: String,
}

/// Where Java sources may be.
#[derive(Copy, Clone, Debug, Default)]
pub struct SourcePath<'f> {
    /// Directories that are searched for a source first, before the directory of its class file.
    pub directories: &'f [PathBuf],
    /// Sources in memory by their paths. If there are any, no file is read.
    pub in_memory: Option<&'f BTreeMap<PathBuf, String>>,
}

impl<'f> From<&'f [PathBuf]> for SourcePath<'f> {
    fn from(directories: &'f [PathBuf]) -> SourcePath<'f> {
        SourcePath {
            directories,
            in_memory: None,
        }
    }
}

/// Where a class file was found, and where its Java source may be.
#[derive(Copy, Clone, Debug)]
pub struct FoundAt<'f> {
    /// The class file.
    pub file: &'f Path,
    /// Where its source may be, besides the directory of the class file.
    pub source_path: SourcePath<'f>,
}

impl<'f> From<&'f Path> for FoundAt<'f> {
    fn from(file: &'f Path) -> FoundAt<'f> {
        FoundAt {
            file,
            source_path: SourcePath::default(),
        }
    }
}

impl FoundAt<'_> {
    /// Reads the source file that a class names, from the source path or from the directory of the class file.
    #[must_use]
    pub fn source_of(self, class: &ClassFile<'_>) -> Option<JavaSource> {
        let name = names::source_name(class)?;
        self.source(&class.name().to_string(), &name)
    }

    /// Reads the source file `name` of a class. `name` must not contain a path.
    ///
    /// A directory of the source path contains the source in the subdirectory of its package, or directly.
    pub(super) fn source(self, class_name: &str, name: &str) -> Option<JavaSource> {
        let package = class_name
            .rsplit_once('/')
            .map_or("", |(package, _)| package);
        // The package's name comes from the untrusted class file, and it must not lead out of the directory.
        let parts = package.split('/');
        let is_plain = parts.clone().all(|part| {
            !part.is_empty() && !part.contains(['\\', ':']) && part != ".." && part != "."
        });
        let below = is_plain.then(|| parts.collect::<PathBuf>());
        let directories = self.source_path.directories.iter().flat_map(|directory| {
            let packaged = below.as_ref().map(|below| directory.join(below));
            packaged.into_iter().chain([directory.clone()])
        });
        directories
            .chain(self.file.parent().map(Path::to_owned))
            .find_map(|directory| self.read(&directory.join(name)))
    }
}

impl FoundAt<'_> {
    fn read(self, path: &Path) -> Option<JavaSource> {
        let Some(sources) = self.source_path.in_memory else {
            return JavaSource::read(path, self.file);
        };
        Some(JavaSource {
            file: path.to_owned(),
            path: printable_path(path),
            is_newer: false,
            text: plain_text::plain(sources.get(path)?.as_bytes())
                .ok()?
                .into_owned(),
        })
    }
}

impl JavaSource {
    fn read(path: &Path, class_file: &Path) -> Option<JavaSource> {
        let text = input::read_file(path, SOURCE_BYTES_MAX).ok()?;
        let changed = |path| fs::metadata(path).and_then(|found| found.modified()).ok();
        let both = changed(path).zip(changed(class_file));
        Some(JavaSource {
            file: path.to_owned(),
            path: printable_path(path),
            is_newer: both.is_some_and(|(source, class)| source > class + NEWER_BY),
            text: plain_text::plain(&text).ok()?.into_owned(),
        })
    }

    /// Returns the path of the source file, safe for display on a terminal.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns whether the source was changed after the class file, so that its lines may not match the code.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        self.is_newer
    }

    /// Returns the number of lines of the source, as far as a class file can name them.
    #[must_use]
    pub fn line_count(&self) -> u16 {
        u16::try_from(self.text.lines().count()).unwrap_or(u16::MAX)
    }

    /// Returns a line of the source without its line end, or `None` if the line is too long to be quoted.
    #[must_use]
    pub fn line(&self, number: u16) -> Option<&str> {
        let line = self.text.lines().nth(usize::from(number.checked_sub(1)?))?;
        (line.len() <= LINE_BYTES_MAX).then_some(line)
    }

    /// Returns the number of the line that contains all words of `words` in this order, outside of comments. A word may
    /// be a punctuation character such as `(`. Returns `None` if no line or several lines contain the words.
    ///
    /// The source is searched because class files have line numbers only for instructions, not for declarations.
    pub(super) fn declaration(&self, words: &[&str]) -> Option<u16> {
        let mut in_comment = false;
        let mut found = (1..=u16::MAX).zip(self.text.lines()).filter(|(_, line)| {
            let tokens = tokens(line, &mut in_comment);
            let mut rest = tokens.iter();
            words.iter().all(|word| rest.any(|token| token == word))
        });
        let (number, _) = found.next()?;
        found.next().is_none().then_some(number)
    }
}

/// Splits a line into words and punctuation characters. Skips comments.
fn tokens<'l>(line: &'l str, in_comment: &mut bool) -> Vec<&'l str> {
    let mut tokens = Vec::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once("*/") else {
                return tokens;
            };
            *in_comment = false;
            rest = after;
        }
        rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with("//") {
            return tokens;
        }
        if let Some(after) = rest.strip_prefix("/*") {
            *in_comment = true;
            rest = after;
            continue;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let (token, after) = rest.split_at(word.max(first));
        tokens.push(token);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    const TEXT: &str = "\
// class Filter is here
/* class
   Filter { */
public class Filter extends Base {
    long sum; // int hash(int a)
    int hash(int a) { return hash2(a); }
    int use() { return hash(1) + (int) sum; }
}
";

    fn source() -> JavaSource {
        JavaSource {
            file: PathBuf::from("Filter.java"),
            path: "Filter.java".to_owned(),
            is_newer: false,
            text: TEXT.to_owned(),
        }
    }

    #[test]
    fn declarations_are_found_outside_of_comments() {
        assert_eq!(source().declaration(&["class", "Filter"]), Some(4));
        assert_eq!(source().declaration(&["long", "sum"]), Some(5));
        assert_eq!(source().declaration(&["int", "hash", "("]), None);
        assert_eq!(
            source().declaration(&["int", "hash", "(", "int", "a"]),
            Some(6)
        );
        assert_eq!(source().declaration(&["int", "nothing"]), None);
    }

    #[test]
    fn source_path_is_searched_before_the_class_folder() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = |path: &str| directory.path().join(path);
        fs::create_dir_all(at("src/net/low")).expect("it can be made");
        let class_file = at("Filter.class");
        let source_path = [at("src")];
        let found = FoundAt {
            file: &class_file,
            source_path: source_path[..].into(),
        };
        let first_line = |class: &str| {
            let source = found.source(class, "Filter.java");
            source.and_then(|source| source.line(1).map(str::to_owned))
        };
        assert_eq!(first_line("net/low/Filter"), None);
        for (path, text) in [
            ("Filter.java", "beside"),
            ("src/Filter.java", "direct"),
            ("src/net/low/Filter.java", "packaged"),
        ] {
            fs::write(at(path), text).expect("it can be written");
            assert_eq!(first_line("net/low/Filter").as_deref(), Some(text));
        }
        assert_eq!(first_line("Filter").as_deref(), Some("direct"));
        // The source of a class whose package would lead out of the directory is looked for in the directory alone.
        assert_eq!(
            first_line("../src/net/low/Filter").as_deref(),
            Some("direct")
        );
    }

    #[test]
    fn sources_in_memory_are_found_by_their_paths() {
        let sources = BTreeMap::from([(PathBuf::from("in/Filter.java"), TEXT.to_owned())]);
        let line = |class_file: &str| {
            let found = FoundAt {
                file: Path::new(class_file),
                source_path: SourcePath {
                    in_memory: Some(&sources),
                    ..SourcePath::default()
                },
            };
            let source = found.source("Filter", "Filter.java");
            source.and_then(|source| source.line(4).map(str::to_owned))
        };
        let expected = "public class Filter extends Base {";
        assert_eq!(line("in/Filter.class").as_deref(), Some(expected));
        assert_eq!(line("Filter.class"), None);
    }

    #[test]
    fn a_source_that_was_changed_after_the_class_is_newer() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = |path: &str| directory.path().join(path);
        let changed_at = |path: &str, seconds: u64| {
            let file = fs::File::create(at(path)).expect("it can be written");
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            file.set_modified(time).expect("it is ours");
        };
        changed_at("Filter.class", 1_000);
        for (seconds, is_newer) in [(900, false), (1_001, false), (1_003, true)] {
            changed_at("Filter.java", seconds);
            let class_file = at("Filter.class");
            let source = FoundAt::from(class_file.as_path()).source("Filter", "Filter.java");
            assert_eq!(source.map(|source| source.is_newer), Some(is_newer));
        }
        // The path `-` stands for standard input, which has no time of change.
        let source = JavaSource::read(&at("Filter.java"), Path::new("-"));
        assert_eq!(source.map(|source| source.is_newer), Some(false));
    }

    #[test]
    fn lines_are_counted_from_1() {
        assert_eq!(source().line(4), Some("public class Filter extends Base {"));
        assert_eq!((source().line(0), source().line(9)), (None, None));
    }
}
