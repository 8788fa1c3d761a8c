//! Gives the linker one entry that loads, verifies, links and runs a class file, so that what the
//! freestanding crates weigh in firmware can be read off the ELF.
//!
//! It is never run: class file, natives and memory come from where the optimiser cannot look.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;

use jive_core::{
    CallStack, ClassFile, Frame, Heap, Instance, Lifetime, LinkedConstant, LinkedField,
    LinkedMethod, Mark, MethodId, NativeDecl, NativeId, NativeParameter, NativeType, Natives, Op, Pc,
    ProgramStorage, SwitchCase, TrapKind, Verified, link,
};

/// A table with one row: what natives do lies outside of what is measured.
static NATIVES: &[NativeDecl] = &[NativeDecl {
    class: "unet/Nic",
    name: "txPush",
    parameters: &[NativeParameter {
        name: "buffer",
        kind: NativeType::ByteArray,
    }],
    result: None,
    summary: "",
}];

struct External;

impl Natives for External {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        black_box((id, args, heap));
        black_box(Err(TrapKind::ProtectionFault))
    }
}

#[cfg(feature = "verifier")]
fn vouched(class: ClassFile<'_>) -> Option<Verified<'_>> {
    use jive_verifier::{CodeMarks, Policy, Resolved, WorkArea, verify};
    let (mut constants, mut marks) = ([Resolved::default(); 64], [CodeMarks::default(); 64]);
    let (mut signatures, mut leaders) = ([0; 64], [0; 64]);
    let (mut queue, mut states) = ([0; 16], [0; 512]);
    let work = WorkArea {
        constants: black_box(&mut constants),
        signatures: black_box(&mut signatures),
        marks: black_box(&mut marks),
        leaders: black_box(&mut leaders),
        queue: black_box(&mut queue),
        states: black_box(&mut states),
    };
    verify(class, Policy::Applet, NATIVES, work).ok()
}

#[cfg(not(feature = "verifier"))]
fn vouched(class: ClassFile<'_>) -> Option<Verified<'_>> {
    Some(Verified::vouch(class, NATIVES, None))
}

fn load_and_run(bytes: &[u8]) -> Option<i32> {
    let mut index = [0; 256];
    let length = ClassFile::index_len(bytes).ok()?;
    let class = ClassFile::parse(bytes, index.get_mut(..length)?).ok()?;
    let verified = vouched(class)?;
    let (mut ops, mut ends) = ([Op::default(); 256], [0; 256]);
    let (mut places, mut marks) = ([Pc(0); 256], [Mark::default(); 256]);
    let (mut methods, mut linked) = ([LinkedMethod::default(); 16], [LinkedField::default(); 16]);
    let mut switches = [SwitchCase::default(); 16];
    let mut constants = [LinkedConstant::default(); 64];
    let storage = ProgramStorage {
        ops: black_box(&mut ops),
        ends: black_box(&mut ends),
        places: black_box(&mut places),
        marks: black_box(&mut marks),
        methods: black_box(&mut methods),
        fields: black_box(&mut linked),
        switches: black_box(&mut switches),
        constants: black_box(&mut constants),
    };
    let program = link(&verified, storage).ok()?;
    let mut fields = [0; 16];
    let mut heap = [0; 1024];
    let mut instance = Instance::new(program, &mut fields, Heap::new(&mut heap));
    let (mut frames, mut slots) = ([Frame::default(); 8], [0; 384]);
    let mut stack = CallStack::new(&mut frames, &mut slots);
    let method = black_box(MethodId(0));
    let fuel = black_box(1_000);
    let outcome = instance.call(
        &mut stack,
        method,
        &[],
        fuel,
        Lifetime::PerCall,
        &mut External,
    );
    outcome.ok()?
}

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    let bytes: &[u8] = black_box(&[]);
    black_box(load_and_run(bytes));
    loop {}
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
