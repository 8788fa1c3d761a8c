//! Drawing of plots as SVG.

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;

use super::report::{Axis, Plot};

/// Size of a drawing in pixels.
const SIZE: (u32, u32) = (760, 480);

/// Colours that stay apart for the colour-blind and in print (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// How far above the highest point the vertical axis goes.
const HEADROOM: f64 = 1.08;

/// Why a plot could not be drawn, in the words of the library that draws.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot draw the plot: {0}")]
pub struct PlotError(String);

/// Draws a plot; returns the text of an SVG file.
///
/// # Errors
///
/// [`PlotError`] where the library refuses.
pub fn draw(plot: &Plot) -> Result<String, PlotError> {
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
            plot,
            (1.0..x_max).log_scale(),
            (y_min / 2.0..y_end * 2.0).log_scale(),
        ),
        (true, false) => draw_on(plot, (1.0..x_max).log_scale(), 0.0..y_end),
        (false, true) => draw_on(plot, 0.0..x_max, (y_min / 2.0..y_end * 2.0).log_scale()),
        (false, false) => draw_on(plot, 0.0..x_max, 0.0..y_end),
    }
}

fn draw_on<X, Y>(plot: &Plot, x: X, y: Y) -> Result<String, PlotError>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let mut chart = ChartBuilder::on(&area)
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
            .x_desc(axis(plot.x))
            .y_desc(axis(plot.y))
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .draw()
            .map_err(failed)?;
        for (curve, colour) in plot.curves.iter().zip(COLOURS.iter().cycle()) {
            let line = LineSeries::new(curve.points.iter().copied(), colour.stroke_width(2));
            chart
                .draw_series(line)
                .map_err(failed)?
                .label(curve.name)
                .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
            let dots = curve
                .points
                .iter()
                .map(|&point| Circle::new(point, 3, colour.filled()));
            chart.draw_series(dots).map_err(failed)?;
        }
        for mark in &plot.marks {
            let cross = Cross::new(mark.at, 6, BLACK.stroke_width(2));
            chart
                .draw_series([cross])
                .map_err(failed)?
                .label(mark.label)
                .legend(|(x, y)| Cross::new((x + 9, y), 5, BLACK.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.9))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 13))
            .draw()
            .map_err(failed)?;
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

fn axis(axis: Axis) -> &'static str {
    axis.label
}

fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError(error.to_string())
}
