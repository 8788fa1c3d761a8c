//! Places the labels of the paper's statements in a plot: beside their crosses, where they hide no point and no curve.

/// A position in pixels.
pub(super) type At = (i32, i32);

/// A rectangle in pixels.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

impl Area {
    fn grown(self, by: i32) -> Area {
        Area {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    fn holds(self, (x, y): At) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    fn is_within(self, other: Area) -> bool {
        other.holds((self.left, self.top)) && other.holds((self.right, self.bottom))
    }

    fn overlaps(self, other: Area) -> bool {
        let beside = self.right < other.left || other.right < self.left;
        let below = self.bottom < other.top || other.bottom < self.top;
        !beside && !below
    }

    /// Returns whether nothing but a gap is between this area and a cross.
    pub(super) fn is_near(self, cross: At) -> bool {
        self.grown(CROSS + STEP).holds(cross)
    }

    /// Returns the position of the area that is nearest to another.
    pub(super) fn nearest(self, (x, y): At) -> At {
        (
            x.clamp(self.left, self.right),
            y.clamp(self.top, self.bottom),
        )
    }
}

/// Distance between a label and what it must not hide.
const SPACE: i32 = 5;

/// Half the size of a cross, with the space around it.
pub(super) const CROSS: i32 = 8;

/// Distances of a label's middle from its cross, and the step between them.
const FARTHEST: i32 = 320;
const STEP: i32 = 8;

/// Distance of marks whose labels would come into each other's way.
const NEIGHBOUR: i32 = 60;

/// Directions from a cross to its label, in sixteenths of a turn, from the best to the worst: to the sides first, where a
/// label needs the least space.
const DIRECTIONS: [(i32, i32); 16] = [
    (100, 0),
    (-100, 0),
    (92, 38),
    (-92, 38),
    (92, -38),
    (-92, -38),
    (71, 71),
    (-71, 71),
    (71, -71),
    (-71, -71),
    (38, 92),
    (-38, 92),
    (38, -92),
    (-38, -92),
    (0, 100),
    (0, -100),
];

/// Returns where each label of this size lies, beside its mark. A label hides neither one of the points nor another mark
/// or label, and stays within the plot. If there is no such place, it lies beside its mark.
pub(super) fn place(labels: &[(At, At)], points: &[At], plot: Area) -> Vec<Area> {
    let mut placed: Vec<Area> = Vec::with_capacity(labels.len());
    for &(mark, size) in labels {
        let is_free = |area: &Area| {
            let around = area.grown(SPACE);
            let hides_mark = labels.iter().any(|&((x, y), _)| {
                let cross = Area {
                    left: x,
                    top: y,
                    right: x,
                    bottom: y,
                }
                .grown(CROSS);
                cross.overlaps(*area)
            });
            area.is_within(plot)
                && !hides_mark
                && !points.iter().any(|&point| around.holds(point))
                && !placed.iter().any(|other| other.overlaps(around))
        };
        // Of two marks, one above the other, the upper one has its label above, and the lower one below, if there is space.
        let near = labels.iter().filter(|(other, _)| {
            let (x, y) = (other.0 - mark.0, other.1 - mark.1);
            x.abs() < NEIGHBOUR && y.abs() < NEIGHBOUR
        });
        let side: i32 = near.map(|(other, _)| (mark.1 - other.1).signum()).sum();
        let area = candidates(mark, size, side)
            .chain(candidates(mark, size, 0))
            .find(is_free);
        placed.push(area.unwrap_or_else(|| beside(mark, size, (100, 0), 0)));
    }
    placed
}

/// Returns places of a label, from the nearest to the farthest. With a positive `side` none is above the mark, and with a
/// negative one none below.
fn candidates(mark: At, size: At, side: i32) -> impl Iterator<Item = Area> {
    let distances = (0..=FARTHEST).step_by(STEP as usize);
    distances.flat_map(move |distance| {
        let directions = DIRECTIONS.into_iter();
        let allowed = directions.filter(move |(_, down)| side * down >= 0);
        allowed.map(move |direction| beside(mark, size, direction, distance))
    })
}

/// Returns the area of a label in a direction from its mark, so far that it does not touch the cross, and farther by a
/// distance.
fn beside((x, y): At, (width, height): At, (right, down): At, distance: i32) -> Area {
    let toward = |component: i32, half: i32| {
        component.signum() * half * i32::from(component.abs() > 20)
            + component * (CROSS + 2 + distance) / 100
    };
    let middle = (x + toward(right, width / 2), y + toward(down, height / 2));
    Area {
        left: middle.0 - width / 2,
        top: middle.1 - height / 2,
        right: middle.0 + width / 2,
        bottom: middle.1 + height / 2,
    }
}

/// Returns points of a curve that are so near to each other that no label fits between them.
pub(super) fn along(curve: &[At]) -> Vec<At> {
    let mut points = curve.to_vec();
    for pair in curve.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let steps = (to_x - x).abs().max((to_y - y).abs()) / SPACE + 1;
        points.extend((1..steps).map(|step| {
            let part = |from: i32, to: i32| from + (to - from) * step / steps;
            (part(x, to_x), part(y, to_y))
        }));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Area = Area {
        left: 0,
        top: 0,
        right: 400,
        bottom: 300,
    };

    #[test]
    fn a_label_beside_a_curve_moves_away_from_it() {
        let size = (80, 16);
        // Nothing is in the way: the label is beside its mark.
        let free = place(&[((100, 100), size)], &[], PLOT);
        assert_eq!(free[0].nearest((100, 100)), (110, 100));
        // A curve passes through the mark, so the label is above or below it.
        let curve = along(&[(0, 100), (399, 100)]);
        let moved = place(&[((100, 100), size)], &curve, PLOT);
        assert!(
            !curve.iter().any(|&point| moved[0].holds(point)),
            "{moved:?}"
        );
        assert!(moved[0].is_within(PLOT), "{moved:?}");
    }

    #[test]
    fn labels_of_near_marks_are_apart() {
        let labels = [((395, 100), (80, 16)), ((395, 104), (80, 16))];
        let placed = place(&labels, &[], PLOT);
        assert!(!placed[0].overlaps(placed[1]), "{placed:?}");
        // The label of the upper mark is above that of the lower one.
        assert!(placed[0].top < placed[1].top, "{placed:?}");
        assert!(placed.iter().all(|area| area.is_within(PLOT)), "{placed:?}");
    }

    #[test]
    fn a_label_without_space_on_its_side_takes_the_other() {
        let labels = [((0, 280), (80, 16)), ((0, 295), (80, 16))];
        let curves = along(&[(0, 299), (399, 299)]);
        let placed = place(&labels, &curves, PLOT);
        let hides = |area: &Area| curves.iter().any(|&point| area.holds(point));
        assert!(!placed.iter().any(hides), "{placed:?}");
        assert!(!placed[0].overlaps(placed[1]), "{placed:?}");
        assert!(placed.iter().all(|area| area.is_within(PLOT)), "{placed:?}");
    }

    #[test]
    fn a_label_without_a_place_stays_at_its_mark() {
        let everywhere =
            Vec::from_iter((0..100).flat_map(|x| (0..75).map(move |y| (4 * x, 4 * y))));
        let placed = place(&[((100, 100), (80, 16))], &everywhere, PLOT);
        assert_eq!(placed, [beside((100, 100), (80, 16), (100, 0), 0)]);
    }
}
