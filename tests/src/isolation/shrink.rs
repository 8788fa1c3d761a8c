//! Reduces a cast that violates the law, part by part.

use super::cast::{Cast, NicKeys};
use super::hostile::HostileApplet;

/// Most casts that are tried. A run of a cast may take seconds.
const TRIES: usize = 200;

/// Returns a cast that still `fails`, and from which no part can be removed, unless the search takes too long.
pub fn shrink(mut cast: Cast, fails: impl Fn(&Cast) -> bool) -> Cast {
    let mut tries = 0;
    loop {
        let mut candidates = smaller(&cast).into_iter();
        let found = candidates.find(|smaller| {
            tries += 1;
            tries <= TRIES && fails(smaller)
        });
        let Some(smaller) = found else {
            return cast;
        };
        cast = smaller;
    }
}

/// Returns all casts with one part removed.
fn smaller(cast: &Cast) -> Vec<Cast> {
    let mut all = Vec::new();
    let mut without = |change: &dyn Fn(&mut Cast)| {
        let mut smaller = cast.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    for link in 0..cast.links.len() {
        without(&|cast| {
            cast.links.remove(link);
        });
    }
    if cast.network.is_some() {
        without(&|cast| cast.network = None);
    }
    for nic in 0..cast.nics.len() {
        if cast.nics[nic] != NicKeys::default() {
            without(&|cast| cast.nics[nic] = NicKeys::default());
        }
    }
    // Remove only the last pair, because names and channels depend on positions.
    if cast.victims.len() > 1 {
        without(&|cast| {
            cast.victims.pop();
        });
    }
    let together = cast.hostile_together();
    if cast.hostile.len() > together {
        without(&|cast| cast.hostile.truncate(cast.hostile.len() - together));
    }
    for (position, hostile) in cast.hostile.iter().enumerate() {
        for send in 0..hostile.sends.len() {
            without(&|cast| {
                cast.hostile[position].sends.remove(send);
            });
        }
        let Some(applet) = &hostile.applet else {
            continue;
        };
        for entry in [
            |applet: &mut HostileApplet| applet.timer = None,
            |applet: &mut HostileApplet| applet.refill = None,
        ] {
            let mut changed = applet.clone();
            entry(&mut changed);
            if changed != *applet {
                without(&|cast| cast.hostile[position].applet = Some(changed.clone()));
            }
        }
        for action in 0..applet.tx.0.len() {
            without(&|cast| {
                let applet = cast.hostile[position].applet.as_mut();
                applet.map(|applet| applet.tx.0.remove(action));
            });
        }
        for action in 0..applet.rx.0.len() {
            without(&|cast| {
                let applet = cast.hostile[position].applet.as_mut();
                applet.map(|applet| applet.rx.0.remove(action));
            });
        }
    }
    for (pair, victims) in cast.victims.iter().enumerate() {
        for send in 1..victims.sends.len() {
            without(&|cast| {
                cast.victims[pair].sends.remove(send);
            });
        }
    }
    all
}
