//! Tests every native, in every way to declare and call it, with values of every type as each of its arguments.

use jive_lab::asm::assemble;
use jive_lab::generate::Frame;
use jive_lab::generate::alphabet::encoded_lines;
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use tests::fixture::Outcome;
use tests::machine::judge;

/// The natives of docs/natives.md: name, parameters, result.
const NATIVES: [(&str, &[&str], &str); 18] = [
    ("newAlignedArray", &["I"], "[B"),
    ("getFreeBufferLength", &[], "I"),
    ("getFreeBuffer", &[], "I"),
    ("doHtoLDMA", &["[B", "I", "I", "I"], "V"),
    ("doLtoHDMA", &["[B", "I", "I", "I"], "V"),
    ("txPush", &["[B", "I", "I", "I"], "V"),
    ("dmaRxd", &["[I", "I", "I"], "V"),
    ("dmaRxdPayload", &["[B", "I", "I"], "V"),
    ("currentTime", &[], "I"),
    ("setTimer", &["I"], "V"),
    ("trace", &["I", "I"], "V"),
    ("immediate", &[], "I"),
    ("setImmediate", &["I"], "V"),
    ("watch", &["I", "I", "I"], "V"),
    ("windowWrite", &["[B", "I", "I", "I", "I"], "V"),
    ("windowRead", &["[B", "I", "I", "I", "I"], "V"),
    ("rxOffset", &[], "I"),
    ("peek", &["[B", "I", "I", "I"], "V"),
];

/// Values of every type: the instruction that pushes the value, and the parameter types that accept it (JVMS §4.9.2).
const VALUES: [(&str, &[&str]); 9] = [
    ("iconst_0", &["I"]),
    ("aload_1", &["[B"]),
    ("aload_2", &["[S"]),
    ("aload_3", &["[I"]),
    ("aload 4", &["[Z"]),
    // Local variable 5 has the merge of two reference types.
    ("aload 5", &[]),
    ("aconst_null", &["[B", "[S", "[I", "[Z", THIS]),
    ("getstatic self:LFixture;", &[THIS]),
    (RAW_THIS, &[]),
];

const THIS: &str = "LFixture;";
/// The instruction that pushes the object of the constructor, before `Object.<init>`.
const RAW_THIS: &str = "aload_0";

/// Instructions that consume a result, and the result types that they accept.
const SINKS: [(&str, &str); 6] = [
    ("putstatic int:I", "I"),
    ("putstatic bytes:[B", "[B"),
    ("putstatic shorts:[S", "[S"),
    ("putstatic ints:[I", "[I"),
    ("putstatic flags:[Z", "[Z"),
    ("putstatic self:LFixture;", THIS),
];

/// Local variable 5 is a `byte[]` on one path and an `int[]` on the other.
const MIXING: &str =
    "iconst_0\nifeq other\naload_1\nastore 5\ngoto join\nother:\naload_3\nastore 5\njoin:\nnop";
const MIXING_LINES: usize = 8;
const ENDING: [&str; 3] = [
    "aload_0",
    "invokespecial java/lang/Object.<init>()V",
    "return",
];

/// Ways to declare and call natives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Way {
    /// Natives are declared as static methods of `unet/Nic`.
    Nic,
    /// Natives are declared as static methods of the class itself.
    OwnStatic,
    /// Natives are declared as methods of the object.
    OwnVirtual,
    /// Natives are declared as methods of the object, and called by `invokespecial` as private methods were before Java
    /// 11.
    OwnSpecial,
}

impl Way {
    const ALL: [Way; 4] = [Way::Nic, Way::OwnStatic, Way::OwnVirtual, Way::OwnSpecial];

    fn has_receiver(self) -> bool {
        matches!(self, Way::OwnVirtual | Way::OwnSpecial)
    }

    fn declaration(self, name: &str, descriptor: &str) -> String {
        match self {
            Way::Nic => String::new(),
            Way::OwnStatic => format!(".method static native {name}{descriptor}\n"),
            Way::OwnVirtual => format!(".method native {name}{descriptor}\n"),
            Way::OwnSpecial => format!(".method private native {name}{descriptor}\n"),
        }
    }

    fn call(self, name: &str, descriptor: &str) -> String {
        match self {
            Way::Nic => format!("invokestatic unet/Nic.{name}{descriptor}"),
            Way::OwnStatic => format!("invokestatic {name}{descriptor}"),
            Way::OwnVirtual => format!("invokevirtual {name}{descriptor}"),
            Way::OwnSpecial => format!("invokespecial {name}{descriptor}"),
        }
    }
}

/// A class with an empty constructor, and the encoded instructions that can fill it.
struct Caller {
    frame: Frame,
    mixing: Vec<u8>,
    /// The instruction that pushes each of [`VALUES`].
    values: Vec<Vec<u8>>,
    /// The instruction that consumes each of [`SINKS`].
    sinks: Vec<Vec<u8>>,
    /// The instruction that calls each of [`NATIVES`].
    calls: Vec<Vec<u8>>,
    ending: Vec<u8>,
}

impl Caller {
    fn new(way: Way) -> Caller {
        let calls = NATIVES.map(|(name, parameters, result)| {
            let descriptor = descriptor(parameters, result);
            (
                way.declaration(name, &descriptor),
                way.call(name, &descriptor),
            )
        });
        let values = VALUES.iter().map(|(push, _)| *push);
        let sinks = SINKS.iter().map(|(sink, _)| *sink);
        let called = calls.iter().map(|(_, call)| call.as_str());
        let lines: Vec<&str> = values.chain(sinks).chain(called).chain(ENDING).collect();
        let declarations: String = calls
            .iter()
            .map(|(declaration, _)| &**declaration)
            .collect();
        let source = format!(
            ".omit all
.field static int I
.field static bytes [B
.field static shorts [S
.field static ints [I
.field static flags [Z
.field static self LFixture;
{declarations}.method static alphabet()V stack 0 locals 6
return
{MIXING}
{}
.method <init>([B[S[I[Z)V stack 0 locals 6
nop
",
            lines.join("\n")
        );
        let class = assemble("natives", &source).unwrap_or_else(|error| panic!("{error}"));
        let mut encoded = encoded_lines(&class.bytes).into_iter();
        let mut take = |count| encoded.by_ref().take(count).collect::<Vec<_>>();
        let mixing = take(MIXING_LINES).concat();
        let (values, sinks) = (take(VALUES.len()), take(SINKS.len()));
        let (calls, ending) = (take(NATIVES.len()), take(ENDING.len()).concat());
        assert_eq!(encoded.next(), None);
        // Empty the method with the assembled lines, because only the encodings of these lines are needed.
        let emptied = Frame::around("alphabet", &class.bytes).class(&[0xb1], 0, 0);
        Caller {
            frame: Frame::around("<init>", &emptied),
            mixing,
            values,
            sinks,
            calls,
            ending,
        }
    }

    /// Verifies the class with `instructions` as its constructor.
    fn judge<'l>(&self, instructions: impl IntoIterator<Item = &'l Vec<u8>>) -> Outcome {
        let mut code = self.mixing.clone();
        for bytes in instructions {
            code.extend(bytes);
        }
        code.extend(&self.ending);
        let class = self.frame.class(&code, 8, 6);
        judge(&class, Policy::ClassOnly, NicNative::TABLE)
    }
}

fn descriptor(parameters: &[&str], result: &str) -> String {
    format!("({}){result}", parameters.concat())
}

/// Returns the expected rejection code for a call with these arguments, if any, of which the last is popped first.
fn expected(parameters: &[&str], values: &[(&str, &[&str])]) -> Option<&'static str> {
    let arguments = parameters.iter().zip(values).rev();
    let mut wrong = arguments.filter(|(parameter, (_, fits))| !fits.contains(parameter));
    wrong.next().map(|(_, (push, _))| match *push {
        RAW_THIS => "unsafe/uninitialized-this",
        _ => "unsafe/operand-type",
    })
}

fn assert_judged(found: &Outcome, expected: Option<&str>, label: &dyn Fn() -> String) {
    match (found, expected) {
        (Outcome::Accepted, None) => {}
        (Outcome::Rejected { code, .. }, Some(expected)) if code == expected => {}
        _ => panic!("{}: expected {expected:?}, found {found}", label()),
    }
}

#[test]
fn the_table_is_that_of_the_contract() {
    let table = NicNative::TABLE;
    let mut named: Vec<_> = table.iter().map(|native| native.name).collect();
    let mut listed: Vec<_> = NATIVES.iter().map(|(name, ..)| *name).collect();
    named.sort_unstable();
    listed.sort_unstable();
    assert_eq!(named, listed, "a native has no row in this test");
}

#[test]
fn every_argument_of_a_native_is_held_to_its_type() {
    let mut judged = 0;
    for way in Way::ALL {
        let caller = Caller::new(way);
        for ((name, parameters, _), call) in NATIVES.into_iter().zip(&caller.calls) {
            let mut types = parameters.to_vec();
            if way.has_receiver() {
                types.insert(0, THIS);
            }
            let combinations = VALUES.len().pow(u32::try_from(types.len()).expect("a few"));
            for number in 0..combinations {
                let mut rest = number;
                let mut next = |_| {
                    let value = rest % VALUES.len();
                    rest /= VALUES.len();
                    value
                };
                let numbers: Vec<usize> = types.iter().map(&mut next).collect();
                let values: Vec<_> = numbers.iter().map(|number| VALUES[*number]).collect();
                // If the receiver is not the object, or the native is called as a private method, vary only the type of
                // all arguments together.
                if way.has_receiver()
                    && (values[0].1 != [THIS] || way == Way::OwnSpecial)
                    && values[1..].windows(2).any(|pair| pair[0] != pair[1])
                {
                    continue;
                }
                let pushes = numbers.iter().map(|number| &caller.values[*number]);
                let found = caller.judge(pushes.chain([call]));
                assert_judged(&found, expected(&types, &values), &|| {
                    format!("{way:?} {name} of {values:?}")
                });
                judged += 1;
            }
        }
    }
    assert!(judged > 60_000, "{judged}");
}

#[test]
fn the_result_of_a_native_is_of_its_type() {
    for way in Way::ALL {
        let caller = Caller::new(way);
        for ((name, parameters, result), call) in NATIVES.into_iter().zip(&caller.calls) {
            let receiver = way.has_receiver().then_some(THIS);
            let types = receiver.into_iter().chain(parameters.iter().copied());
            let pushes = types.map(|wanted| {
                let value = VALUES.iter().position(|(_, fits)| fits.contains(&wanted));
                &caller.values[value.expect("every type has a value")]
            });
            let calling: Vec<_> = pushes.chain([call]).collect();
            for ((sink, taken), taking) in SINKS.into_iter().zip(&caller.sinks) {
                let found = caller.judge(calling.iter().copied().chain([taking]));
                let expected = match result {
                    "V" => Some("unsafe/stack-underflow"),
                    _ if taken == result => None,
                    _ => Some("unsafe/operand-type"),
                };
                assert_judged(&found, expected, &|| format!("{way:?} {name}, then {sink}"));
            }
        }
    }
}
