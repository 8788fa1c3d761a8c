//! Lines of comma-separated values (RFC 4180), for all tables.

use std::borrow::Cow;

/// Returns fields as a line, with its end. Fields that would divide it are quoted.
#[must_use]
pub fn line<'f, F: Into<Cow<'f, str>>>(fields: impl IntoIterator<Item = F>) -> String {
    let fields = fields.into_iter().map(|field| {
        let field = field.into();
        match field.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", field.replace('"', "\"\"")).into(),
            false => field,
        }
    });
    let fields: Vec<Cow<'f, str>> = fields.collect();
    fields.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_would_divide_a_line_are_quoted() {
        let line = line(["a", "b,c", "d\"e", "f\ng", ""]);
        assert_eq!(line, "a,\"b,c\",\"d\"\"e\",\"f\ng\",\n");
    }
}
