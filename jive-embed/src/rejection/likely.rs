//! Which member a programmer probably meant: by a similar name, or by the signature that the name must have.

use jive_core::{ClassFile, FieldId, MemberRef, MethodId, NativeDecl, Utf8};
use jive_verifier::{
    AppletMember, Location, Policy, ResolutionError, VerifyError, VerifyErrorKind as Kind,
};

use super::comparison::wanted;

/// Length in bytes of the longest name that is compared. Longer names are not compared, because a comparison costs the
/// product of both names' lengths.
const NAME_BYTES_MAX: usize = 64;

/// Returns the word that is most similar to `given`, if any is similar enough to be a misspelling.
///
/// Words that differ in case alone count as the most similar.
pub fn closest<'w>(given: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let lower = given.to_lowercase();
    let similar = words.into_iter().filter_map(|word| {
        if given.len() > NAME_BYTES_MAX || word.len() > NAME_BYTES_MAX || word == given {
            return None;
        }
        let distance = strsim::damerau_levenshtein(&lower, &word.to_lowercase());
        let allowed = 1.max(word.chars().count() / 3);
        (distance <= allowed).then_some((distance, word))
    });
    similar
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// A member of the class whose name is similar to that of a missing member.
pub(super) enum Lookalike {
    Field(FieldId),
    Method(MethodId),
}

/// Finds the member that the programmer probably meant to be the missing member of an applet.
pub(super) fn lookalike(
    class: &ClassFile<'_>,
    policy: Policy,
    member: AppletMember,
) -> Option<Lookalike> {
    let wanted = member.name();
    let is_entry = |name: Utf8<'_>| policy.entries().iter().any(|entry| name == entry.name);
    // The names of other entries are left out: `doTx`, for example, is no misspelling of `doRx`.
    let is_similar =
        |name: Utf8<'_>| !is_entry(name) && closest(&name.to_string(), [wanted]).is_some();
    match member {
        AppletMember::RxBuf => {
            let field = class.fields().find(|field| is_similar(field.name))?;
            Some(Lookalike::Field(field.id))
        }
        AppletMember::Entry(_) => {
            let method = class.methods().find(|method| is_similar(method.name))?;
            Some(Lookalike::Method(method.id))
        }
        AppletMember::Constructor => None,
    }
}

/// Returns a hint on what to write in place of a member that the class lacks or declares wrongly.
pub(super) fn meant(
    class: &ClassFile<'_>,
    (policy, natives): (Policy, &[NativeDecl<'_>]),
    error: VerifyError,
) -> Option<String> {
    match error.kind {
        Kind::MissingMember { member } => {
            let found = match lookalike(class, policy, member)? {
                Lookalike::Field(id) => class.field(id)?.name,
                Lookalike::Method(id) => class.method(id)?.name,
            };
            let name = member.name();
            Some(format!("Rename `{found}` in the class to `{name}`."))
        }
        Kind::MemberDescriptor {
            member: member @ (AppletMember::Entry(_) | AppletMember::RxBuf),
        } => Some(format!("Declare `{}`.", wanted(member))),
        Kind::UnknownNative { misfit } => {
            let Location::Method(method) = error.at else {
                return None;
            };
            of_native(natives, class.method(method)?.name, misfit)
        }
        Kind::UnresolvedNative { index, misfit } => {
            of_native(natives, class.pool().member(index).ok()?.name, misfit)
        }
        Kind::UnresolvedMethod { index, .. } => {
            let names = class.methods().map(|method| method.name);
            did_you_mean(class.pool().member(index).ok()?, names)
        }
        Kind::UnresolvedField { index, .. } => {
            let names = class.fields().map(|field| field.name);
            did_you_mean(class.pool().member(index).ok()?, names)
        }
        _ => None,
    }
}

fn of_native(
    natives: &[NativeDecl<'_>],
    name: Utf8<'_>,
    misfit: ResolutionError,
) -> Option<String> {
    let name = name.to_string();
    let (opening, meant) = match misfit {
        ResolutionError::Name => (
            "Did you mean",
            closest(&name, natives.iter().map(|row| row.name))?,
        ),
        ResolutionError::Descriptor
        | ResolutionError::Static
        | ResolutionError::Instance
        | ResolutionError::Interface => ("It is declared", name.as_str()),
    };
    let native = natives.iter().find(|row| row.name == meant)?;
    let end = if misfit == ResolutionError::Name {
        "?"
    } else {
        "."
    };
    Some(format!("{opening} `static {}`{end}", signature(native)))
}

/// Shows a native as its declaration in Java.
pub(super) fn signature(native: &NativeDecl) -> String {
    let parameters = native.parameters.iter();
    let parameters =
        parameters.map(|parameter| format!("{} {}", parameter.kind.java(), parameter.name));
    let result = native.result.map_or("void", |kind| kind.java());
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    format!("{result} {}({parameters})", native.name)
}

fn did_you_mean<'a>(
    member: MemberRef<'_>,
    names: impl Iterator<Item = Utf8<'a>>,
) -> Option<String> {
    let names = names.map(|name| name.to_string()).collect::<Vec<_>>();
    let meant = closest(&member.name.to_string(), names.iter().map(String::as_str))?;
    Some(format!("Did you mean `{meant}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_names_ignore_case_and_strangers() {
        let words = ["doTx", "doRx", "RxBuf"];
        for (given, meant) in [
            ("doTX", Some("doTx")),
            ("dotx", Some("doTx")),
            ("rxBuf", Some("RxBuf")),
            ("doRxx", Some("doRx")),
            ("doRx", Some("doTx")),
            ("main", None),
        ] {
            assert_eq!(closest(given, words), meant, "{given}");
        }
        assert_eq!(closest(&"x".repeat(100_000), words), None);
    }
}
