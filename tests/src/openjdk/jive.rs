//! JIVE's side of the comparison with OpenJDK: loads classes as `jive exec` does, and calls their static methods.

use std::collections::BTreeMap;

use jive_core::{Lifetime, NoNatives, Trap, TrapValues};
use jive_verifier::Policy;

use super::Call;
use crate::machine::{Machine, Room, machine};

/// Returns each line of a list of calls followed by its results, in order.
///
/// `class_file` returns a class by name.
///
/// # Panics
///
/// Panics if a class is rejected or lacks a method.
pub fn results(calls: &[Call<'_>], class_file: impl Fn(&str) -> Vec<u8>) -> Vec<String> {
    let mut lines = vec![String::new(); calls.len()];
    // Group lines by class: a class keeps its state between its lines, and classes do not affect each other.
    let mut by_class: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, call) in calls.iter().enumerate() {
        by_class.entry(call.class).or_default().push(index);
    }
    for (class, indices) in by_class {
        let done = machine(
            &class_file(class),
            Policy::ClassOnly,
            &[],
            Room::default(),
            |machine| {
                let load_trap = machine.load(&mut NoNatives).err();
                for index in indices {
                    let call = &calls[index];
                    lines[index] = call.line_with(|arguments| match load_trap {
                        Some(trap) => shown(machine, trap),
                        None => result(machine, call.method, arguments),
                    });
                }
            },
        );
        done.unwrap_or_else(|outcome| panic!("{class}: {outcome}"));
    }
    lines
}

fn result(machine: &mut Machine<'_>, method: &str, arguments: &[i32]) -> String {
    let method = machine.method(method);
    match machine.call(method, arguments, Lifetime::Persistent, &mut NoNatives) {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "void".to_owned(),
        Err(trap) => shown(machine, trap),
    }
}

/// Shows a trap like an exception in the driver, with line -1 if the class has no line numbers.
fn shown(machine: &Machine<'_>, trap: Trap) -> String {
    let (instance, stack) = (&machine.instance, &machine.stack);
    let numbers = match instance.trap_values(stack, trap.kind) {
        Some(TrapValues::Index { index, length }) => format!("({index},{length})"),
        Some(TrapValues::Length { length }) => format!("({length})"),
        _ => String::new(),
    };
    let calls = instance.backtrace(stack, trap).map(|call| {
        let method = machine.class.method(call.method);
        let method = method.expect("a call names a method of the class");
        let line = method.code().and_then(|code| code.line(call.pc));
        format!("{}:{}", method.name, line.map_or(-1, i32::from))
    });
    // Show only the innermost call of an error, as the driver does for OpenJDK's errors.
    let is_error = trap.kind.name().ends_with("Error");
    let calls = calls.take(if is_error { 1 } else { usize::MAX });
    let calls = calls.collect::<Vec<_>>().join("<");
    format!("{}{numbers}@{calls}", trap.kind)
}
