//! Prints how fast classes load and packets move, and what an idle endpoint weighs.

use allocations::CountingAllocator;
use bench::loading::{self, LargeClass};
use bench::memory;
use bench::traffic::Traffic;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Numbers of endpoints on one NIC.
const ENDPOINTS: [u32; 5] = [1, 10, 100, 1_000, 10_000];
/// Numbers of pairs of NICs.
const NIC_PAIRS: [u32; 4] = [1, 5, 50, 500];

fn main() {
    println!(
        "CPU time of this thread, medians of rounds; a neighbour on the machine disturbs them.\n"
    );
    println!("Loading (parse, verify, link)");
    println!(
        "  RawUnet, {} bytes: {:.1} us",
        applets::RAW_UNET.class.len(),
        loading::raw_unet_us()
    );
    for methods in [1, 4, 16] {
        let class = LargeClass::new(methods);
        println!(
            "  {:7} bytes: {:.1} MB/s",
            class.bytes.len(),
            class.megabytes_per_second()
        );
    }

    println!(
        "\nPackets of 64 bytes through doTx, wire and doRx of RawUnet, received and read, untraced"
    );
    let one = Traffic::of_one_pair(200_000);
    let base = one.ns_per_packet();
    println!(
        "  one pair of endpoints: {base:.0} ns each, {:.2} million/s",
        1e3 / base
    );
    for endpoints in ENDPOINTS {
        let few = Traffic { endpoints, ..one };
        let all = Traffic {
            active: endpoints,
            ..few
        };
        let [few, all] = [few, all].map(|traffic| traffic.ns_per_packet() / base);
        println!(
            "  {endpoints:5} endpoints on each NIC: one active {few:.2}, all active {all:.2} times that"
        );
    }
    for nic_pairs in NIC_PAIRS {
        let many = Traffic { nic_pairs, ..one };
        println!(
            "  {:5} NICs, all busy: {:.2} times that",
            2 * nic_pairs,
            many.ns_per_packet() / base
        );
    }

    println!("\nMemory");
    println!(
        "  an idle endpoint with RawUnet, without buffer area, RxBuf and heap: {} bytes",
        memory::idle_endpoint_bytes()
    );
}
