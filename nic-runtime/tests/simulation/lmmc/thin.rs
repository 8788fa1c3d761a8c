//! One port, one store.

use nic_core::lmmc::Policy;

use super::{Cast, port, world};

#[test]
fn a_store_is_one_message_and_its_reader_reads_memory() {
    let mut scenario = world(&[&["a"], &["b"]], &[]);
    scenario.ports = vec![port(&[0], &[1], Policy::Immediate)];
    let cast = Cast::default()
        .does("a", |home, actions| {
            actions.store(home, 1, (0, 8), vec![7, 0, 0, 1]);
            actions.store(home, 2, (0, 4092), vec![9; 4]);
        })
        .does("b", |home, actions| {
            actions.wait_word(home, 3, (0, 8), (0, None));
            actions.wait_word(home, 4, (0, 4092), (0, None));
            actions.load(home, 5, (0, 4, 10));
        });
    let (trace, heard) = cast.run(&scenario);
    let word = u32::from_le_bytes([7, 0, 0, 1]);
    let nines = u32::from_le_bytes([9; 4]);
    assert_eq!(
        heard,
        [
            format!("b: 3 word Some({word})"),
            format!("b: 4 word Some({nines})"),
            "b: 5 [0, 0, 0, 0, 7, 0, 0, 1, 0, 0]".to_owned(),
        ]
    );
    // The set-up is an offer and its answer, and each store one packet of the wire. No store traps.
    assert_eq!(trace.of("window-write").len(), 2);
    assert_eq!(trace.of("wire-tx").len(), 4);
    assert_eq!(trace.of("fault").len(), 0);
}
