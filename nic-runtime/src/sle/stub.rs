//! What is written from the natives table: the Java stub and the reference of the natives.

use jive_core::{NativeDecl, NativeType};
use nic_core::sle::{NicEntry, NicNative};

/// Characters of a line of Java at most.
const LINE_MAX: usize = 100;

/// Stands for a space at which no line breaks.
const NO_BREAK: char = '~';

const STUB_HEAD: &str = "\
// Generated from the table of natives (`jive stub`): a change belongs there.
package unet;

/**
 * What the NIC does for an applet. The methods have no Java bodies: the NIC's firmware is behind
 * them. Compile an applet against this class with {@code import static unet.Nic.*;}.
 *
 * <p>Arguments are checked by the NIC at each call. A null array is a
 * {@code NullPointerException}; anything that would reach outside an array, outside the endpoint's
 * buffer area or to a channel that is not the endpoint's own is a {@code ProtectionFault}, and
 * nothing has happened then.
 */
public final class Nic {
    private Nic() {
    }
";

const REFERENCE_HEAD: &str = "\
<!-- Generated from the table of natives (`jive stub`): a change belongs there. -->
# Natives

What the NIC does for an applet. A class may declare a `native` method of that name and descriptor, static or not. Or it
calls the static method of the class `unet/Nic`, whose Java stub is `applets/java/unet/Nic.java`.

The NIC checks the arguments of each call before it does anything. It looks for null (`NullPointerException`) first, then
for a negative array length (`NegativeArraySizeException`). Then it refuses what the endpoint may not have, array bounds
included (`ProtectionFault`). No alignment is demanded, and a length of 0 is in range at the very end. A native that traps
has done nothing.
";

const ENTRIES_HEAD: &str = "
# Entries

The methods of an applet that the NIC calls. An entry may be static or not, and of any visibility. An optional one may be
left out, but another shape under its name is rejected. `docs/simulation.md` says what each call takes and uses.
";

/// Returns the Java source of the class that declares the natives, `unet/Nic.java`.
#[must_use]
pub fn java_stub() -> String {
    let mut text = String::from(STUB_HEAD);
    for native in NicNative::TABLE {
        text.push('\n');
        push_javadoc(&mut text, &javadoc(native.summary));
        let declaration = format!(
            "    public static native {} {}({});\n",
            result(native),
            native.name,
            parameters(native)
        );
        text.push_str(&declaration);
    }
    text.push_str("}\n");
    text
}

/// Returns the reference of the natives and the entries, `docs/natives.md`.
#[must_use]
pub fn natives_reference() -> String {
    let mut text = String::from(REFERENCE_HEAD);
    for native in NicNative::TABLE {
        let section = format!(
            "\n## {name}\n\n```java\n{result} {name}({parameters})\n```\n\n{summary}\n\nDescriptor: `{descriptor}`.\n",
            name = native.name,
            result = result(native),
            parameters = parameters(native),
            summary = native.summary,
            descriptor = native.descriptor(),
        );
        text.push_str(&section);
    }
    text.push_str(ENTRIES_HEAD);
    for entry in NicEntry::TABLE {
        let parameters: Vec<_> = entry
            .parameters
            .iter()
            .map(|p| format!("int {p}"))
            .collect();
        let section = format!(
            "\n## {name}\n\n```java\nint {name}({parameters})\n```\n\n{summary}\n\nDescriptor: `{descriptor}`; {need}.\n",
            name = entry.name,
            parameters = parameters.join(", "),
            summary = entry.summary,
            descriptor = entry.descriptor,
            need = if entry.is_required {
                "required"
            } else {
                "optional"
            },
        );
        text.push_str(&section);
    }
    text
}

fn result(native: &NativeDecl) -> &'static str {
    native.result.map_or("void", NativeType::java)
}

fn parameters(native: &NativeDecl) -> String {
    let declared = native
        .parameters
        .iter()
        .map(|p| format!("{} {}", p.kind.java(), p.name));
    declared.collect::<Vec<_>>().join(", ")
}

/// Turns a summary's Markdown into javadoc: `code` becomes `{@code code}`.
fn javadoc(summary: &str) -> String {
    let parts = summary.split('`').enumerate();
    parts
        .map(|(index, part)| {
            if index % 2 == 1 {
                format!("{{@code{NO_BREAK}{part}}}")
            } else {
                part.into()
            }
        })
        .collect()
}

/// Appends a comment, on one line where it fits.
///
/// Lines break at spaces, so what must stay together has a [`NO_BREAK`] until it is written.
fn push_javadoc(text: &mut String, comment: &str) {
    let single = format!("    /** {comment} */\n").replace(NO_BREAK, " ");
    if single.len() <= LINE_MAX + 1 {
        text.push_str(&single);
        return;
    }
    text.push_str("    /**\n");
    let mut line = String::from("     *");
    for word in comment.split(' ') {
        if line.len() + 1 + word.len() > LINE_MAX {
            text.push_str(&line);
            text.push('\n');
            line.truncate("     *".len());
        }
        line.push(' ');
        line.push_str(&word.replace(NO_BREAK, " "));
    }
    text.push_str(&line);
    text.push_str("\n     */\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_stub_is_fresh() {
        assert_eq!(applets::NIC_STUB, java_stub());
    }

    #[test]
    fn the_committed_reference_is_fresh() {
        assert_eq!(
            include_str!("../../../docs/natives.md"),
            natives_reference()
        );
    }

    #[test]
    fn the_stub_declares_every_native_as_the_contract_does() {
        let stub = java_stub();
        for declaration in [
            "public static native byte[] newAlignedArray(int length);",
            "public static native int getFreeBufferLength();",
            "public static native int getFreeBuffer();",
            "public static native void doHtoLDMA(byte[] to, int toOffset, int hostOffset, int length);",
            "public static native void doLtoHDMA(byte[] from, int fromOffset, int hostOffset, int length);",
            "public static native void txPush(byte[] buffer, int offset, int channel, int length);",
            "public static native void dmaRxd(int[] offsets, int channel, int length);",
            "public static native void dmaRxdPayload(byte[] from, int channel, int length);",
            "public static native int currentTime();",
            "public static native void setTimer(int microseconds);",
            "public static native void trace(int tag, int value);",
        ] {
            assert!(stub.contains(declaration), "{declaration}\n{stub}");
        }
        assert_eq!(stub.matches(" native ").count(), 11);
        assert!(stub.lines().all(|line| line.len() <= LINE_MAX));
    }
}
