use super::*;
use crate::profile::Profile;

fn links(ends: &[(u32, u32)]) -> Vec<LinkSpec> {
    let wire = Profile::builtin("lanai-1998").expect("it is built in").wire;
    let link = |(a, b): &(u32, u32)| LinkSpec {
        between: (NicId(*a), NicId(*b)),
        wire,
        loss: 0.0,
        duplicate: 0.0,
        corrupt: 0.0,
        reorder: 0.0,
        crc: true,
    };
    ends.iter().map(link).collect()
}

/// Switches with these names and places.
fn switches(names: &[(&str, &[u32])]) -> Vec<SwitchSpec> {
    let switch = |(name, at): &(&str, &[u32])| SwitchSpec {
        name: (*name).to_owned(),
        ports: 9,
        latency: nic_core::time::SimDuration::ZERO,
        mode: crate::spec::SwitchMode::StoreAndForward,
        buffer: None,
        full: crate::spec::Full::Drop,
        at: at.to_vec(),
    };
    names.iter().map(switch).collect()
}

fn shortest(nics: &[&str], of: &[&str], ends: &[(u32, u32)]) -> Routes {
    let of: Vec<(&str, &[u32])> = of.iter().map(|name| (*name, &[][..])).collect();
    Routes::new(nics, &switches(&of), &links(ends), &Routing::Shortest)
}

/// Returns the nodes of a route behind its first.
fn nodes(routes: &Routes, from: u32, to: u32) -> Vec<u32> {
    let way = routes.way(NicId(from), NicId(to));
    way.map(|(node, link)| routes.other_end(link, node).0)
        .collect()
}

#[test]
fn the_shortest_route_is_taken_and_then_the_first_name() {
    // Two NICs with two switches between them, a third switch that makes a detour, and a NIC without a link.
    let ends = [(0, 3), (0, 4), (3, 1), (4, 1), (0, 5), (5, 4)];
    let routes = shortest(&["a", "b", "alone"], &["y", "x", "w"], &ends);
    let there = (NicId(0), NicId(1));
    assert_eq!(routes.next(NicId(0), there), Some(1), "by x");
    assert_eq!(routes.next(NicId(4), there), Some(3));
    assert_eq!(routes.next(NicId(5), there), Some(5));
    assert_eq!(
        routes.next(NicId(1), (NicId(1), NicId(0))),
        Some(3),
        "by x as well"
    );
    assert_eq!(routes.next(NicId(0), (NicId(0), NicId(2))), None);
    assert_eq!(routes.next(NicId(0), (NicId(0), NicId(0))), None);
}

#[test]
fn no_nic_passes_packets_on() {
    // The only way from the first NIC to the third leads through the second.
    let routes = shortest(&["a", "b", "c"], &[], &[(0, 1), (1, 2)]);
    assert_eq!(nodes(&routes, 0, 1), [1]);
    assert_eq!(nodes(&routes, 0, 2), [0; 0]);
}

#[test]
fn of_two_links_the_first_is_taken() {
    let routes = shortest(&["a", "b"], &[], &[(1, 0), (0, 1)]);
    assert_eq!(routes.next(NicId(0), (NicId(0), NicId(1))), Some(0));
}

#[test]
fn nics_of_one_switch_need_no_routes_of_their_own() {
    let ends: Vec<(u32, u32)> = (0..100).map(|nic| (nic, 100)).collect();
    let names: Vec<String> = (0..100).map(|nic| format!("n{nic}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let routes = shortest(&names, &["s"], &ends);
    assert_eq!(routes.next.len(), 1);
    assert_eq!(nodes(&routes, 7, 99), [100, 99]);
}

#[test]
fn up_down_routes_never_go_up_again() {
    // A ring of six switches with a NIC at each; the root is the switch 6.
    let ring: Vec<(u32, u32)> = (0..6)
        .flat_map(|n| [(n, 6 + n), (6 + n, 6 + (n + 1) % 6)])
        .collect();
    let of: [(&str, &[u32]); 6] = [
        ("s0", &[]),
        ("s1", &[]),
        ("s2", &[]),
        ("s3", &[]),
        ("s4", &[]),
        ("s5", &[]),
    ];
    let names = ["a", "b", "c", "d", "e", "f"];
    let routes = Routes::new(&names, &switches(&of), &links(&ring), &Routing::UpDown);
    // The switches by their distance from the root: 6, 7 and 11, 8 and 10, 9. Down to 9 it goes by 8, never by 10 from 8.
    assert_eq!(nodes(&routes, 0, 3), [6, 7, 8, 9, 3]);
    assert_eq!(
        nodes(&routes, 4, 2),
        [10, 11, 6, 7, 8, 2],
        "not by 9, behind which it would go up"
    );
    assert_eq!(nodes(&routes, 3, 4), [9, 10, 4]);
    for (from, to) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
        if from != to {
            assert_eq!(nodes(&routes, from, to).last(), Some(&to));
        }
    }
}

#[test]
fn dimension_order_goes_along_the_first_dimension_first() {
    // Two by two switches with a NIC at each.
    let of: [(&str, &[u32]); 4] = [
        ("d", &[0, 0]),
        ("c", &[0, 1]),
        ("b", &[1, 0]),
        ("a", &[1, 1]),
    ];
    let ends = [
        (0, 4),
        (1, 5),
        (2, 6),
        (3, 7),
        (4, 5),
        (4, 6),
        (5, 7),
        (6, 7),
    ];
    let routes = Routes::new(
        &["w", "x", "y", "z"],
        &switches(&of),
        &links(&ends),
        &Routing::DimensionOrder,
    );
    assert_eq!(nodes(&routes, 0, 3), [4, 6, 7, 3]);
    assert_eq!(nodes(&routes, 3, 0), [7, 5, 4, 0]);
    // Without the link from (0, 0) to (1, 0) there is no such route, though there is a way.
    let without: Vec<(u32, u32)> = ends.into_iter().filter(|end| *end != (4, 6)).collect();
    let routes = Routes::new(
        &["w", "x", "y", "z"],
        &switches(&of),
        &links(&without),
        &Routing::DimensionOrder,
    );
    assert_eq!(nodes(&routes, 0, 3), [0; 0]);
    assert_eq!(nodes(&routes, 3, 0), [7, 5, 4, 0]);
}

#[test]
fn spread_routes_use_every_shortest_way() {
    // Two switches with 32 NICs each, and four between them.
    let nics = 64;
    let mut ends: Vec<(u32, u32)> = (0..nics).map(|nic| (nic, nics + nic / 32)).collect();
    ends.extend((0..4).flat_map(|way| [(nics, nics + 2 + way), (nics + 1, nics + 2 + way)]));
    // Another link to each NIC makes it a target of its own.
    ends.extend((0..nics).map(|nic| (nic, nics + 6)));
    let names: Vec<String> = (0..nics).map(|nic| format!("n{nic}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let of: Vec<(&str, &[u32])> = ["a", "b", "c", "d", "e", "f", "z"]
        .map(|name| (name, &[][..]))
        .to_vec();
    let mut links = links(&ends);
    let routes = Routes::new(&names, &switches(&of), &links, &Routing::Spread);
    let by = |routes: &Routes| -> std::collections::BTreeSet<u32> {
        let to = (32..nics).map(|to| routes.next(NicId(nics), (NicId(0), NicId(to))));
        to.filter_map(|link| Some(routes.other_end(link?, NicId(nics)).0))
            .collect()
    };
    assert_eq!(by(&routes), (66..70).collect());
    links.truncate(links.len() - 64);
    let first = Routes::new(&names, &switches(&of), &links, &Routing::Shortest);
    assert_eq!(by(&first), [66].into());
}

#[test]
fn a_given_route_holds_for_its_pair_alone() {
    let ends = [(0, 2), (1, 3), (2, 3), (2, 4), (4, 3)];
    let of: [(&str, &[u32]); 3] = [("s", &[]), ("t", &[]), ("u", &[])];
    let way = [0, 2, 4, 3, 1].map(NicId).to_vec();
    let routes = Routes::new(
        &["a", "b"],
        &switches(&of),
        &links(&ends),
        &Routing::Given(vec![way]),
    );
    assert_eq!(nodes(&routes, 0, 1), [2, 4, 3, 1]);
    assert_eq!(nodes(&routes, 1, 0), [3, 2, 0]);
}
