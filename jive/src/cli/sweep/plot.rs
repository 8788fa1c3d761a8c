//! Draws a metric over an axis, with error bars.

use std::collections::BTreeMap;

use jive_embed::diagnosis::sentence;
use plotters::prelude::*;

use super::plan::Plan;
use super::table::{Mean, Point};

/// Size of the drawing, in pixels.
const SIZE: (u32, u32) = (760, 480);

/// Colours that remain distinguishable with colour blindness and in print (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

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
                    let place = plan.collect.iter().position(|metric| metric.name == name);
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

/// Draws the means as SVG. Points with equal `x` and `by` are joined by their mean.
pub(super) fn draw(drawn: &Drawn, plan: &Plan, points: &[Point]) -> Result<String, String> {
    let mut curves = BTreeMap::<(usize, String), Vec<Dot>>::new();
    let mut order = Vec::<String>::new();
    for (number, point) in points.iter().enumerate() {
        let Some(Mean { mean, half }) = point.means[drawn.y] else {
            continue;
        };
        // A value that is no number, such as the name of an applet, has its position.
        let x = point.values[drawn.x].parse().unwrap_or(number as f64);
        let name = drawn
            .by
            .map_or(String::new(), |by| point.values[by].clone());
        let place = order
            .iter()
            .position(|known| *known == name)
            .unwrap_or_else(|| {
                order.push(name.clone());
                order.len() - 1
            });
        curves
            .entry((place, name))
            .or_default()
            .push((x, mean, half.unwrap_or(0.0)));
    }
    let dots = || curves.values().flatten();
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
    let drawing = draw_on(&mut svg, (x, y), (drawn, plan), &curves);
    drawing.map_err(|error| sentence(&format!("cannot draw the plot: {error}"), &[]))?;
    Ok(svg)
}

type Failed = Box<dyn std::error::Error>;

fn draw_on(
    svg: &mut String,
    (x, y): (std::ops::Range<f64>, std::ops::Range<f64>),
    (drawn, plan): (&Drawn, &Plan),
    curves: &BTreeMap<(usize, String), Vec<Dot>>,
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
        .y_desc(plan.collect[drawn.y].name.as_str())
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .x_label_formatter(&|value| format!("{value}"))
        .y_label_formatter(&|value| format!("{value}"))
        .draw()
        .map_err(|error| failed(&error))?;
    for (((_, name), dots), colour) in curves.iter().zip(COLOURS.iter().cycle()) {
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
