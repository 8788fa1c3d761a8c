//! Applets that perform a list of actions, so that a test can compute the expected effects of each call.

use std::fmt::Write as _;

use jive_lab::asm::assemble;
use nic_runtime::spec::Scenario;
use tests::simulation::scenario;

/// Length of the array that the natives move.
pub(crate) const ARRAY_BYTES: u32 = 2_048;

/// Maximum number of offsets for `dmaRxd`; the applet has an `int` array of each length up to this maximum.
const SHARES_MAX: usize = 14;

/// An action of an applet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// DMA of a number of bytes from the buffer area.
    ToNic(u32),
    /// DMA of a number of bytes to the buffer area.
    ToHost(u32),
    /// Sends a packet of a number of bytes.
    Push(u32),
    /// Pops an offset from the free queue into this local variable.
    Pop(usize),
    /// Pushes a receive descriptor with the offsets in these local variables, each for a whole share.
    Describe { variables: Vec<usize>, share: u32 },
    /// Divides by zero.
    Trap,
}

impl Action {
    fn write_to(&self, code: &mut String) {
        let array = "getstatic array:[B\nsipush 0\n";
        let transfer = |to, native, bytes| {
            format!("{array}sipush {to}\nsipush {bytes}\ninvokestatic unet/Nic.{native}([BIII)V\n")
        };
        let written = match self {
            Action::ToNic(bytes) => write!(code, "{}", transfer(0, "doHtoLDMA", bytes)),
            Action::ToHost(bytes) => write!(code, "{}", transfer(8_192, "doLtoHDMA", bytes)),
            Action::Push(bytes) => write!(code, "{}", transfer(1, "txPush", bytes)),
            Action::Pop(variable) => {
                write!(
                    code,
                    "invokestatic unet/Nic.getFreeBuffer()I\nistore {}\n",
                    3 + variable
                )
            }
            Action::Describe { variables, share } => {
                for (place, variable) in variables.iter().enumerate() {
                    *code += &format!(
                        "getstatic offsets:[I\nsipush {place}\niload {}\niastore\n",
                        3 + variable
                    );
                }
                let length = variables.len() as u32 * share;
                write!(
                    code,
                    "getstatic offsets:[I\nsipush 1\nsipush {length}\n\
                     invokestatic unet/Nic.dmaRxd([III)V\n"
                )
            }
            Action::Trap => write!(code, "iconst_0\niconst_0\nidiv\npop\n"),
        };
        written.expect("a string takes all that is written");
    }
}

/// The actions of each method of an applet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Actions {
    pub(crate) initializer: Vec<Action>,
    pub(crate) do_tx: Vec<Action>,
    pub(crate) do_rx: Vec<Action>,
}

impl Actions {
    /// Returns the actions of a method.
    pub(crate) fn of(&self, method: &str) -> &[Action] {
        match method {
            "<clinit>" => &self.initializer,
            "doTx" => &self.do_tx,
            "doRx" => &self.do_rx,
            _ => &[],
        }
    }

    /// Returns a class file whose methods perform the actions.
    fn class_file(&self) -> Vec<u8> {
        let mut source = format!(
            ".field static array [B\n.field static offsets [I\n\
             .method static <clinit>()V stack 4 locals 24\n\
             sipush {ARRAY_BYTES}\ninvokestatic unet/Nic.newAlignedArray(I)[B\nputstatic array:[B\n\
             sipush {SHARES_MAX}\nnewarray int\nputstatic offsets:[I\n"
        );
        for (method, actions) in [
            ("", &self.initializer),
            ("doTx(III)I", &self.do_tx),
            ("doRx(II)I", &self.do_rx),
        ] {
            if !method.is_empty() {
                source += &format!(".method static {method} stack 4 locals 24\n");
                // Initialise the variables, because the verifier requires a value on every path.
                for variable in 3..24 {
                    source += &format!("iconst_m1\nistore {variable}\n");
                }
            }
            for action in actions {
                action.write_to(&mut source);
            }
            source += if method.is_empty() {
                "return\n"
            } else {
                "iconst_0\nireturn\n"
            };
        }
        let assembled =
            assemble("random", &source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        assembled.bytes
    }

    /// Parses a scenario, and gives its endpoints with `builtin:Drop` these applets, in the order of the file.
    pub(crate) fn scenario(text: &str, applets: &[Actions]) -> Scenario {
        let mut scenario = scenario(text, None, None);
        let class = scenario.classes.first().cloned();
        let mut applets = applets.iter();
        for endpoint in &mut scenario.endpoints {
            if endpoint.class.is_none() {
                continue;
            }
            let mut class = class.clone().expect("an endpoint has one");
            class.bytes = applets.next().expect("an applet for each").class_file();
            endpoint.class = Some(scenario.classes.len());
            scenario.classes.push(class);
        }
        scenario
    }
}
