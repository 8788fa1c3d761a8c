//! What holds of the tables of an end after every step, and of both ends of a link at rest.

use super::super::link::Side;
use super::super::ports::Port;
use super::super::*;
use super::growing::Growing;
use super::world::{Node, World};

/// Checks the tables of one direction: a frame has one port and a port one frame, and every sharer's entry agrees with
/// the frame table. Returns the number of sharers.
fn check_side<E: Clone + std::fmt::Debug>(
    node: &Node,
    link: u32,
    side: &Side<Growing, E>,
    direction: Direction,
    is_right: impl Fn(&Port<Growing, E>, &PageEntry) -> bool,
) -> usize {
    for frame in (0..side.frames.count()).map(FrameId) {
        if let Some(port) = side.frames.port(frame) {
            let found = side.ports.get(port).expect("the port in a frame exists");
            assert_eq!(found.frame, Some(frame), "{port:?}");
        }
    }
    let mut sharers = 0;
    for (id, port) in side.ports.iter() {
        if let Some(frame) = port.frame {
            assert_eq!(side.frames.port(frame), Some(id), "{frame:?}");
        }
        for sharer in port.sharers.iter() {
            let entry = node.pages.entry(sharer.page).expect("a sharer has a page");
            assert_eq!((entry.link, entry.direction()), (LinkId(link), direction));
            let place = match (port.frame, direction) {
                (Some(frame), _) => Place::Frame(frame),
                (None, Direction::Send) => Place::Port(id),
                (None, Direction::Receive) => Place::Memory,
            };
            assert_eq!(entry.place, place, "{id:?}");
            let is_saved = direction == Direction::Receive && port.frame.is_none();
            assert_eq!(sharer.saved.is_some(), is_saved);
            assert!(is_right(port, entry), "{id:?}");
        }
        sharers += port.sharers.len();
    }
    sharers
}

impl World {
    /// Checks the tables of one end.
    pub(super) fn check_end(&self, node: usize, link: usize) {
        let node = &self.nodes[node];
        let number = link as u32;
        let end = &node.links[link].end;
        let send = check_side(node, number, &end.send, Direction::Send, |port, entry| {
            // A port with gathered writes has a frame to which they go.
            assert!(port.own.line.is_none() || port.frame.is_some());
            matches!(entry.access, Access::Send { policy, .. } if policy == port.own.policy)
        });
        let receive = check_side(
            node,
            number,
            &end.receive,
            Direction::Receive,
            |_, entry| entry.access == Access::Receive,
        );
        let processes = (0..node.blocked.len() as u32).map(ProcessId);
        let entries = processes.flat_map(|process| node.pages.of_process(process));
        let own = entries.filter(|(_, entry)| entry.link == LinkId(number));
        // The pages of receive ports that were deleted are main memory, and map nothing.
        let (mapped, others): (Vec<_>, Vec<_>) =
            own.partition(|(_, entry)| entry.place != Place::Memory);
        let saved = end
            .receive
            .ports
            .iter()
            .flat_map(|(_, port)| port.sharers.iter());
        let saved = saved.filter(|sharer| sharer.saved.is_some()).count();
        assert_eq!(mapped.len() + saved, send + receive);
        assert!(others.len() >= saved);
    }

    /// Checks that both ends of a link have the same ports in the same frames, when nothing is under way between them.
    pub(super) fn check_at_rest(&self, node: usize, link: usize) {
        let here = &self.nodes[node].links[link];
        let (peer, there) = here.peer;
        let there = &self.nodes[peer].links[there];
        for place in [here, there] {
            let is_at_rest = place.out.is_empty() && place.fault.is_none();
            if !is_at_rest || place.serving.is_some() {
                return;
            }
        }
        let (send, receive) = (&here.end.send, &there.end.receive);
        let sent: Vec<_> = send
            .ports
            .iter()
            .map(|(id, port)| (id, port.state, port.frame))
            .collect();
        let received: Vec<_> = receive
            .ports
            .iter()
            .map(|(id, port)| (id, port.state, port.frame))
            .collect();
        assert_eq!(sent, received);
        assert!(
            sent.iter().all(|(_, state, _)| *state == PortState::Open),
            "{sent:?}"
        );
        for frame in (0..send.frames.count()).map(FrameId) {
            assert_eq!(send.frames.port(frame), receive.frames.port(frame));
        }
    }
}
