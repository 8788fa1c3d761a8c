//! Measures the CPU time of the call for a packet.

use bumpalo::Bump;
use jive_core::{CallStack, FieldId, Frame, Lifetime, limits};
use jive_embed::load_class;
use jive_verifier::Policy;
use nic_core::id::ChannelId;
use nic_core::sle::{Applet, NicEntry, NicNative, memory_bytes};
use nic_runtime::applet::{DetachedEndpoint, DetachedShape};
use nic_runtime::spec::Scenario;

use super::events::{CallEnd, Gathered};
use super::given::{Packet, Way};
use super::simulate;
use crate::cli::cpu_clock;

/// Measures the call for the last packet of a scenario, in nanoseconds of CPU time. Each measured call starts from the
/// state in which the last packet found the applet. Returns `None` if the last packet led to no call that returned.
///
/// Natives act on an endpoint without a NIC, as in `jive exec`, so the time is that of the applet's code, not of the
/// simulator.
pub(super) fn measure(
    scenario: &Scenario,
    channel: ChannelId,
    (before, last): (&[Packet], &Packet),
    gathered: &Gathered,
    count: u64,
) -> Option<f64> {
    let call = gathered.steps.last()?.calls.first()?;
    if !matches!(call.end, CallEnd::Returned { .. }) {
        return None;
    }
    let mut again = Gathered::new(channel.0, before.len());
    let (_, states) = simulate::run(scenario, channel, before, &mut again).ok()?;
    let state = states.into_iter().next()?;
    let (mut area, kept) = (state.area, state.applet?);
    let arena = Bump::new();
    let policy = Policy::Applet {
        entries: NicEntry::TABLE,
    };
    let class = &scenario.classes.first()?.bytes;
    let loaded = load_class(&arena, class, policy, NicNative::TABLE).ok()?;
    let spec = scenario.endpoints.first()?;
    let max_packet = scenario.profile.memory.max_packet.get();
    let fields = arena.alloc_slice_fill_copy(loaded.program.field_count(), 0);
    let memory = arena.alloc_slice_fill_copy(memory_bytes(spec.heap, max_packet), 0u8);
    let mut applet = Applet::lent(&loaded, fields, memory, max_packet).ok()?;
    set_fields(&mut applet, &kept.fields);
    applet.instance.heap_mut().restore(&kept.heap).ok()?;
    let method = match last.way {
        Way::Rx => {
            applet.receive(&last.bytes);
            if scenario.poisons_rx_buf {
                applet.poison(last.bytes.len());
            }
            applet.members.do_rx
        }
        Way::Tx => {
            let offset = usize::try_from(*call.args.last()?).ok()?;
            let place = area.get_mut(offset..)?.get_mut(..last.bytes.len())?;
            place.copy_from_slice(&last.bytes);
            applet.members.do_tx
        }
    };
    let shape = DetachedShape {
        max_packet,
        ..DetachedShape::default()
    };
    let endpoint = DetachedEndpoint::resumed(shape, channel, (&area, &state.free));
    let fields = applet.instance.fields().to_vec();
    let heap = applet.instance.heap().contents().to_vec();
    let processor = &scenario.profile.processor;
    let frames = processor.call_depth.get() as usize;
    let slots = processor.call_slots.get() as usize + limits::REGISTER_WINDOW;
    let stack = CallStack::new(
        arena.alloc_slice_fill_copy(frames, Frame::default()),
        arena.alloc_slice_fill_copy(slots, 0),
    );
    let mut machine = (applet, stack, endpoint.clone());
    let restore = |(applet, _, here): &mut (Applet<'_>, CallStack<'_>, DetachedEndpoint)| {
        set_fields(applet, &fields);
        let restored = applet.instance.heap_mut().restore(&heap);
        restored.expect("the heap held these contents before");
        // Copy the endpoint only if it can change: copying a buffer area takes long.
        if !call.natives.is_empty() {
            here.clone_from(&endpoint);
        }
    };
    let (args, fuel) = (&call.args, spec.fuel);
    let time = cpu_clock::median_ns(count, &mut machine, restore, |(applet, stack, here)| {
        let instance = &mut applet.instance;
        let lifetime = Lifetime::PerCall;
        let _same = std::hint::black_box(instance.call(stack, method, args, fuel, lifetime, here));
    });
    Some(time)
}

fn set_fields(applet: &mut Applet<'_>, values: &[i32]) {
    for (id, value) in (0..).map(FieldId).zip(values) {
        applet.instance.set_field(id, *value);
    }
}
