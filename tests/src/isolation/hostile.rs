//! Generates hostile applets: random bodies that call natives in any way.

use std::fmt::Write as _;

use crate::random::Random;
use jive_lab::asm::assemble;

/// An action of a body.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sends several packets of one length on one of the endpoint's channels.
    Push {
        /// The channel's number.
        channel: i32,
        /// Bytes of the packet.
        length: i32,
        /// Number of packets.
        times: i32,
    },
    /// Moves bytes by DMA.
    Dma {
        /// Whether the bytes go to the host.
        to_host: bool,
        /// Number of bytes.
        length: i32,
    },
    /// Pops free buffers.
    Pop {
        /// Number of buffers.
        times: i32,
    },
    /// Pushes an inline receive descriptor to the endpoint's own user.
    Deliver {
        /// Length in bytes.
        length: i32,
    },
    /// Runs an empty loop.
    Spin {
        /// Number of iterations.
        rounds: i32,
    },
    /// Sets the timer.
    Timer {
        /// Microseconds from now.
        after: i32,
    },
    /// Skips the rest of the body at every second call.
    EverySecond,
    /// Divides by zero.
    Trap,
    /// Copies from the header of the handled packet, on a NIC that receives directly.
    Peek {
        /// Number of bytes.
        length: i32,
    },
    /// Delivers the handled packet in its buffer, on a NIC that receives directly.
    Name {
        /// How many times.
        times: i32,
    },
}

/// The actions of a method, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body(pub Vec<Action>);

/// A hostile applet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostileApplet {
    /// The body of `doTx`.
    pub tx: Body,
    /// The body of `doRx`.
    pub rx: Body,
    /// The initial timer in microseconds and the body of `doTimer`, if the applet has this method.
    pub timer: Option<(i32, Body)>,
    /// The body of `doRefill`, if the applet has this method.
    pub refill: Option<Body>,
    /// Whether the applet is for a NIC that receives directly.
    pub is_direct: bool,
}

/// Length of the array from which the applet sends, in bytes.
const ARRAY: i32 = 9216;

impl Body {
    fn draw(random: &mut Random, channels: &[i32], (pace, is_direct): (i32, bool)) -> Body {
        let count = random.below(5);
        let actions = (0..count).map(|_| match is_direct && random.below(3) == 0 {
            true => Action::of_arrival(random),
            false => Action::draw(random, channels, pace),
        });
        Body(actions.collect())
    }
}

impl Action {
    fn draw(random: &mut Random, channels: &[i32], pace: i32) -> Action {
        match random.below(13) {
            0..6 if !channels.is_empty() => Action::Push {
                channel: random.pick(channels),
                length: random.pick(&[0, 1, 56, 1000, 4096, 9000]),
                times: random.pick(&[1, 1, 1, 2, 2, 3, 5, 64, 65]),
            },
            6 | 7 => Action::Dma {
                to_host: random.below(2) == 0,
                length: random.pick(&[0, 64, 9000]),
            },
            8 => Action::Pop {
                times: random.pick(&[1, 9]),
            },
            9 => Action::Deliver {
                length: random.pick(&[0, 56]),
            },
            10 => Action::Spin {
                // Some calls take about as long as a slice of EMP or of VIA.
                rounds: random.pick(&[10, 500, 1_000_000, 360, 8_000, 1_000_000]),
            },
            11 if random.below(3) == 0 => Action::Trap,
            12 => Action::Timer {
                after: pace * random.pick(&[0, 1, 1, 10, 100]),
            },
            _ => Action::EverySecond,
        }
    }

    fn of_arrival(random: &mut Random) -> Action {
        match random.below(3) {
            0 => Action::Peek {
                length: random.pick(&[0, 1, 56, 128, 129]),
            },
            _ => Action::Name {
                times: random.pick(&[1, 1, 2, 9]),
            },
        }
    }

    fn write(self, text: &mut String, label: usize) {
        let _infallible = match self {
            Action::Push {
                channel,
                length,
                times,
            } => {
                let push = format!(
                    "getstatic out:[B\niconst_0\nldc int {channel}\nldc int {length}\ninvokestatic txPush([BIII)V\n"
                );
                repeated(text, label, times, &push)
            }
            Action::Dma { to_host, length } => {
                let native = if to_host { "doLtoHDMA" } else { "doHtoLDMA" };
                write!(
                    text,
                    "getstatic out:[B\niconst_0\niconst_0\nldc int {length}\ninvokestatic {native}([BIII)V\n"
                )
            }
            Action::Pop { times } => {
                repeated(text, label, times, "invokestatic getFreeBuffer()I\npop\n")
            }
            Action::Deliver { length } => write!(
                text,
                "getstatic out:[B\niconst_1\nldc int {length}\ninvokestatic dmaRxdPayload([BII)V\n"
            ),
            Action::Spin { rounds } => repeated(text, label, rounds, ""),
            Action::Timer { after } => {
                write!(text, "ldc int {after}\ninvokestatic setTimer(I)V\n")
            }
            Action::EverySecond => write!(
                text,
                "getstatic count:I\niconst_1\niadd\ndup\nputstatic count:I\niconst_1\niand\nifne go{label}\n\
                 iconst_0\nireturn\ngo{label}:\n"
            ),
            Action::Peek { length } => write!(
                text,
                "getstatic out:[B\niconst_0\niconst_0\nldc int {length}\ninvokestatic peek([BIII)V\n"
            ),
            Action::Name { times } => {
                let name = "iconst_1\nnewarray int\ndup\niconst_0\ninvokestatic rxOffset()I\niastore\niconst_1\n\
                            bipush 57\ninvokestatic dmaRxd([III)V\n";
                repeated(text, label, times, name)
            }
            Action::Trap => write!(text, "iconst_1\niconst_0\nidiv\npop\n"),
        };
    }
}

/// Writes a loop with local variable 3 as its counter.
fn repeated(text: &mut String, label: usize, times: i32, body: &str) -> std::fmt::Result {
    write!(
        text,
        "ldc int {times}\nistore_3\nagain{label}:\n{body}iinc 3 -1\niload_3\nifgt again{label}\n"
    )
}

impl HostileApplet {
    /// Draws a random applet for an endpoint with these channels. `pace` is how many times longer its timers take, and
    /// `is_direct` whether its NIC receives directly.
    pub fn draw(
        random: &mut Random,
        channels: &[i32],
        (pace, is_direct): (i32, bool),
    ) -> HostileApplet {
        let body = |random: &mut Random| Body::draw(random, channels, (pace, is_direct));
        HostileApplet {
            tx: body(random),
            rx: body(random),
            timer: (random.below(2) == 0)
                .then(|| (pace * random.pick(&[1, 10, 100]), body(random))),
            refill: (random.below(2) == 0).then(|| body(random)),
            is_direct,
        }
    }

    /// Returns the applet's class file.
    ///
    /// # Errors
    ///
    /// Returns the assembler's error.
    pub fn class(&self) -> Result<Vec<u8>, String> {
        let mut text = String::from(".field static out [B\n.field static count I\n");
        if self.is_direct {
            text.push_str(".omit RxBuf\n");
        }
        for (name, parameters) in [
            ("newAlignedArray", "(I)[B"),
            ("txPush", "([BIII)V"),
            ("doHtoLDMA", "([BIII)V"),
            ("doLtoHDMA", "([BIII)V"),
            ("getFreeBuffer", "()I"),
            ("dmaRxdPayload", "([BII)V"),
            ("setTimer", "(I)V"),
            ("peek", "([BIII)V"),
            ("rxOffset", "()I"),
            ("dmaRxd", "([III)V"),
        ] {
            let _infallible = writeln!(text, ".method static native {name}{parameters}");
        }
        let _infallible = write!(
            text,
            ".method static <clinit>()V stack 1 locals 0\nldc int {ARRAY}\n\
             invokestatic newAlignedArray(I)[B\nputstatic out:[B\n"
        );
        if let Some((first, _)) = self.timer {
            let _infallible = write!(text, "ldc int {first}\ninvokestatic setTimer(I)V\n");
        }
        text.push_str("return\n");
        let timer = self.timer.as_ref().map(|(_, body)| ("doTimer()I", body));
        let refill = self.refill.as_ref().map(|body| ("doRefill(III)I", body));
        let required = [("doTx(III)I", &self.tx), ("doRx(II)I", &self.rx)];
        for (method, body) in required.into_iter().chain(timer).chain(refill) {
            let _infallible = writeln!(text, ".method static {method} stack 5 locals 4");
            for (label, action) in body.0.iter().enumerate() {
                action.write(&mut text, label);
            }
            text.push_str("iconst_0\nireturn\n");
        }
        let assembled = assemble("hostile", &text).map_err(|error| format!("{error}\n{text}"))?;
        Ok(assembled.bytes)
    }
}
