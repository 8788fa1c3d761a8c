//! Reads `applet` and `state` of an endpoint, which are lists if the endpoint has a chain of applets.

use toml::Spanned;
use toml::de::DeValue;

use super::context::Context;
use super::keys::ENDPOINT;
use super::limits;
use super::mistake::MistakeKind;
use super::table::{self, Table, wrong_type};
use crate::spec::{AppletSpec, FieldState};

/// Reads `applet`: the name of a class or a list of names. Returns a class for each name, or `None` for a class that
/// cannot be read.
pub(super) fn classes(named: &Spanned<DeValue<'_>>, context: &mut Context) -> Vec<Option<usize>> {
    let names = match named.get_ref() {
        DeValue::Array(names) if names.is_empty() => {
            context.mistakes().add(named.span(), MistakeKind::NoApplets);
            return Vec::new();
        }
        DeValue::Array(names) if names.len() > limits::CHAIN_MAX => {
            let limit = limits::CHAIN_MAX as u64;
            let what = "applets of a chain";
            let kind = MistakeKind::TooMany { what, limit };
            context.mistakes().add(named.span(), kind);
            return Vec::new();
        }
        DeValue::Array(names) => &names[..],
        _ => std::slice::from_ref(named),
    };
    let class = |name: &Spanned<DeValue<'_>>| {
        let text = table::text(name.get_ref());
        let text = context.mistakes().note(name.span(), text)?;
        let class = context.class(text);
        context.mistakes().note(name.span(), class)
    };
    names.iter().map(class).collect()
}

/// Reads `state`: a table for a single applet, or a list with a table for each applet of a chain. Returns the state of the
/// first applet, and the other applets with their states.
pub(super) fn states(
    table: &Table<'_>,
    classes: &[Option<usize>],
    heap: u64,
    context: &mut Context,
) -> (Vec<FieldState>, Vec<AppletSpec>) {
    let mut states = vec![Vec::new(); classes.len()];
    let named = table.value(ENDPOINT.applet.name).map(Spanned::get_ref);
    let is_list = matches!(named, Some(DeValue::Array(_)));
    match table
        .value(ENDPOINT.state.name)
        .map(|given| (given, given.get_ref()))
    {
        None => {}
        Some((_, DeValue::Array(tables))) if is_list && tables.len() == classes.len() => {
            for ((state, class), given) in states.iter_mut().zip(classes).zip(tables.iter()) {
                *state = context.state(*class, heap, given);
            }
        }
        Some((given, DeValue::Array(tables))) if is_list && !classes.is_empty() => {
            let (applets, found) = (classes.len(), tables.len());
            let kind = MistakeKind::StatesOfChain { applets, found };
            context.mistakes().add(given.span(), kind);
        }
        Some((given, found)) if classes.len() > 1 => {
            let kind = wrong_type("a list of tables, one for each applet of the chain", found);
            context.mistakes().add(given.span(), kind);
        }
        Some((given, _)) => {
            if let [state] = &mut states[..] {
                *state = context.state(classes[0], heap, given);
            }
        }
    }
    let mut states = states.into_iter();
    let first = states.next().unwrap_or_default();
    // A state whose class cannot be read is dropped here, because a scenario with such a class is not run.
    let followers = classes.iter().skip(1).zip(states);
    let followers = followers.filter_map(|(class, state)| {
        Some(AppletSpec {
            class: (*class)?,
            state,
        })
    });
    (first, followers.collect())
}
