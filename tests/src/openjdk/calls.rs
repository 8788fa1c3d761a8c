//! Parses the list of calls in `calls.txt`. Each line stands for one or many calls.

/// The values for which the argument `*` stands.
const BOUNDARIES: [i32; 9] = [i32::MIN, i32::MIN + 1, -1, 0, 1, 31, 32, 33, i32::MAX];

/// A line of the list.
#[derive(Clone, Debug)]
pub struct Call<'t> {
    /// The text of the line.
    pub line: &'t str,
    /// The class.
    pub class: &'t str,
    /// The method.
    pub method: &'t str,
    /// Whether the results are combined into one number.
    fold: bool,
    /// The argument lists, in the order of the calls.
    arguments: Vec<Vec<i32>>,
}

impl Call<'_> {
    /// Returns the number of calls.
    pub fn count(&self) -> usize {
        self.arguments.len()
    }

    /// Returns the argument lists, in the order of the calls.
    pub fn arguments(&self) -> &[Vec<i32>] {
        &self.arguments
    }

    /// Returns the line followed by its results. `result` makes each call.
    pub(super) fn line_with(&self, result: impl FnMut(&[i32]) -> String) -> String {
        let results = self.arguments.iter().map(Vec::as_slice).map(result);
        let shown = if self.fold {
            results
                .map(|result| {
                    result
                        .parse::<i32>()
                        .expect("a folded call returns a number")
                })
                .fold(0_i32, |h, result| h.wrapping_mul(31).wrapping_add(result))
                .to_string()
        } else {
            results.collect::<Vec<_>>().join(" ")
        };
        format!("{}: {shown}", self.line)
    }
}

/// Parses a list of calls.
///
/// # Panics
///
/// Panics if a line does not have the form that `calls.txt` describes.
pub fn calls(text: &str) -> Vec<Call<'_>> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(call)
        .collect()
}

fn call(line: &str) -> Call<'_> {
    let (fold, rest) = match line.strip_prefix("fold ") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let mut words = rest.split_whitespace();
    let mut name = || words.next().expect("a call names class and method");
    let (class, method) = (name(), name());
    let mut arguments = vec![Vec::new()];
    for values in words.map(values) {
        arguments = arguments
            .iter()
            .flat_map(|list| {
                values
                    .iter()
                    .map(|value| [list.as_slice(), &[*value]].concat())
            })
            .collect();
    }
    Call {
        line,
        class,
        method,
        fold,
        arguments,
    }
}

/// Returns the values of an argument.
fn values(word: &str) -> Vec<i32> {
    let number = |text: &str| {
        text.parse::<i32>()
            .expect("an argument is a number, a range or *")
    };
    match word.split_once("..") {
        _ if word == "*" => BOUNDARIES.to_vec(),
        Some((low, high)) => (number(low)..=number(high)).collect(),
        None => vec![number(word)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_argument_runs_fastest() {
        let list = calls("# a comment\n\n  Adder add 1..2 -1..0\n");
        let [call] = list.as_slice() else {
            panic!("one call expected, found {}", list.len());
        };
        assert_eq!((call.class, call.method, call.count()), ("Adder", "add", 4));
        let line = call.line_with(|arguments| format!("{arguments:?}").replace(' ', ""));
        assert_eq!(line, "Adder add 1..2 -1..0: [1,-1] [1,0] [2,-1] [2,0]");
    }

    #[test]
    fn fold_is_a_polynomial_in_31() {
        let list = calls("fold Adder add 1..3");
        // ((0 * 31 + 1) * 31 + 2) * 31 + 3
        assert_eq!(
            list[0].line_with(|arguments| arguments[0].to_string()),
            "fold Adder add 1..3: 1026"
        );
    }
}
