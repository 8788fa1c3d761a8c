//! The functions as C calls them: with pointers, right and wrong. Miri runs these tests too.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use jive_c::{
    Jive, JiveField, JiveHeap, JiveMethod, JiveNative, JiveNeeds, JivePlace, JiveRefusal, JiveRoom,
    JiveStatus, JiveText, jive_bytes, jive_call, jive_explain, jive_field, jive_fuel,
    jive_fuel_used, jive_get, jive_heap_bytes, jive_load, jive_memory_needed, jive_method,
    jive_new_bytes, jive_resume, jive_set, jive_trap_at, jive_trap_name,
};

static FILTER: &[u8] = include_bytes!("../c/Filter.class");

const ROOM: JiveRoom = JiveRoom {
    heap_bytes: 512,
    nested_calls: 4,
};

/// What the native `report` was called with, and whether it fails. The test and the native share it, as C does.
struct Log {
    reports: RefCell<Vec<(Vec<u8>, i32)>>,
    fails: Cell<bool>,
    jive: Cell<*mut Jive>,
    status: Cell<Option<JiveStatus>>,
}

unsafe extern "C" fn report(
    context: *mut c_void,
    heap: *mut JiveHeap,
    arguments: *const i32,
    count: usize,
    result: *mut i32,
) -> bool {
    // SAFETY: The context is the `Log` of the test, and the rest is as the header says.
    unsafe {
        let log = &*context.cast::<Log>();
        assert_eq!(count, 2);
        let mut length = 0;
        let bytes = jive_heap_bytes(heap, *arguments, &raw mut length);
        assert!(!bytes.is_null());
        assert!(jive_heap_bytes(heap, 12345, null_mut()).is_null());
        let head = std::slice::from_raw_parts(bytes, 2).to_vec();
        log.reports.borrow_mut().push((head, *arguments.add(1)));
        if !log.jive.get().is_null() {
            log.status.set(Some(jive_fuel(log.jive.get(), 1)));
        }
        *result = 7;
        !log.fails.get()
    }
}

fn row(log: &Log) -> JiveNative {
    JiveNative {
        class_name: c"Filter".as_ptr(),
        name: c"report".as_ptr(),
        descriptor: c"([BI)I".as_ptr(),
        callback: Some(report),
        context: (&raw const *log).cast_mut().cast(),
    }
}

/// Memory that is lent until the test ends.
struct Lent {
    memory: Vec<MaybeUninit<u8>>,
    scratch: Vec<MaybeUninit<u8>>,
}

impl Lent {
    fn new(memory: usize, scratch: usize) -> Lent {
        let of = |length| vec![MaybeUninit::uninit(); length];
        Lent {
            memory: of(memory),
            scratch: of(scratch),
        }
    }

    fn load(&mut self, class: &'static [u8], natives: &[JiveNative]) -> (*mut Jive, JiveStatus) {
        let mut jive = null_mut();
        // SAFETY: The slices lead to as much memory as is said, and outlive the handle.
        let status = unsafe {
            jive_load(
                class.as_ptr(),
                class.len(),
                natives.as_ptr(),
                natives.len(),
                ROOM,
                1_000,
                self.memory.as_mut_ptr().cast(),
                self.memory.len(),
                self.scratch.as_mut_ptr().cast(),
                self.scratch.len(),
                &raw mut jive,
            )
        };
        (jive, status)
    }
}

fn needs(class: &[u8], natives: &[JiveNative], scratch: usize) -> (JiveNeeds, JiveStatus) {
    let mut memory = vec![MaybeUninit::<u8>::uninit(); scratch];
    let mut needs = JiveNeeds {
        memory: 0,
        scratch: 0,
    };
    // SAFETY: As for `Lent::load`.
    let status = unsafe {
        jive_memory_needed(
            class.as_ptr(),
            class.len(),
            natives.as_ptr(),
            natives.len(),
            ROOM,
            memory.as_mut_ptr().cast(),
            memory.len(),
            &raw mut needs,
        )
    };
    (needs, status)
}

fn text(text: JiveText) -> String {
    // SAFETY: The text is of the library or of the class file, which is static.
    let bytes = unsafe { std::slice::from_raw_parts(text.bytes, text.length) };
    String::from_utf8(bytes.to_vec()).expect("a text")
}

fn method(jive: *const Jive, name: &CStr, descriptor: &CStr) -> Result<JiveMethod, JiveStatus> {
    let mut method = JiveMethod { number: 99 };
    // SAFETY: The handle is of `jive_load`, whose memory is lent until the test ends.
    let status = unsafe { jive_method(jive, name.as_ptr(), descriptor.as_ptr(), &raw mut method) };
    match status {
        JiveStatus::Ok => Ok(method),
        status => Err(status),
    }
}

fn field(jive: *const Jive, name: &CStr, descriptor: &CStr) -> Result<JiveField, JiveStatus> {
    let mut field = JiveField { number: 99 };
    // SAFETY: As for `method`.
    let status = unsafe { jive_field(jive, name.as_ptr(), descriptor.as_ptr(), &raw mut field) };
    match status {
        JiveStatus::Ok => Ok(field),
        status => Err(status),
    }
}

fn call(jive: *mut Jive, method: JiveMethod, arguments: &[i32]) -> Result<i32, JiveStatus> {
    let mut result = -1;
    // SAFETY: As for `method`; the arguments are a slice.
    let status = unsafe {
        jive_call(
            jive,
            method,
            arguments.as_ptr(),
            arguments.len(),
            &raw mut result,
        )
    };
    match status {
        JiveStatus::Ok => Ok(result),
        status => Err(status),
    }
}

/// Allocates an array and fills its beginning.
fn array(jive: *mut Jive, bytes: &[u8]) -> i32 {
    let (mut array, mut length) = (0, 0);
    // SAFETY: As for `method`; the array has as many bytes as are copied.
    unsafe {
        assert_eq!(
            jive_new_bytes(jive, bytes.len(), &raw mut array),
            JiveStatus::Ok
        );
        let to = jive_bytes(jive, array, &raw mut length);
        assert_eq!(length, bytes.len());
        to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
    }
    array
}

fn log() -> Log {
    Log {
        reports: RefCell::default(),
        fails: Cell::new(false),
        jive: Cell::new(null_mut()),
        status: Cell::new(None),
    }
}

#[test]
fn a_class_is_loaded_in_exactly_the_memory_that_it_needs() {
    let log = log();
    let natives = [row(&log)];
    let (asked, status) = needs(FILTER, &natives, 0);
    assert_eq!(status, JiveStatus::NoMemory);
    let (needed, status) = needs(FILTER, &natives, asked.scratch);
    assert_eq!(status, JiveStatus::Ok);
    let mut lent = Lent::new(needed.memory, needed.scratch);
    let (jive, status) = lent.load(FILTER, &natives);
    assert_eq!((status, jive.is_null()), (JiveStatus::Ok, false));
    // The rest is what padding may take, so that three quarters are too little.
    for (memory, scratch) in [
        (needed.memory * 3 / 4, needed.scratch),
        (needed.memory, needed.scratch * 3 / 4),
        (0, needed.scratch),
        (needed.memory, 0),
        (8, 8),
    ] {
        let mut lent = Lent::new(memory, scratch);
        let (jive, status) = lent.load(FILTER, &natives);
        assert_eq!((status, jive.is_null()), (JiveStatus::NoMemory, true));
    }
}

#[test]
fn methods_fields_arrays_and_natives_work() {
    let log = log();
    let natives = [row(&log)];
    let mut lent = Lent::new(4096, 4096);
    let (jive, status) = lent.load(FILTER, &natives);
    assert_eq!(status, JiveStatus::Ok);
    let accept = method(jive, c"accept", c"([BI)Z").expect("it is declared");
    let dropped = field(jive, c"dropped", c"I").expect("it is declared");
    let packet = array(jive, b"hello");
    assert_eq!(call(jive, accept, &[packet, 5]), Ok(1));
    // SAFETY: The handle is of `jive_load`.
    assert!(unsafe { jive_fuel_used(jive) } > 5);
    assert_eq!(*log.reports.borrow(), []);
    assert_eq!(call(jive, accept, &[packet, 1]), Ok(0));
    assert_eq!(*log.reports.borrow(), [(b"he".to_vec(), 1)]);
    let mut value = 0;
    // SAFETY: As above.
    unsafe {
        assert_eq!(jive_get(jive, dropped, &raw mut value), JiveStatus::Ok);
        assert_eq!(value, 1);
        assert_eq!(jive_set(jive, dropped, 41), JiveStatus::Ok);
    }
    assert_eq!(call(jive, accept, &[packet, 1]), Ok(0));
    // SAFETY: As above.
    unsafe {
        assert_eq!(jive_get(jive, dropped, &raw mut value), JiveStatus::Ok);
    }
    assert_eq!(value, 42);
}

#[test]
fn a_native_may_fail_and_never_reaches_its_instance() {
    let log = log();
    let natives = [row(&log)];
    let mut lent = Lent::new(4096, 4096);
    let (jive, _) = lent.load(FILTER, &natives);
    log.jive.set(jive);
    let accept = method(jive, c"accept", c"([BI)Z").expect("it is declared");
    let packet = array(jive, b"hello");
    assert_eq!(call(jive, accept, &[packet, 1]), Ok(0));
    assert_eq!(log.status.get(), Some(JiveStatus::Busy));
    log.fails.set(true);
    assert_eq!(call(jive, accept, &[packet, 1]), Err(JiveStatus::Trapped));
    let mut place = JivePlace {
        method: JiveText {
            bytes: null(),
            length: 0,
        },
        pc: 0,
        line: 0,
    };
    // SAFETY: The handle is of `jive_load`.
    unsafe {
        assert_eq!(text(jive_trap_name(jive)), "ProtectionFault");
        assert_eq!(jive_trap_at(jive, &raw mut place), JiveStatus::Ok);
    }
    assert_eq!(text(place.method), "accept");
    assert!(place.pc > 0 && place.line > 0);
    log.fails.set(false);
    assert_eq!(call(jive, accept, &[packet, 5]), Ok(1));
    // SAFETY: As above.
    unsafe {
        assert_eq!(text(jive_trap_name(jive)), "");
        assert_eq!(jive_trap_at(jive, &raw mut place), JiveStatus::NotFound);
    }
}

#[test]
fn a_call_runs_on_with_more_fuel() {
    let log = log();
    let natives = [row(&log)];
    let mut lent = Lent::new(4096, 4096);
    let (jive, _) = lent.load(FILTER, &natives);
    let accept = method(jive, c"accept", c"([BI)Z").expect("it is declared");
    let packet = array(jive, b"hello");
    assert_eq!(call(jive, accept, &[packet, 1]), Ok(0));
    // SAFETY: The handle is of `jive_load`.
    let whole = unsafe { jive_fuel_used(jive) };
    // SAFETY: As above.
    unsafe { assert_eq!(jive_fuel(jive, 2), JiveStatus::Ok) };
    assert_eq!(call(jive, accept, &[packet, 1]), Err(JiveStatus::Trapped));
    let mut result = -1;
    let mut status = JiveStatus::Trapped;
    while status == JiveStatus::Trapped {
        // SAFETY: As above.
        unsafe {
            assert_eq!(text(jive_trap_name(jive)), "FuelExhausted");
            status = jive_resume(jive, 2, &raw mut result);
        }
    }
    assert_eq!((status, result), (JiveStatus::Ok, 0));
    // SAFETY: As above.
    unsafe {
        assert_eq!(jive_fuel_used(jive), whole);
        assert_eq!(jive_resume(jive, 2, &raw mut result), JiveStatus::Argument);
    }
    assert_eq!(log.reports.borrow().len(), 2);
}

#[test]
fn a_refused_class_says_by_which_rule() {
    let mut lent = Lent::new(8192, 8192);
    let (jive, status) = lent.load(&[0; 64], &[]);
    assert_eq!((status, jive.is_null()), (JiveStatus::Refused, false));
    let mut refusal = JiveRefusal {
        code: JiveText {
            bytes: null(),
            length: 0,
        },
        method: 0,
        pc: 0,
        offset: 0,
    };
    // SAFETY: The handle is of `jive_load`.
    unsafe { assert_eq!(jive_explain(jive, &raw mut refusal), JiveStatus::Ok) };
    assert_eq!(text(refusal.code), "malformed/magic");
    assert_eq!((refusal.method, refusal.pc, refusal.offset), (-1, -1, 0));
    assert_eq!(method(jive, c"accept", c"([BI)Z"), Err(JiveStatus::Refused));
    // Without its native, the class is refused for the method that declares it.
    let mut lent = Lent::new(8192, 8192);
    let (jive, status) = lent.load(FILTER, &[]);
    assert_eq!(status, JiveStatus::Refused);
    // SAFETY: As above.
    unsafe { assert_eq!(jive_explain(jive, &raw mut refusal), JiveStatus::Ok) };
    assert_eq!(text(refusal.code), "subset/unknown-native");
    assert!(refusal.method >= 0 && refusal.offset == -1);
}

#[test]
fn wrong_arguments_are_refused_without_harm() {
    let log = log();
    let natives = [row(&log)];
    let mut lent = Lent::new(4096, 4096);
    let (jive, _) = lent.load(FILTER, &natives);
    let accept = method(jive, c"accept", c"([BI)Z").expect("it is declared");
    let packet = array(jive, b"hello");
    let argument = Err(JiveStatus::Argument);
    for arguments in [
        &[][..],
        &[packet],
        &[packet, 5, 5],
        &[packet + 4, 5],
        &[5, packet],
    ] {
        assert_eq!(call(jive, accept, arguments), argument, "{arguments:?}");
    }
    assert_eq!(call(jive, JiveMethod { number: 77 }, &[]), argument);
    assert_eq!(call(jive, JiveMethod { number: 1 << 20 }, &[]), argument);
    assert_eq!(call(null_mut(), accept, &[packet, 5]), argument);
    let missing = Err(JiveStatus::NotFound);
    assert_eq!(method(jive, c"accept", c"()V"), missing);
    assert_eq!(method(jive, c"<init>", c"()V"), missing);
    assert_eq!(method(jive, c"report", c"([BI)I"), missing);
    assert_eq!(
        field(jive, c"dropped", c"[I").err(),
        Some(JiveStatus::NotFound)
    );
    let dropped = field(jive, c"dropped", c"I").expect("it is declared");
    // SAFETY: Each pointer is null or right, which is all that the functions ask.
    unsafe {
        assert_eq!(jive_get(jive, dropped, null_mut()), JiveStatus::Argument);
        let unknown = JiveField { number: 9 };
        assert_eq!(jive_set(jive, unknown, 1), JiveStatus::Argument);
        assert_eq!(
            jive_method(jive, null(), c"I".as_ptr(), null_mut()),
            JiveStatus::Argument
        );
        let not_utf8 = c"\xff";
        let status = jive_method(jive, not_utf8.as_ptr(), c"I".as_ptr(), null_mut());
        assert_eq!(status, JiveStatus::Argument);
        assert_eq!(jive_new_bytes(jive, 5, null_mut()), JiveStatus::Argument);
        assert_eq!(
            jive_new_bytes(jive, 1 << 20, null_mut()),
            JiveStatus::NoMemory
        );
        assert_eq!(
            jive_new_bytes(jive, usize::MAX, null_mut()),
            JiveStatus::NoMemory
        );
        assert!(jive_bytes(jive, 0, null_mut()).is_null());
        assert!(jive_bytes(null_mut(), packet, null_mut()).is_null());
        assert_eq!(
            jive_call(jive, accept, null(), 2, null_mut()),
            JiveStatus::Argument
        );
        assert_eq!(text(jive_trap_name(null())), "");
    }
    assert_eq!(call(jive, accept, &[packet, 5]), Ok(1));
    // A row without a callback, and one with a type that no native has.
    let mut lent = Lent::new(4096, 4096);
    let without = JiveNative {
        callback: None,
        ..natives[0]
    };
    assert_eq!(lent.load(FILTER, &[without]).1, JiveStatus::Argument);
    let of_long = JiveNative {
        descriptor: c"(J)V".as_ptr(),
        ..natives[0]
    };
    assert_eq!(lent.load(FILTER, &[of_long]).1, JiveStatus::Argument);
}
