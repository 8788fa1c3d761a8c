//! The values of an axis of a sweep: a list, or a range with its ends.

use toml::{Table, Value};

/// Maximum number of values of an axis: more would be a mistake, since each is one point.
const VALUES_MAX: u64 = 1_000_000;

/// Reads the values of an axis: a list, or a range with its ends.
pub(super) fn values(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(list) if list.is_empty() => Err("expected at least one value".to_owned()),
        Value::Array(list) => Ok(list.iter().map(Value::to_string).collect()),
        Value::Table(range) => range_of(range),
        other => Err(format!(
            "expected a list or a range such as {{ from = 1, to = 9, step = 2 }}, found {other}"
        )),
    }
}

fn range_of(range: &Table) -> Result<Vec<String>, String> {
    let number = |key: &str| match range.get(key) {
        Some(Value::Integer(number)) => Ok(Some(*number as f64)),
        Some(Value::Float(number)) if number.is_finite() => Ok(Some(*number)),
        None => Ok(None),
        Some(other) => Err(format!("expected a number `{key}`, found {other}")),
    };
    let known = ["from", "to", "step", "points", "log"];
    if let Some(key) = range.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!(
            "expected `from`, `to`, `step`, `points` or `log`, found `{key}`"
        ));
    }
    let is_log = match range.get("log") {
        None => false,
        Some(Value::Boolean(is_log)) => *is_log,
        Some(other) => return Err(format!("expected `log` to be true or false, found {other}")),
    };
    let (Some(from), Some(to)) = (number("from")?, number("to")?) else {
        return Err("expected `from` and `to`".to_owned());
    };
    let is_whole = ["from", "to", "step"]
        .iter()
        .all(|key| range.get(*key).is_none_or(Value::is_integer));
    let (step, points) = (number("step")?, number("points")?);
    let points = match (step, points) {
        (Some(step), None) if step > 0.0 && to >= from && !is_log => {
            // A step such as 0.1 is a little more than its decimal, and must not cost the last value.
            ((to - from) / step + 1e-9).floor() + 1.0
        }
        (None, Some(points)) if points >= 2.0 && points.fract() == 0.0 => points,
        _ => return Err("expected a positive `step`, or at least 2 `points`".to_owned()),
    };
    if points > VALUES_MAX as f64 {
        return Err(format!("expected at most {VALUES_MAX} values"));
    }
    if is_log && (from <= 0.0 || to <= 0.0) {
        return Err("expected ends above 0 of a logarithmic range".to_owned());
    }
    let at = |index: u64| {
        let index = index as f64;
        match step {
            Some(step) => from + index * step,
            None if is_log => from * (to / from).powf(index / (points - 1.0)),
            None => from + (to - from) * index / (points - 1.0),
        }
    };
    let mut values: Vec<String> = (0..points as u64)
        .map(|index| match is_whole {
            true => format!("{}", at(index).round()),
            // Twelve digits leave out what the arithmetic of binary fractions adds.
            false => Value::Float(format!("{:.11e}", at(index)).parse().unwrap_or(0.0)).to_string(),
        })
        .collect();
    // Whole numbers of a logarithmic range may be equal after rounding.
    values.dedup();
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<String>, String> {
        let table: Table = format!("value = {text}").parse().expect("it is TOML");
        values(&table["value"])
    }

    #[test]
    fn ranges_have_their_ends() {
        let is = |text, expected: &[&str]| assert_eq!(of(text).expect(text), expected, "{text}");
        is("[0, 0.5, \"1us\"]", &["0", "0.5", "\"1us\""]);
        is("{ from = 1, to = 9, step = 4 }", &["1", "5", "9"]);
        is(
            "{ from = 0.1, to = 0.3, step = 0.1 }",
            &["0.1", "0.2", "0.3"],
        );
        is(
            "{ from = 0.01, to = 0.059, step = 0.01 }",
            &["0.01", "0.02", "0.03", "0.04", "0.05"],
        );
        is(
            "{ from = 0.0, to = 0.3, points = 4 }",
            &["0.0", "0.1", "0.2", "0.3"],
        );
        is(
            "{ from = 1, to = 64, points = 4, log = true }",
            &["1", "4", "16", "64"],
        );
        is(
            "{ from = 1, to = 4, points = 9, log = true }",
            &["1", "2", "3", "4"],
        );
        let ends = "expected `from` and `to`";
        let parts = "expected a positive `step`, or at least 2 `points`";
        for (wrong, expected) in [
            ("[]", "expected at least one value"),
            (
                "3",
                "expected a list or a range such as { from = 1, to = 9, step = 2 }, found 3",
            ),
            ("{ from = 1 }", ends),
            ("{ from = 1, to = 2 }", parts),
            ("{ from = 1, to = 2, step = 0 }", parts),
            (
                "{ from = 0, to = 2, points = 3, log = true }",
                "expected ends above 0 of a logarithmic range",
            ),
            (
                "{ from = 1, to = 2, points = 3, log = 1 }",
                "expected `log` to be true or false, found 1",
            ),
            (
                "{ from = 1, to = 2, points = 1e9 }",
                &format!("expected at most {VALUES_MAX} values"),
            ),
            (
                "{ from = 1, to = 2, pionts = 3 }",
                "expected `from`, `to`, `step`, `points` or `log`, found `pionts`",
            ),
        ] {
            assert_eq!(of(wrong), Err(expected.to_owned()), "{wrong}");
        }
    }
}
