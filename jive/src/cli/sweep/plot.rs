//! Draws a metric over an axis, with error bars.

use jive_embed::diagnosis::sentence;
use nic_experiment::sweep::{CurvePoint, Plan, Table};
use plotters::prelude::*;

use crate::paper::plot::{COLOURS, SIZE};

/// What is drawn: positions among the keys and the metrics of a plan.
pub(super) struct Drawn {
    x: usize,
    y: usize,
    by: Option<usize>,
}

impl Drawn {
    /// Reads `x=AXIS y=METRIC by=AXIS`; `None` if nothing is to be drawn.
    pub(super) fn of(words: &[String], plan: &Plan) -> Result<Option<Drawn>, String> {
        if words.is_empty() {
            return Ok(None);
        }
        let (mut x, mut y, mut by) = (None, None, None);
        for word in words {
            let (key, name) = word.split_once('=').unwrap_or((word, ""));
            let axis = || {
                let place = plan.keys().position(|key| key == name);
                place.ok_or_else(|| format!("expected an axis of the plan, found `{name}`"))
            };
            match key {
                "x" => x = Some(axis()?),
                "by" => by = Some(axis()?),
                "y" => {
                    let place = plan.collect().iter().position(|metric| metric.name == name);
                    y = Some(place.ok_or_else(|| {
                        format!("expected a metric of `collect`, found `{name}`")
                    })?);
                }
                _ => return Err(format!("expected `x=`, `y=` or `by=`, found `{word}`")),
            }
        }
        match (x, y) {
            (Some(x), Some(y)) => Ok(Some(Drawn { x, y, by })),
            _ => Err("expected `x=AXIS` and `y=METRIC`".to_owned()),
        }
    }
}

/// A point of a curve: its place, its mean, and half the width of its interval.
type Dot = (f64, f64, f64);

/// A curve: its name and its points.
type Curve = (String, Vec<Dot>);

/// Draws the means as SVG: of all rows with equal `x` and `by`, whatever the values of the other axes are.
pub(super) fn draw(drawn: &Drawn, table: &Table<'_>) -> Result<String, String> {
    let plan = table.plan();
    let points = table.curves(drawn.y, drawn.x, drawn.by);
    // If a value is no number, such as the name of an applet, all have their position.
    let mut names = Vec::<&str>::new();
    if points.iter().any(|point| point.x.parse::<f64>().is_err()) {
        for point in &points {
            if !names.contains(&point.x.as_str()) {
                names.push(&point.x);
            }
        }
    }
    let mut curves = Vec::<Curve>::new();
    for CurvePoint { x, by, mean } in &points {
        let position = names.iter().position(|name| name == x);
        let place = position.map_or_else(|| x.parse().unwrap_or(0.0), |at| at as f64);
        let name = by.clone().unwrap_or_default();
        let dot = (place, mean.mean, mean.half.unwrap_or(0.0));
        match curves.iter_mut().find(|(known, _)| *known == name) {
            Some((_, dots)) => dots.push(dot),
            None => curves.push((name, vec![dot])),
        }
    }
    for (_, dots) in &mut curves {
        dots.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    }
    let dots = || curves.iter().flat_map(|(_, dots)| dots);
    let span = |of: fn(&Dot) -> [f64; 2]| {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for [low, high] in dots().map(of) {
            least = least.min(low);
            most = most.max(high);
        }
        match least < most {
            true => least..most,
            false if least.is_finite() => least - 0.5..most + 0.5,
            false => 0.0..1.0,
        }
    };
    let x = span(|(x, ..)| [*x, *x]);
    let y = span(|(_, mean, half)| [(mean - half).min(0.0), (mean + half) * 1.05]);
    let mut svg = String::new();
    let drawing = draw_on(&mut svg, (x, y), (drawn, plan, &names), &curves);
    drawing.map_err(|error| sentence(&format!("cannot draw the plot: {error}"), &[]))?;
    Ok(svg)
}

type Failed = Box<dyn std::error::Error>;

fn draw_on(
    svg: &mut String,
    (x, y): (std::ops::Range<f64>, std::ops::Range<f64>),
    (drawn, plan, names): (&Drawn, &Plan, &[&str]),
    curves: &[Curve],
) -> Result<(), Failed> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let failed = |error: &dyn std::fmt::Display| -> Failed { error.to_string().into() };
    area.fill(&WHITE).map_err(|error| failed(&error))?;
    let mut chart = ChartBuilder::on(&area)
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(90)
        .build_cartesian_2d(x, y)
        .map_err(|error| failed(&error))?;
    chart
        .configure_mesh()
        .max_light_lines(0)
        .bold_line_style(BLACK.mix(0.1))
        .x_desc(plan.keys().nth(drawn.x).unwrap_or_default())
        .y_desc(plan.collect()[drawn.y].name.as_str())
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .x_label_formatter(&|value| match names {
            [] => format!("{value}"),
            names => {
                position_of(*value, names.len()).map_or(String::new(), |at| names[at].to_owned())
            }
        })
        .y_label_formatter(&|value| format!("{value}"))
        .draw()
        .map_err(|error| failed(&error))?;
    for ((name, dots), colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let bars = dots.iter().map(|&(x, mean, half)| {
            ErrorBar::new_vertical(x, mean - half, mean, mean + half, colour.filled(), 8)
        });
        chart.draw_series(bars).map_err(|error| failed(&error))?;
        let line = LineSeries::new(
            dots.iter().map(|&(x, mean, _)| (x, mean)),
            colour.stroke_width(2),
        );
        let colour = *colour;
        let series = chart.draw_series(line).map_err(|error| failed(&error))?;
        if !name.is_empty() {
            series
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        }
    }
    if drawn.by.is_some() {
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 13))
            .draw()
            .map_err(|error| failed(&error))?;
    }
    drop(chart);
    area.present().map_err(|error| failed(&error))?;
    drop(area);
    Ok(())
}

/// Returns the position that a mark of the axis is at, if it is at one of so many.
fn position_of(mark: f64, count: usize) -> Option<usize> {
    (0..count).find(|at| (*at as f64 - mark).abs() < 1e-9)
}
