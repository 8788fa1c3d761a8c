//! Draws the table of kernels: one line for each peer, with a mark for each kernel and the mean as text.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::peer::PeerError;
use crate::table::Table;

/// Sizes in pixels: the width, the height for each peer, and the heights of title and axis.
const WIDTH: u32 = 760;
const ROW_HEIGHT: u32 = 34;
const FRAME_HEIGHT: u32 = 110;

/// Colours that are distinguishable with colour blindness and in print (Okabe and Ito, 2008).
const KERNEL: RGBColor = RGBColor(0, 114, 178);
const MEAN: RGBColor = RGBColor(213, 94, 0);

/// Draws the ratios of all peers but the first, the fastest at the top. Returns the SVG file.
///
/// # Errors
///
/// Returns an error if the plotting library fails.
pub fn draw(table: &Table) -> Result<String, PeerError> {
    let mut svg = String::new();
    let lines = lines(table);
    let height = FRAME_HEIGHT + ROW_HEIGHT * u32::try_from(lines.len())?;
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    draw_on(&area, &lines).map_err(|error| error.to_string())?;
    area.present().map_err(|error| error.to_string())?;
    drop(area);
    Ok(svg)
}

/// One peer's ratios and their mean.
struct Line<'t> {
    peer: &'t str,
    ratios: Vec<f64>,
    mean: f64,
}

fn lines(table: &Table) -> Vec<Line<'_>> {
    let line = |place: usize| {
        let cells = table
            .rows
            .iter()
            .filter_map(|row| row.cells[place].as_ref());
        Some(Line {
            peer: &table.peers[place],
            ratios: cells.map(|cell| cell.ratio).collect(),
            mean: table.geomean[place]?,
        })
    };
    let mut lines: Vec<_> = (1..table.peers.len()).filter_map(line).collect();
    lines.sort_by(|one, other| one.mean.total_cmp(&other.mean));
    lines
}

fn draw_on<'a>(
    area: &DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
    lines: &[Line<'_>],
) -> Result<(), Box<dyn Error + 'a>> {
    area.fill(&WHITE)?;
    let ratios = || lines.iter().flat_map(|line| line.ratios.iter().copied());
    let least = ratios().fold(1.0_f64, f64::min) / 1.5;
    let most = ratios().fold(1.0_f64, f64::max) * 1.5;
    // The conversion is exact, because the number of lines is small.
    let rows = lines.len() as f64;
    let mut chart = ChartBuilder::on(area)
        .caption("Public kernels, times native code", ("sans-serif", 18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(110)
        .build_cartesian_2d((least..most).log_scale(), 0.0..rows)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .max_light_lines(0)
        .bold_line_style(BLACK.mix(0.1))
        .x_desc("times native code; marks: kernels, line: geometric mean without nullcall")
        .y_labels(0)
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .x_label_formatter(&|value| format!("{value}"))
        .draw()?;
    let words = |side| TextStyle::from(("sans-serif", 13)).pos(Pos::new(side, VPos::Center));
    for (row, line) in lines.iter().enumerate() {
        let middle = rows - row as f64 - 0.5;
        let marks = line.ratios.iter();
        chart.draw_series(
            marks.map(|ratio| Circle::new((*ratio, middle), 4, KERNEL.mix(0.6).filled())),
        )?;
        let mean = [(line.mean, middle - 0.4), (line.mean, middle + 0.4)];
        chart.draw_series([PathElement::new(mean, MEAN.stroke_width(3))])?;
        let name = format!("{} {:.1} ", line.peer, line.mean);
        chart.draw_series([Text::new(name, (least, middle), words(HPos::Right))])?;
    }
    Ok(())
}
