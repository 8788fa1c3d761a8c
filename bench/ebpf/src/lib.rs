//! The public kernels as eBPF on rbpf, interpreted or compiled to machine code.

use std::io::Error;

use object::{Object, ObjectSection};
use rbpf::EbpfVmRaw;

/// The object file that clang makes of `kernels.c`: a section `.text.NAME` for each kernel.
static OBJECT: &[u8] = include_bytes!("../../kernels/kernels.bpf.o");

/// Bytes of `struct state` in `kernels.c`: a, b, then the data of the kernels.
const STATE_BYTES: usize = 8 + 4 * 256 + 4 * 256 + 1500 + 64 + 8192;

/// How rbpf runs a program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// rbpf interprets the program and checks every memory access.
    Interpreted,
    /// rbpf compiles the program to x86-64 code without checks.
    Compiled,
}

/// A kernel and its state.
#[expect(missing_debug_implementations, reason = "rbpf's machine has none")]
pub struct Kernel {
    machine: EbpfVmRaw<'static>,
    mode: Mode,
    state: Vec<u8>,
}

impl Kernel {
    /// Starts a kernel with the state that `init` creates. Returns `None` if there is no eBPF version of the kernel.
    ///
    /// # Errors
    ///
    /// Returns an error if rbpf refuses the program.
    pub fn start(name: &str, mode: Mode) -> Result<Option<Kernel>, Error> {
        let Some(program) = program(name)? else {
            return Ok(None);
        };
        let init = program_or_error("init")?;
        let mut init = Kernel::new(init, Mode::Interpreted, vec![0; STATE_BYTES])?;
        init.invoke(0, 0)?;
        Kernel::new(program, mode, init.state).map(Some)
    }

    fn new(program: &'static [u8], mode: Mode, state: Vec<u8>) -> Result<Kernel, Error> {
        let mut machine = EbpfVmRaw::new(Some(program))?;
        if mode == Mode::Compiled {
            machine.jit_compile()?;
        }
        Ok(Kernel {
            machine,
            mode,
            state,
        })
    }

    /// Runs one invocation.
    ///
    /// # Errors
    ///
    /// Returns an error if rbpf reports one.
    pub fn invoke(&mut self, a: i32, b: i32) -> Result<i32, Error> {
        self.state[..4].copy_from_slice(&a.to_le_bytes());
        self.state[4..8].copy_from_slice(&b.to_le_bytes());
        let result = match self.mode {
            Mode::Interpreted => self.machine.execute_program(&mut self.state),
            // SAFETY: the program is one of `OBJECT`, compiled by clang from `kernels.c` without calls. The program
            // reaches memory through its one argument alone, a `struct state`, whose size the field `state` has. rbpf
            // compiled the program when `new` made this value.
            Mode::Compiled => unsafe { self.machine.execute_program_jit(&mut self.state) },
        };
        // Truncate the register, because an `int` result is its lower half.
        result.map(|register| register as i32)
    }
}

fn program_or_error(name: &str) -> Result<&'static [u8], Error> {
    program(name)?.ok_or_else(|| Error::other(format!("kernels.bpf.o has no {name}")))
}

fn program(name: &str) -> Result<Option<&'static [u8]>, Error> {
    let file = object::File::parse(OBJECT).map_err(Error::other)?;
    let section = file.section_by_name(&format!(".text.{name}"));
    section
        .map(|section| section.data().map_err(Error::other))
        .transpose()
}
