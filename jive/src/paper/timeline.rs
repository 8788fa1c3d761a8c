//! Draws timelines: rows of boxes along one axis of time, as a trace viewer shows tracks.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::plot::{COLOURS, Paper, PlotError, failed};
use super::report::Timeline;

/// Width of a drawing, in pixels.
const WIDTH: u32 = 1_100;

/// Height of a track, in pixels.
const TRACK: u32 = 44;

/// Height of the title and of the legend, in pixels.
const HEAD: u32 = 64;

/// Height of the axis and the margins, in pixels.
const AXIS: u32 = 72;

/// Distance of a box's edges from the middle of its track, as a part of the track's height.
const HALF: f64 = 0.36;

/// Width of a letter of a box, as a share of the axis. A box that is too narrow for its label shows no label.
const LETTER: f64 = 0.0058;

/// Width of a letter of the legend, in pixels.
const LEGEND_LETTER: i32 = 6;

/// Returns the size of a drawing, in pixels.
pub(super) fn size(timeline: &Timeline) -> (u32, u32) {
    let tracks = u32::try_from(timeline.tracks.len()).unwrap_or(u32::MAX);
    let height = tracks.saturating_mul(TRACK).saturating_add(HEAD + AXIS);
    (WIDTH, height)
}

/// Draws the tracks from top to bottom. Boxes with the same label have the same colour in all tracks and drawings.
pub(super) fn draw(timeline: &Timeline, area: &Paper<'_>) -> Result<(), PlotError> {
    area.fill(&WHITE).map_err(failed)?;
    let (head, area) = area.split_vertically(HEAD);
    draw_head(&timeline.title, &timeline.labels, &head)?;
    let spans = || timeline.tracks.iter().flat_map(|track| &track.spans);
    let end = spans().fold(1.0_f64, |end, span| end.max(span.to));
    // A timeline has few tracks, so the conversion of their number is exact.
    let rows = timeline.tracks.len() as f64;
    let mut drawn = ChartBuilder::on(&area)
        .margin_left(14)
        .margin_right(14)
        .margin_bottom(14)
        .x_label_area_size(44)
        .y_label_area_size(90)
        .build_cartesian_2d(0.0..end, 0.0..rows)
        .map_err(failed)?;
    drawn
        .configure_mesh()
        .disable_y_mesh()
        .max_light_lines(0)
        .bold_line_style(BLACK.mix(0.1))
        .x_desc("time (us)")
        .y_labels(0)
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .x_label_formatter(&|value| format!("{value}"))
        .draw()
        .map_err(failed)?;
    let words = |side| TextStyle::from(("sans-serif", 12)).pos(Pos::new(side, VPos::Center));
    for (row, track) in timeline.tracks.iter().enumerate() {
        let middle = rows - row as f64 - 0.5;
        for span in &track.spans {
            let colour = timeline
                .labels
                .iter()
                .position(|label| *label == span.label);
            let colour = colour_of(colour.unwrap_or(0));
            let corners = [(span.from, middle - HALF), (span.to, middle + HALF)];
            let filled = Rectangle::new(corners, colour.filled());
            let edge = Rectangle::new(corners, BLACK.mix(0.5).stroke_width(1));
            drawn.draw_series([filled, edge]).map_err(failed)?;
            let letters = span.label.chars().count() as f64;
            if letters * LETTER * end < span.to - span.from {
                let at = ((span.from + span.to) / 2.0, middle);
                let label = Text::new(span.label, at, words(HPos::Center));
                drawn.draw_series([label]).map_err(failed)?;
            }
        }
        let at = EmptyElement::at((0.0, middle));
        let name = Text::new(track.name.clone(), (-8, 0), words(HPos::Right));
        drawn.draw_series([at + name]).map_err(failed)?;
    }
    Ok(())
}

/// Returns the colour of the label with this number. After the last colour, the colours are used again in paler shades.
fn colour_of(label: usize) -> RGBAColor {
    let strength = match label < COLOURS.len() {
        true => 0.65,
        false => 0.3,
    };
    COLOURS[label % COLOURS.len()].mix(strength)
}

/// Draws the title, and below it the legend.
fn draw_head(title: &str, labels: &[&str], area: &Paper<'_>) -> Result<(), PlotError> {
    let middle = Pos::new(HPos::Center, VPos::Center);
    let words = TextStyle::from(("sans-serif", 18)).pos(middle);
    let at = ((WIDTH / 2).cast_signed(), 20);
    area.draw(&Text::new(title, at, words)).map_err(failed)?;
    let mut left = 20;
    for (number, label) in labels.iter().enumerate() {
        let corners = [(left, 42), (left + 12, 54)];
        let swatch = Rectangle::new(corners, colour_of(number).filled());
        area.draw(&swatch).map_err(failed)?;
        let words = TextStyle::from(("sans-serif", 12)).pos(Pos::new(HPos::Left, VPos::Center));
        let name = Text::new(*label, (left + 16, 48), words);
        area.draw(&name).map_err(failed)?;
        let letters = i32::try_from(label.chars().count()).unwrap_or(i32::MAX);
        left = left.saturating_add(letters.saturating_mul(LEGEND_LETTER) + 30);
    }
    Ok(())
}
