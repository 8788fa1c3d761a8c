//! The shapes of topologies: which switches they have, and which of them are joined.

/// The switches of a topology and the links between them.
pub(super) struct Shape {
    /// The name of each switch, and its place if it is in a mesh. NICs are at the first switches alone.
    pub(super) switches: Vec<(String, Vec<u32>)>,
    /// The positions of the switches at the ends of each link.
    pub(super) links: Vec<(usize, usize)>,
    /// The number of switches with NICs.
    with_nics: usize,
    /// How many NICs each of them has; `None` if all have as many as needed.
    nics_each: Option<usize>,
}

impl Shape {
    /// Returns the position of the switch of one of so many NICs. Neighbours in the list are neighbours in the network.
    pub(super) fn of_nic(&self, nic: usize, nics: usize) -> usize {
        let each = self.nics_each;
        nic / each.unwrap_or_else(|| nics.div_ceil(self.with_nics).max(1))
    }
}

/// One switch.
pub(super) fn star() -> Shape {
    Shape {
        switches: vec![("s".to_owned(), Vec::new())],
        links: Vec::new(),
        with_nics: 1,
        nics_each: None,
    }
}

/// Switches in rows of one or more dimensions, each linked to its neighbours. If the rows are circles, the last of a row
/// is linked to the first, unless they are neighbours anyway.
pub(super) fn grid(sizes: &[u32], are_circles: bool) -> Shape {
    let count: usize = sizes.iter().map(|size| *size as usize).product();
    let mut switches = Vec::with_capacity(count);
    let mut links = Vec::new();
    for number in 0..count {
        let mut at = Vec::with_capacity(sizes.len());
        // The last dimension is the one in which neighbours in the list differ.
        let mut stride = count;
        for &size in sizes {
            let row = stride;
            stride /= size as usize;
            let place = number % row / stride;
            at.push(u32::try_from(place).unwrap_or(u32::MAX));
            if place + 1 < size as usize {
                links.push((number, number + stride));
            } else if are_circles && size > 2 {
                links.push((number, number + stride - row));
            }
        }
        let places: Vec<String> = at.iter().map(u32::to_string).collect();
        switches.push((format!("s{}", places.join(".")), at));
    }
    Shape {
        switches,
        links,
        with_nics: count,
        nics_each: None,
    }
}

/// Most ports of the switches of a fat tree, which then has 3,920 switches.
pub(super) const FAT_TREE_MAX: u32 = 56;

/// A fat tree of switches with `ports` ports (Al-Fares, Loukissas and Vahdat 2008): as many pods as ports, each of two
/// layers of switches with half as many. Those of the lower layer have NICs at half of their ports.
pub(super) fn fat_tree(ports: u32) -> Shape {
    let (pods, half) = (ports as usize, ports as usize / 2);
    let name =
        |layer: &str, pod: usize, number: usize| (format!("{layer}{pod}.{number}"), Vec::new());
    let of_layer = |layer: &'static str| {
        (0..pods).flat_map(move |pod| (0..half).map(move |number| name(layer, pod, number)))
    };
    let mut switches: Vec<_> = of_layer("edge").chain(of_layer("aggregation")).collect();
    let core = switches.len();
    switches.extend((0..half * half).map(|number| (format!("core{number}"), Vec::new())));
    let mut links = Vec::new();
    for pod in 0..pods {
        for upper in 0..half {
            let aggregation = pods * half + pod * half + upper;
            links.extend((0..half).map(|lower| (pod * half + lower, aggregation)));
            links.extend((0..half).map(|number| (aggregation, core + upper * half + number)));
        }
    }
    Shape {
        switches,
        links,
        with_nics: pods * half,
        nics_each: Some(half),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_the_links_of_its_rows() {
        let mesh = grid(&[2, 3], false);
        let names: Vec<&str> = mesh.switches.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!(names, ["s0.0", "s0.1", "s0.2", "s1.0", "s1.1", "s1.2"]);
        assert_eq!(mesh.switches[5].1, [1, 2]);
        let expected = [(0, 3), (0, 1), (1, 4), (1, 2), (2, 5), (3, 4), (4, 5)];
        assert_eq!(mesh.links, expected);
        // The rows of two are no circles.
        let torus = grid(&[2, 3], true);
        assert_eq!(torus.links.len(), 7 + 2);
        assert!(torus.links.contains(&(2, 0)) && torus.links.contains(&(5, 3)));
        assert_eq!(grid(&[6], true).links.last(), Some(&(5, 0)));
    }

    #[test]
    fn nics_are_spread_evenly() {
        let ring = grid(&[3], true);
        let of = |nics: usize| Vec::from_iter((0..nics).map(|nic| ring.of_nic(nic, nics)));
        assert_eq!(of(6), [0, 0, 1, 1, 2, 2]);
        assert_eq!(of(2), [0, 1]);
        assert_eq!(of(4), [0, 0, 1, 1]);
    }

    #[test]
    fn a_fat_tree_of_four_ports_has_twenty_switches() {
        let tree = fat_tree(4);
        assert_eq!((tree.switches.len(), tree.links.len()), (20, 32));
        let mut ports = vec![0; 20];
        for (a, b) in &tree.links {
            ports[*a] += 1;
            ports[*b] += 1;
        }
        for nic in 0..16 {
            ports[tree.of_nic(nic, 16)] += 1;
        }
        assert_eq!(ports, [4; 20]);
    }
}
