//! The type that is printed for a class: its methods take and return values of Rust.

use compiled::user::arrays::Arrays;
use compiled::user::filter::Filter;
use jive_core::compiled::Array;
use jive_core::{NoNatives, TrapKind};

#[test]
fn a_slice_lives_as_long_as_its_call() {
    let mut filter = Filter::new(NoNatives).unwrap();
    let used = filter.with(|instance, _| instance.heap().used());
    for _ in 0..10_000 {
        assert!(filter.accept(b"hello", 5).unwrap());
        assert!(!filter.accept(&[1, 2, 3][..], 3).unwrap());
    }
    assert_eq!(filter.with(|instance, _| instance.heap().used()), used);
    assert_eq!(filter.with(|instance, _| instance.fields()[0]), 10_000);
}

#[test]
fn a_trap_is_that_of_the_interpreter() {
    let mut filter = Filter::new(NoNatives).unwrap();
    let trap = filter.accept(Array::<u8>::NULL, 5).unwrap_err();
    assert_eq!(trap.kind, TrapKind::NullPointerException);
    let trap = filter.accept(b"", 1).unwrap_err();
    assert_eq!(trap.kind, TrapKind::ArrayIndexOutOfBoundsException);
    let places = filter.with(|instance, stack| instance.backtrace(stack, trap).count());
    assert_eq!(places, 1);
    filter.unit().set_fuel(3);
    let trap = filter.accept(b"hello", 5).unwrap_err();
    assert_eq!(
        (trap.kind, filter.unit().executed()),
        (TrapKind::FuelExhausted, 3)
    );
    filter.unit().set_fuel(100);
    assert!(filter.accept(b"hello", 5).unwrap());
}

#[test]
fn an_array_of_the_instance_keeps_its_elements() {
    let mut filter = Filter::new(NoNatives).unwrap();
    let packet = filter.unit().array::<u8>(8).unwrap();
    assert!(!filter.accept(packet, 8).unwrap());
    filter.unit().bytes_mut(packet).unwrap()[0] = b'h';
    assert!(filter.accept(packet, 8).unwrap());
    // A forged reference, and an array of another kind.
    let trap = filter.accept(Array::<u8>::of(12_345), 1).unwrap_err();
    assert_eq!(trap.kind, TrapKind::ProtectionFault);
    let ints = filter.unit().array::<i32>(2).unwrap();
    let reference = format!("{ints:?}");
    let number = reference.trim_matches(|letter: char| !letter.is_ascii_digit());
    let trap = filter
        .accept(Array::<u8>::of(number.parse().unwrap()), 1)
        .unwrap_err();
    assert_eq!(trap.kind, TrapKind::ProtectionFault);
    // A slice that does not fit is refused, and what was passed before it is freed.
    let used = filter.with(|instance, _| instance.heap().used());
    let trap = filter.accept(&[0; 70_000][..], 1).unwrap_err();
    assert_eq!(trap.kind, TrapKind::OutOfMemoryError);
    assert_eq!(filter.with(|instance, _| instance.heap().used()), used);
    assert!(filter.accept(packet, 8).unwrap());
}

#[test]
fn elements_come_back_and_no_field_keeps_what_the_call_frees() {
    let mut arrays = Arrays::new(NoNatives).unwrap();
    let mut bytes = [1, 2, 250];
    arrays.add(&mut bytes, -3).unwrap();
    assert_eq!(bytes, [254, 255, 247]);
    let mut shorts = [i16::MAX, 5];
    assert_eq!(
        arrays.swap(&mut shorts[..], &mut [true, false]).unwrap(),
        -1
    );
    assert_eq!(shorts, [5, i16::MAX]);
    // The method keeps its argument in a field.
    let trap = arrays.keep(&[1, 2]).unwrap_err();
    assert_eq!(trap.kind, TrapKind::TransientEscape);
    let kept = arrays.unit().array::<i32>(2).unwrap();
    assert_eq!(arrays.keep(kept).unwrap(), kept);
    // The method returns an array that it has made.
    assert_eq!(arrays.made(3).unwrap_err().kind, TrapKind::TransientEscape);
    // A name that Rust or the type itself has.
    assert_eq!(arrays.match_2(true).unwrap(), 3);
    assert_eq!(arrays.new_2(7).unwrap(), 8);
}
