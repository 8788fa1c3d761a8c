//! Draws curves as SVG.

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::bars;
use super::marks;
use super::report::{Curve, Drawing, Plot};
use super::timeline;

/// Size of a drawing, in pixels.
pub(crate) const SIZE: (u32, u32) = (760, 480);

/// Colours that remain distinguishable with colour blindness and in print (Okabe and Ito, 2008).
pub(crate) const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Upper end of the vertical axis, relative to the highest point.
const HEADROOM: f64 = 1.08;

/// Factor between the end of a logarithmic vertical axis and the farthest point.
const MARGIN: f64 = 1.3;

/// The error of the plotting library, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot draw the plot: {0}")]
pub struct PlotError(String);

/// Draws a figure and returns the text of an SVG file.
///
/// # Errors
///
/// Returns [`PlotError`] if the plotting library fails.
pub fn draw(drawing: &Drawing) -> Result<String, PlotError> {
    let mut svg = String::new();
    match drawing {
        Drawing::Curves(plot) => {
            let area = SVGBackend::with_string(&mut svg, size(plot)).into_drawing_area();
            draw_curves(plot, &area)?;
            area.present().map_err(failed)?;
        }
        Drawing::Bars(chart) => {
            let area = SVGBackend::with_string(&mut svg, bars::SIZE).into_drawing_area();
            bars::draw(chart, &area)?;
            area.present().map_err(failed)?;
        }
        Drawing::Timeline(shown) => {
            let size = timeline::size(shown);
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            timeline::draw(shown, &area)?;
            area.present().map_err(failed)?;
        }
    }
    Ok(svg)
}

/// The area that a figure is drawn on.
pub(super) type Paper<'s> = DrawingArea<SVGBackend<'s>, plotters::coord::Shift>;

/// Width of a drawing without the labels at the curves' ends.
const WIDTH: u32 = 600;

/// Height of a label, with the space to the next one.
const LINE: i32 = 16;

/// Width of a character, at most. The font of the reader is unknown.
const CHARACTER: u32 = 7;

/// Size of labels.
const LABEL: i32 = 13;

/// Returns the size of a drawing: its labels stand to the right of its curves.
fn size(plot: &Plot) -> (u32, u32) {
    (WIDTH + margin(plot), SIZE.1)
}

/// Returns the width of the space for the labels at the curves' ends.
fn margin(plot: &Plot) -> u32 {
    let names = plot.curves.iter().map(|curve| curve.name.chars().count());
    let longest = names.max().unwrap_or(0);
    u32::try_from(longest).unwrap_or(0) * CHARACTER + 40
}

fn draw_curves(plot: &Plot, area: &Paper<'_>) -> Result<(), PlotError> {
    let points = || plot.curves.iter().flat_map(|curve| curve.points.iter());
    let marks = plot.marks.iter().map(|mark| mark.at);
    let (mut x_max, mut y_max) = (1.0_f64, 0.0_f64);
    let (mut x_min, mut y_min) = (f64::INFINITY, f64::INFINITY);
    for (x, y) in points().copied().chain(marks) {
        x_max = x_max.max(x);
        x_min = x_min.min(x);
        y_max = y_max.max(y);
        y_min = y_min.min(y);
    }
    let y_end = y_max * HEADROOM;
    let y_begin = (y_min * HEADROOM).min(0.0);
    let logarithmic_y = y_min / MARGIN..y_max * MARGIN;
    // A logarithmic axis begins where the curves do.
    let x_begin = x_min.max(1.0);
    match (plot.x.logarithmic, plot.y.logarithmic) {
        (true, true) => draw_on(
            (plot, area),
            (x_begin..x_max).log_scale(),
            logarithmic_y.log_scale(),
        ),
        (true, false) => draw_on((plot, area), (x_begin..x_max).log_scale(), y_begin..y_end),
        (false, true) => draw_on((plot, area), 0.0..x_max, logarithmic_y.log_scale()),
        (false, false) => draw_on((plot, area), 0.0..x_max, y_begin..y_end),
    }
}

/// A chart with its axes.
type Chart<'a, 's, X, Y> = ChartContext<'a, SVGBackend<'s>, Cartesian2d<X, Y>>;

fn draw_on<X, Y>((plot, area): (&Plot, &Paper<'_>), x: X, y: Y) -> Result<(), PlotError>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    area.fill(&WHITE).map_err(failed)?;
    let mut chart = ChartBuilder::on(area)
        .caption(&plot.title, ("sans-serif", 17))
        .margin(14)
        .margin_right(margin(plot))
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d(x, y)
        .map_err(failed)?;
    let number = |value: &f64| format!("{value}");
    chart
        .configure_mesh()
        .max_light_lines(0)
        .bold_line_style(BLACK.mix(0.1))
        .x_desc(plot.x.label)
        .y_desc(plot.y.label)
        .label_style(("sans-serif", LABEL))
        .axis_desc_style(("sans-serif", 14))
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .draw()
        .map_err(failed)?;
    let looks = || LOOKS.iter().zip(COLOURS).cycle();
    for (curve, (look, colour)) in plot.curves.iter().zip(looks()) {
        draw_curve(curve, (look, colour), &mut chart)?;
    }
    for mark in &plot.marks {
        // The middle of a cross is open, so that the point below it stays visible.
        let arm = |x: i32, y: i32| {
            let (from, to) = (marks::CROSS / 2, marks::CROSS);
            PathElement::new(
                vec![(from * x, from * y), (to * x, to * y)],
                BLACK.stroke_width(2),
            )
        };
        let cross = EmptyElement::at(mark.at) + arm(1, 1) + arm(1, -1) + arm(-1, 1) + arm(-1, -1);
        chart.draw_series([cross]).map_err(failed)?;
    }
    label_ends(plot, area, &chart)?;
    label_marks(plot, area, &chart)
}

/// How a curve is drawn. Curves that coincide stay visible: each later one leaves gaps, or is narrower.
struct Look {
    width: u32,
    /// How strong the colour is.
    strength: f64,
    /// Lengths of dashes and gaps in pixels; `None` for a line without gaps.
    dashes: Option<(u32, u32)>,
    /// Radius of the points.
    radius: i32,
    /// Whether points are rings, so that points below them stay visible.
    has_rings: bool,
}

const fn look(width: u32, strength: f64, dashes: Option<(u32, u32)>, radius: i32) -> Look {
    Look {
        width,
        strength,
        dashes,
        radius,
        has_rings: radius > 3,
    }
}

const LOOKS: [Look; 6] = [
    look(2, 1.0, None, 3),
    look(6, 0.4, None, 0),
    look(2, 1.0, Some((10, 6)), 2),
    look(2, 1.0, Some((3, 3)), 3),
    look(3, 0.8, Some((20, 8)), 2),
    look(2, 1.0, Some((2, 8)), 5),
];

fn draw_curve<'a, 's: 'a, X, Y>(
    curve: &Curve,
    (look, colour): (&Look, RGBColor),
    chart: &mut Chart<'a, 's, X, Y>,
) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let points = || curve.points.iter().copied();
    let style = colour.mix(look.strength).stroke_width(look.width);
    match look.dashes {
        None => {
            let line = LineSeries::new(points(), style);
            chart.draw_series(line).map_err(failed)?;
        }
        Some((dash, gap)) => {
            let line = DashedLineSeries::new(points(), dash, gap, style);
            chart.draw_series(line).map_err(failed)?;
        }
    }
    if look.radius > 0 {
        let style = match look.has_rings {
            true => colour.stroke_width(2),
            false => colour.filled(),
        };
        let dots = points().map(|point| Circle::new(point, look.radius, style));
        chart.draw_series(dots).map_err(failed)?;
    }
    Ok(())
}

/// Writes the name of each curve beside its end, in its colour. Names that would overlap move apart, and a thin line
/// leads to the end.
fn label_ends<X, Y>(
    plot: &Plot,
    area: &Paper<'_>,
    chart: &Chart<'_, '_, X, Y>,
) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let ends = plot.curves.iter().zip(COLOURS.iter().cycle());
    let mut ends: Vec<(&str, RGBColor, (i32, i32))> = ends
        .filter_map(|(curve, colour)| {
            let last = curve.points.last()?;
            Some((curve.name, *colour, chart.backend_coord(last)))
        })
        .collect();
    ends.sort_by_key(|(_, _, (_, y))| *y);
    let heights: Vec<i32> = ends.iter().map(|(_, _, (_, y))| *y).collect();
    let lowest = i32::try_from(SIZE.1).unwrap_or(i32::MAX) - 60;
    for ((name, colour, (x, y)), place) in ends.into_iter().zip(apart(&heights, lowest)) {
        let to = x + 22;
        let line = PathElement::new([(x + 4, y), (to, place)], colour.mix(0.6));
        area.draw(&line).map_err(failed)?;
        let words = TextStyle::from(("sans-serif", LABEL)).pos(Pos::new(HPos::Left, VPos::Center));
        let text = Text::new(name.to_owned(), (to + 4, place), words.color(&colour));
        area.draw(&text).map_err(failed)?;
    }
    Ok(())
}

/// Writes the paper's statements beside their crosses, where they hide nothing. A thin line leads from a label that is not
/// near to its cross.
fn label_marks<X, Y>(
    plot: &Plot,
    area: &Paper<'_>,
    chart: &Chart<'_, '_, X, Y>,
) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let curves = plot.curves.iter().flat_map(|curve| {
        let points = curve.points.iter();
        marks::along(&Vec::from_iter(
            points.map(|point| chart.backend_coord(point)),
        ))
    });
    let (x, y) = chart.plotting_area().get_pixel_range();
    let inside = marks::Area {
        left: x.start,
        top: y.start,
        right: x.end,
        bottom: y.end,
    };
    let labels = Vec::from_iter(plot.marks.iter().map(|mark| {
        let shown = format!("paper: {}", mark.label);
        let letters = u32::try_from(shown.chars().count()).unwrap_or(0);
        let width = (letters * CHARACTER).cast_signed();
        (shown, (chart.backend_coord(&mark.at), (width, LINE)))
    }));
    let sizes = Vec::from_iter(labels.iter().map(|&(_, size)| size));
    let placed = marks::place(&sizes, &Vec::from_iter(curves), inside);
    for ((shown, (cross, _)), place) in labels.into_iter().zip(placed) {
        let end = place.nearest(cross);
        if !place.is_near(cross) {
            let line = PathElement::new([cross, end], BLACK.mix(0.4));
            area.draw(&line).map_err(failed)?;
        }
        // The reader's font may be narrower, so the text begins at the side of its cross.
        let (side, x) = match place.right < cross.0 {
            true => (HPos::Right, place.right),
            false => (HPos::Left, place.left),
        };
        let words = TextStyle::from(("sans-serif", LABEL)).pos(Pos::new(side, VPos::Center));
        let at = (x, (place.top + place.bottom) / 2);
        area.draw(&Text::new(shown, at, words)).map_err(failed)?;
    }
    Ok(())
}

/// Returns heights that are a line apart, from ascending heights that they stay close to, and none below `lowest`.
fn apart(heights: &[i32], lowest: i32) -> Vec<i32> {
    let mut places: Vec<i32> = Vec::with_capacity(heights.len());
    for &height in heights {
        let least = places.last().map_or(i32::MIN, |last| last + LINE);
        places.push(height.max(least));
    }
    let mut most = lowest;
    for place in places.iter_mut().rev() {
        *place = (*place).min(most);
        most = *place - LINE;
    }
    places
}

pub(super) fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError(error.to_string())
}

#[cfg(test)]
mod tests {
    use nic_runtime::profile::Profile;

    use super::*;
    use crate::paper::PARTS;

    fn attribute(element: &str, name: &str) -> Option<i32> {
        let (_, rest) = element.split_once(&format!(" {name}=\""))?;
        rest.split('"').next()?.parse().ok()
    }

    /// Returns the boxes of the labels of curves and of the paper's statements: left, top, right and bottom.
    fn labels(svg: &str, names: &[&str]) -> Vec<(i32, i32, i32, i32)> {
        let texts = svg.split("<text").skip(1);
        let label = |text: &str| {
            let (attributes, rest) = text.split_once('>')?;
            let words = rest.split('<').next()?.trim();
            if !names.contains(&words) && !words.starts_with("paper: ") {
                return None;
            }
            let (x, y) = (attribute(attributes, "x")?, attribute(attributes, "y")?);
            let width = words.len() as i32 * 6;
            let left = match attributes.contains("text-anchor=\"end\"") {
                true => x - width,
                false => x,
            };
            // The base line of a label lies below its middle.
            Some((left, y - LABEL / 2, left + width, y + LABEL / 2))
        };
        texts.filter_map(label).collect()
    }

    /// Returns the points of curves and of dots.
    fn drawn(svg: &str) -> Vec<(i32, i32)> {
        let of = |element| svg.split(element).skip(1);
        let dots =
            of("<circle").filter_map(|dot| Some((attribute(dot, "cx")?, attribute(dot, "cy")?)));
        let lines = of("<polyline").filter(|line| !line.contains("stroke=\"#000000\""));
        let lines = lines.flat_map(|line| {
            let (_, points) = line.split_once("points=\"").unwrap();
            let points = points.split('"').next().unwrap().split_whitespace();
            let point = |point: &str| {
                let (x, y) = point.split_once(',')?;
                Some((x.parse().ok()?, y.parse().ok()?))
            };
            marks::along(&Vec::from_iter(points.filter_map(point)))
        });
        dots.chain(lines).collect()
    }

    fn assert_labels_hide_nothing(name: &str, svg: &str) {
        let drawn = drawn(svg);
        assert!(drawn.len() > 10, "{name}: {drawn:?}");
        for (left, top, right, bottom) in labels(svg, &[]) {
            let hidden = drawn
                .iter()
                .find(|(x, y)| (left..=right).contains(x) && (top..=bottom).contains(y));
            assert_eq!(hidden, None, "{name}: {left}, {top} to {right}, {bottom}");
        }
    }

    #[test]
    fn no_label_hides_a_point_or_a_curve() {
        let figures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/figures");
        let mut labelled = 0;
        for file in std::fs::read_dir(figures).unwrap() {
            let path = file.unwrap().path();
            let Some(svg) = std::fs::read_to_string(&path).ok() else {
                continue;
            };
            if svg.contains("\npaper: ") {
                labelled += 1;
                assert_labels_hide_nothing(&path.display().to_string(), &svg);
            }
        }
        // Another test compares the files with what is drawn.
        assert_eq!(labelled, 9);
    }

    fn assert_labels_are_apart(name: &str, svg: &str, names: &[&str]) {
        let labels = labels(svg, names);
        assert!(labels.len() >= names.len(), "{name}: {labels:?}");
        for (number, one) in labels.iter().enumerate() {
            for other in &labels[..number] {
                let beside = one.2 <= other.0 || other.2 <= one.0;
                let below = one.3 <= other.1 || other.3 <= one.1;
                assert!(beside || below, "{name}: {one:?} {other:?}");
            }
        }
    }

    #[test]
    fn no_label_lies_on_another() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let drawings = PARTS
            .iter()
            .flat_map(|part| (part.plots)(&profile).unwrap());
        for drawing in drawings {
            match &drawing {
                Drawing::Curves(plot) => {
                    let names: Vec<&str> = plot.curves.iter().map(|curve| curve.name).collect();
                    assert_labels_are_apart(drawing.name(), &draw(&drawing).unwrap(), &names);
                }
                Drawing::Bars(_) | Drawing::Timeline(_) => {}
            }
        }
        // Another test compares the SVG files of the figures with what is drawn.
        let schemes = ["base", "SO", "RO", "DSR", "SR", "dynamic"];
        for (name, svg) in [
            (
                "latency",
                include_str!("../../../docs/figures/emp-latency.svg"),
            ),
            (
                "one way",
                include_str!("../../../docs/figures/emp-one-way.svg"),
            ),
            (
                "both ways",
                include_str!("../../../docs/figures/emp-both-ways.svg"),
            ),
        ] {
            assert_labels_are_apart(name, svg, &schemes);
        }
    }

    #[test]
    fn labels_that_move_apart_stay_in_order_and_inside() {
        assert_eq!(apart(&[10, 100, 200], 400), [10, 100, 200]);
        assert_eq!(apart(&[10, 10, 12, 100], 400), [10, 26, 42, 100]);
        assert_eq!(apart(&[390, 395, 400], 400), [368, 384, 400]);
        assert_eq!(apart(&[], 400), Vec::<i32>::new());
    }
}
