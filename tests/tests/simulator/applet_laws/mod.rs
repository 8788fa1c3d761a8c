//! The promises of the shipped applets, over random traffic, links and peers.
//!
//! A law is a function of a seed. Each test runs as many seeds as fit in a second or two. A longer run uses more seeds:
//! `JIVE_RUNS=1000 cargo test --release -p tests --test simulator applet_laws`

mod active_messages;
mod aggregate;
mod chain;
mod checksum;
mod extensions;
mod firewall;
mod frames;
mod key_value;
mod load_balance;
mod multicast;
mod nat;
mod network;
mod packet_placed;
mod policer;
mod reduce;
mod reliable;
mod split_c;
mod stream;
mod telemetry;
mod token_flow;
mod window_barrier;

use crate::runs::runs;

/// Runs a law for `count` seeds, or for as many as `JIVE_RUNS` gives.
fn hold(law: fn(u64), count: u64) {
    for seed in 1..=runs(count) {
        println!("seed {seed}");
        law(seed);
    }
}

macro_rules! laws {
    ($($name:ident: $law:path, $count:literal;)+) => {$(
        #[test]
        fn $name() {
            hold($law, $count);
        }
    )+};
}

laws! {
    checksums_are_those_of_etherparse: checksum::law, 30;
    the_firewall_decides_as_etherparse_parses: firewall::law, 30;
    a_malformed_table_denies_everything: firewall::malformed_table, 10;
    the_policer_drops_exactly_what_exceeds_the_rate: policer::law, 30;
    tokens_never_let_a_receiver_drop: token_flow::law, 30;
    reliable_messages_arrive_once_and_in_order: reliable::law, 20;
    a_cut_link_refuses_what_may_not_have_arrived: reliable::cut, 20;
    translated_frames_are_those_of_etherparse: nat::law, 20;
    an_entry_lives_until_its_last_microsecond: nat::last_microsecond, 12;
    the_cache_is_never_stale: key_value::law, 20;
    each_member_of_a_tree_receives_each_message_once: multicast::law, 20;
    nothing_is_written_outside_the_window: packet_placed::law, 20;
    each_request_has_exactly_one_answer: active_messages::law, 20;
    as_many_requests_wait_as_there_are_places: active_messages::places, 12;
    operations_on_words_are_atomic: split_c::law, 20;
    a_chain_delivers_what_its_applets_deliver: chain::law, 10;
    frames_have_a_constant_delay: stream::law, 20;
    play_out_begins_with_the_oldest_frame_that_has_come: stream::beginning, 20;
    gathered_messages_keep_their_order_and_the_delay: aggregate::law, 20;
    sums_over_a_tree_are_exact: reduce::sums, 20;
    nobody_leaves_a_barrier_before_the_last_has_come: reduce::barriers, 20;
    no_nic_passes_windows_before_the_last_has_come: window_barrier::law, 20;
    barriers_open_while_the_clock_wraps: window_barrier::wraps, 2;
    a_flow_never_splits: load_balance::law, 5;
    deferred_messages_are_those_of_the_library: extensions::deferral, 20;
    split_messages_are_those_of_the_library: extensions::splitting, 20;
    stamps_and_reports_agree_with_the_trace: telemetry::law, 20;
}
