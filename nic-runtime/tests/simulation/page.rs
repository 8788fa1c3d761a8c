//! Tables of the documentation that tests measure.

use std::fs;
use std::path::Path;

/// Checks that a page of `docs` has this table between its marks `<!-- name -->` and `<!-- end of name -->`. With
/// `JIVE_WRITE` set, writes the table there instead.
pub(crate) fn has_table(page: &str, name: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(page);
    let text = fs::read_to_string(&path).expect("a committed page");
    let (start, end) = (
        format!("<!-- {name} -->\n\n"),
        format!("\n<!-- end of {name} -->"),
    );
    let (before, rest) = text.split_once(&start).expect("the page has the table");
    let (committed, after) = rest.split_once(&end).expect("the table ends");
    if std::env::var_os("JIVE_WRITE").is_some() {
        let text = [before, &start, table, &end, after].concat();
        return fs::write(&path, text).expect("a writable page");
    }
    assert!(
        committed == table,
        "docs/{page} is stale: JIVE_WRITE=1 cargo test -p nic-runtime --test simulation table_of\n{table}"
    );
}
