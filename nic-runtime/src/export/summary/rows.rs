//! The rows of the summary: one for each endpoint, and one for each method of an endpoint's applets.

use jive_core::MethodId;
use nic_core::event::{Names, Trigger};
use nic_core::id::{EndpointId, NicId};
use nic_core::time::SimTime;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::totals::Totals;
use crate::export::distribution::Distribution;

/// An endpoint's row of the summary.
#[derive(Clone, Debug, Serialize)]
pub(super) struct EndpointRow {
    pub(super) endpoint: String,
    pub(super) nic: String,
    #[serde(skip)]
    pub(super) home: NicId,
    #[serde(flatten)]
    pub(super) totals: Totals,
    /// Start or last resumption of the running call.
    #[serde(skip)]
    pub(super) call_began: Option<SimTime>,
    /// The method of the running call.
    #[serde(skip)]
    pub(super) called: Option<MethodId>,
    /// What caused the running call.
    #[serde(skip)]
    pub(super) call: Option<Trigger>,
    /// The called methods, in the order in which their first calls ended. A class has few entry methods, so a linear
    /// scan is fastest.
    #[serde(skip)]
    pub(super) methods: Vec<(MethodId, MethodRow)>,
}

/// A row of the summary for the calls of a method at an endpoint.
#[derive(Clone, Debug)]
pub(super) struct MethodRow {
    pub(super) endpoint: String,
    /// The name of the applet's class, if the endpoint has a chain of applets.
    pub(super) applet: Option<String>,
    pub(super) method: String,
    pub(super) bytecodes: Distribution,
    /// How many calls of the method trapped.
    pub(super) trapped: u64,
}

impl Serialize for MethodRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("endpoint", &self.endpoint)?;
        if let Some(applet) = &self.applet {
            map.serialize_entry("applet", applet)?;
        }
        map.serialize_entry("method", &self.method)?;
        map.serialize_entry("calls", &self.bytecodes.count())?;
        map.serialize_entry("calls_trapped", &self.trapped)?;
        map.serialize_entry("bytecodes_min", &self.bytecodes.minimum())?;
        map.serialize_entry("bytecodes_median", &self.bytecodes.median())?;
        map.serialize_entry("bytecodes_max", &self.bytecodes.maximum())?;
        map.end()
    }
}

/// Returns the row of an endpoint; adds it at the endpoint's first event.
#[inline(always)]
pub(super) fn row<'r>(
    rows: &'r mut Vec<Option<Box<EndpointRow>>>,
    names: &dyn Names,
    id: EndpointId,
) -> &'r mut EndpointRow {
    let place = id.0 as usize;
    if rows.get(place).is_none_or(Option::is_none) {
        add_row(rows, names, id);
    }
    rows[place].as_mut().expect("a row that was just added")
}

#[cold]
#[inline(never)]
fn add_row(rows: &mut Vec<Option<Box<EndpointRow>>>, names: &dyn Names, id: EndpointId) {
    let place = id.0 as usize;
    if place >= rows.len() {
        rows.resize(place + 1, None);
    }
    rows[place] = Some(Box::new(EndpointRow {
        endpoint: names.endpoint(id).to_owned(),
        nic: names.nic(names.home(id)).to_owned(),
        home: names.home(id),
        totals: Totals::default(),
        call_began: None,
        called: None,
        call: None,
        methods: Vec::new(),
    }));
}

impl EndpointRow {
    /// Gives the row and its methods another name.
    pub(super) fn named(mut self, name: String) -> EndpointRow {
        for (_, method) in &mut self.methods {
            method.endpoint.clone_from(&name);
        }
        self.endpoint = name;
        self
    }

    /// Adds the counts and methods of another endpoint.
    pub(super) fn merge(&mut self, other: &EndpointRow) {
        self.totals.merge(&other.totals);
        self.totals.applet_cycles += other.totals.applet_cycles;
        for (id, row) in &other.methods {
            let is_same =
                |own: &MethodRow| (&own.applet, &own.method) == (&row.applet, &row.method);
            match self.methods.iter_mut().find(|(_, own)| is_same(own)) {
                Some((_, own)) => {
                    own.bytecodes.merge(&row.bytecodes);
                    own.trapped += row.trapped;
                }
                None => self.methods.push((*id, row.clone())),
            }
        }
    }

    /// Adds the time for which the call has run.
    pub(super) fn stops(&mut self, time: SimTime) {
        let began = self.call_began.take();
        self.totals.applet += time.since(began.unwrap_or(time));
    }

    /// Returns the row of a method; adds it at the end of the method's first call.
    pub(super) fn method(
        &mut self,
        names: &dyn Names,
        id: EndpointId,
        method: MethodId,
    ) -> &mut MethodRow {
        let (name, applet) = (names.method(id, method), names.in_chain(id));
        // Methods are compared by name, because the class that replaces an applet numbers its methods in its own way.
        let mut methods = self.methods.iter();
        let known =
            methods.position(|(_, row)| row.method == name && row.applet.as_deref() == applet);
        let place = known.unwrap_or_else(|| {
            let row = MethodRow {
                endpoint: self.endpoint.clone(),
                applet: applet.map(str::to_owned),
                method: name.to_owned(),
                bytecodes: Distribution::default(),
                trapped: 0,
            };
            self.methods.push((method, row));
            self.methods.len() - 1
        });
        &mut self.methods[place].1
    }
}
