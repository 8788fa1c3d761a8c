//! Draws curves as SVG.

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::bars;
use super::report::{Corner, Curve, Drawing, Mark, Plot, Stroke};
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
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
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

fn draw_curves(plot: &Plot, area: &Paper<'_>) -> Result<(), PlotError> {
    let points = || plot.curves.iter().flat_map(|curve| curve.points.iter());
    let marks = plot.marks.iter().map(|mark| mark.at);
    let (mut x_max, mut y_max, mut y_min) = (1.0_f64, 0.0_f64, f64::INFINITY);
    for (x, y) in points().copied().chain(marks) {
        x_max = x_max.max(x);
        y_max = y_max.max(y);
        y_min = y_min.min(y);
    }
    let y_end = y_max * HEADROOM;
    match (plot.x.logarithmic, plot.y.logarithmic) {
        (true, true) => draw_on(
            (plot, area),
            (1.0..x_max).log_scale(),
            (y_min / 2.0..y_end * 2.0).log_scale(),
        ),
        (true, false) => draw_on((plot, area), (1.0..x_max).log_scale(), 0.0..y_end),
        (false, true) => draw_on(
            (plot, area),
            0.0..x_max,
            (y_min / 2.0..y_end * 2.0).log_scale(),
        ),
        (false, false) => draw_on((plot, area), 0.0..x_max, 0.0..y_end),
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
        .caption(&plot.title, ("sans-serif", 18))
        .margin(14)
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
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .draw()
        .map_err(failed)?;
    for (curve, colour) in plot.curves.iter().zip(COLOURS.iter().cycle()) {
        draw_curve(curve, *colour, &mut chart)?;
    }
    let x_max = plot.curves.iter().flat_map(|curve| &curve.points);
    let x_max = x_max.fold(0.0_f64, |most, &(x, _)| most.max(x));
    for (position, mark) in plot.marks.iter().enumerate() {
        let legend = (position == 0).then_some("stated in the paper");
        draw_mark(mark, x_max, legend, &mut chart)?;
    }
    chart
        .configure_series_labels()
        .position(match plot.legend {
            Corner::UpperLeft => SeriesLabelPosition::UpperLeft,
            Corner::LowerLeft => SeriesLabelPosition::LowerLeft,
            Corner::LowerRight => SeriesLabelPosition::LowerRight,
        })
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 13))
        .draw()
        .map_err(failed)
}

fn draw_curve<'a, 's: 'a, X, Y>(
    curve: &Curve,
    colour: RGBColor,
    chart: &mut Chart<'a, 's, X, Y>,
) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let points = || curve.points.iter().copied();
    match curve.stroke {
        Stroke::Solid => {
            let line = LineSeries::new(points(), colour.stroke_width(2));
            let series = chart.draw_series(line).map_err(failed)?;
            series
                .label(curve.name)
                .legend(move |(x, y)| line_between((x, y), (x + 18, y), colour));
            let dots = points().map(|point| Circle::new(point, 3, colour.filled()));
            chart.draw_series(dots).map_err(failed)?;
        }
        Stroke::Dashed => {
            let line = DashedLineSeries::new(points(), 7, 6, colour.stroke_width(2));
            let series = chart.draw_series(line).map_err(failed)?;
            series.label(curve.name).legend(move |(x, y)| {
                EmptyElement::at((x, y))
                    + PathElement::new([(0, 0), (7, 0)], colour.stroke_width(2))
                    + PathElement::new([(12, 0), (18, 0)], colour.stroke_width(2))
            });
            // Draw points as rings, which leave a dot below them visible.
            let rings = points().map(|point| Circle::new(point, 5, colour.stroke_width(1)));
            chart.draw_series(rings).map_err(failed)?;
        }
    }
    Ok(())
}

fn line_between(from: (i32, i32), to: (i32, i32), colour: RGBColor) -> PathElement<(i32, i32)> {
    PathElement::new([from, to], colour.stroke_width(2))
}

/// Draws a cross, with its label on the side that faces the middle of the plot.
fn draw_mark<'a, 's: 'a, X, Y>(
    mark: &Mark,
    x_max: f64,
    legend: Option<&str>,
    chart: &mut Chart<'a, 's, X, Y>,
) -> Result<(), PlotError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let (side, away) = if mark.at.0 > x_max / 2.0 {
        (HPos::Right, -9)
    } else {
        (HPos::Left, 9)
    };
    let words = TextStyle::from(("sans-serif", 13)).pos(Pos::new(side, VPos::Center));
    let shown = EmptyElement::at(mark.at)
        + Cross::new((0, 0), 6, BLACK.stroke_width(2))
        + Text::new(mark.label, (away, 9), words);
    let series = chart.draw_series([shown]).map_err(failed)?;
    if let Some(name) = legend {
        series
            .label(name)
            .legend(|(x, y)| Cross::new((x + 9, y), 5, BLACK.stroke_width(2)));
    }
    Ok(())
}

pub(super) fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError(error.to_string())
}

#[cfg(test)]
mod tests {
    use nic_runtime::profile::Profile;

    use super::*;
    use crate::paper::PARTS;

    fn attribute(element: &str, name: &str) -> Option<f64> {
        let (_, rest) = element.split_once(&format!(" {name}=\""))?;
        rest.split('"').next()?.parse().ok()
    }

    /// Returns the points of an SVG line that has more points than a line of the legend; otherwise none.
    fn along(element: &str) -> Vec<(f64, f64)> {
        let points = element
            .split_once(" points=\"")
            .expect("lines have points")
            .1;
        let points = points.split('"').next().unwrap_or("").split_whitespace();
        let points: Vec<(f64, f64)> = points
            .map(|point| point.split_once(',').expect("a pair"))
            .map(|(x, y)| (x.parse().expect("a number"), y.parse().expect("a number")))
            .collect();
        if points.len() <= 2 {
            return Vec::new();
        }
        let part = |pair: &[(f64, f64)], tenth: f64| {
            let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
            (x + (to_x - x) * tenth / 10.0, y + (to_y - y) * tenth / 10.0)
        };
        let pairs = points.windows(2);
        pairs
            .flat_map(|pair| (0..=10).map(move |tenth| part(pair, f64::from(tenth))))
            .collect()
    }

    #[test]
    fn no_legend_lies_on_a_curve() {
        let profile = Profile::builtin("lanai-1998").unwrap();
        let drawings = PARTS
            .iter()
            .flat_map(|part| (part.plots)(&profile).unwrap());
        for drawing in drawings {
            match drawing {
                Drawing::Curves(_) => {
                    assert_legend_is_free(drawing.name(), &draw(&drawing).unwrap())
                }
                Drawing::Bars(_) | Drawing::Timeline(_) => {}
            }
        }
        // Another test compares the SVG files of the figures with what is drawn.
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
            assert_legend_is_free(name, svg);
        }
    }

    fn assert_legend_is_free(name: &str, svg: &str) {
        let elements = || svg.split('<');
        let legend = elements()
            .find(|element| element.starts_with("rect") && element.contains("opacity=\"0.9\""))
            .expect("there is a legend");
        let side = |name| attribute(legend, name).expect("a rectangle");
        let (left, top) = (side("x"), side("y"));
        let (right, bottom) = (left + side("width"), top + side("height"));
        let lines = elements().filter(|element| element.starts_with("polyline"));
        let mut seen = 0;
        for (x, y) in lines.flat_map(along) {
            seen += 1;
            let under = (left..right).contains(&x) && (top..bottom).contains(&y);
            assert!(!under, "{name}: ({x}, {y})");
        }
        assert!(seen > 100, "{name}: {seen} points");
    }
}
