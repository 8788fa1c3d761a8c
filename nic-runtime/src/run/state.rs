//! The final state of a run: memory, fields and queues of each endpoint.

use crate::engine::Simulation;
use crate::ids::AppletId;
use crate::nic::role::CallWaits;
use nic_core::id::EndpointId;
use nic_core::sle::Applet;

use crate::host::acting::Acting;
use crate::judge::InstanceAt;

/// The final state of an endpoint. Runs of the same scenario end in the same state, with and without a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointState {
    /// The buffer area.
    pub area: Vec<u8>,
    /// Offsets of the buffers in the free queue, in order.
    pub free: Vec<u32>,
    /// Transmit descriptors that have not completed.
    pub transmit: usize,
    /// Receive descriptors that the user sees and has not taken.
    pub receive: usize,
    /// Messages that the user has taken.
    pub messages: u64,
    /// Packets that the endpoint has made.
    pub packets: u64,
    /// The applet, if the endpoint has one.
    pub applet: Option<AppletState>,
    /// The applets after the first, if the endpoint has a chain of applets.
    pub followers: Vec<AppletState>,
}

/// The final state of an applet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppletState {
    /// The applet's class.
    pub class: AppletClass,
    /// Values of the applet's fields; arrays are given as references.
    pub fields: Vec<i32>,
    /// The used part of the applet's heap.
    pub heap: Vec<u8>,
    /// `RxBuf`.
    pub rx_buf: Vec<u8>,
    /// How long processors have waited for the applet.
    pub waits: CallWaits,
}

/// The class of an applet at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppletClass {
    /// A class of the scenario, an index into [`Scenario::classes`](crate::spec::Scenario::classes).
    OfScenario(usize),
    /// A class that came in a capsule, given by its class file.
    OfCapsule(Vec<u8>),
}

impl Simulation<'_> {
    /// Returns the state of every endpoint, in the order of the scenario.
    pub(crate) fn state(&self) -> Vec<EndpointState> {
        let ids = (0u32..).map(EndpointId).take(self.endpoints.len());
        ids.map(|id| self.endpoint_state(id)).collect()
    }

    /// Returns the instances of an endpoint: its applets, in the order of their `doTx`, or the class that its process
    /// runs.
    pub(crate) fn instances_at(&self, endpoint: EndpointId) -> Vec<InstanceAt<'_>> {
        if let Some(process) = self.own.process(endpoint)
            && let Acting::Class(program) = &process.program
        {
            let memory = process.linear.map(|region| self.memory.region(region));
            let memory = memory.unwrap_or_default();
            let (class, fields) = program.instance();
            return vec![InstanceAt {
                class,
                fields,
                array: Box::new(move |reference| program.array(memory, reference)),
            }];
        }
        let applets = self.applets_of(endpoint);
        let instance = |applet: AppletId| {
            let Applet {
                class, instance, ..
            } = &self.applets[applet];
            InstanceAt {
                class: &class.class,
                fields: instance.fields(),
                array: Box::new(|reference| instance.heap().bytes(reference)),
            }
        };
        applets.map(instance).collect()
    }

    fn endpoint_state(&self, id: EndpointId) -> EndpointState {
        let endpoint = &self.endpoints[id];
        let mut free = endpoint.free.clone();
        let class = self.swaps.class_of(id);
        let state = |(id, class): (AppletId, usize)| {
            let applet = &self.applets[id];
            AppletState {
                class: match self.swaps.carried(class) {
                    Some(bytes) => AppletClass::OfCapsule(bytes.to_vec()),
                    None => AppletClass::OfScenario(class),
                },
                fields: applet.instance.fields().to_vec(),
                heap: applet.instance.heap().contents().to_vec(),
                rx_buf: applet.rx_buf().to_vec(),
                waits: self.waits.get(id).copied().unwrap_or_default(),
            }
        };
        let applet = self.infos[id].applet.zip(class).map(state);
        let followers = self.specs[id].followers.iter();
        let followers = followers.map(|applet| applet.class);
        let followers = self.applets_of(id).skip(1).zip(followers).map(state);
        let followers = followers.collect();
        EndpointState {
            area: self.memory.region(endpoint.area).to_vec(),
            free: std::iter::from_fn(|| free.pop()).collect(),
            transmit: endpoint.transmit.pending(),
            receive: endpoint.receive.visible(),
            messages: self.users[id].messages,
            packets: self.live[id].packets_made,
            applet,
            followers,
        }
    }
}
