//! Draws charts of stacked bars.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::plot::{COLOURS, Paper, PlotError, failed};
use super::report::BarChart;

/// Size of a drawing, in pixels.
pub(super) const SIZE: (u32, u32) = (760, 330);

/// Length of the axis relative to the longest bar, which leaves room for the text after that bar.
const ROOM: f64 = 1.18;

/// A part of a bar that is narrower than this share of the axis shows no number.
const NARROW: f64 = 0.06;

/// Draws bars from top to bottom, each with a line at the paper's total.
pub(super) fn draw(chart: &BarChart, area: &Paper<'_>) -> Result<(), PlotError> {
    area.fill(&WHITE).map_err(failed)?;
    let sums = chart.bars.iter().map(|bar| bar.parts.iter().sum::<f64>());
    let end = ROOM * sums.fold(1.0_f64, f64::max);
    // A chart has few bars, so the conversion of their number is exact.
    let rows = chart.bars.len() as f64;
    let mut drawn = ChartBuilder::on(area)
        .caption(&chart.title, ("sans-serif", 18))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(110)
        .build_cartesian_2d(0.0..end, 0.0..rows)
        .map_err(failed)?;
    drawn
        .configure_mesh()
        .disable_y_mesh()
        .max_light_lines(0)
        .bold_line_style(BLACK.mix(0.1))
        .x_desc(chart.label)
        .y_labels(0)
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .x_label_formatter(&|value| format!("{value}"))
        .draw()
        .map_err(failed)?;
    let words = |side| TextStyle::from(("sans-serif", 13)).pos(Pos::new(side, VPos::Center));
    let middles = (0..chart.bars.len()).map(|row| rows - row as f64 - 0.5);
    let placed: Vec<_> = chart.bars.iter().zip(middles).collect();
    for (part, (name, colour)) in chart.parts.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let mut boxes = Vec::new();
        let mut numbers = Vec::new();
        for (bar, middle) in &placed {
            let from: f64 = bar.parts[..part].iter().sum();
            let length = bar.parts[part];
            if length > 0.0 {
                let corners = [(from, middle - 0.3), (from + length, middle + 0.3)];
                boxes.push(Rectangle::new(corners, colour.mix(0.75).filled()));
            }
            if length > NARROW * end {
                let at = (from + length / 2.0, *middle);
                numbers.push(Text::new(format!("{length}"), at, words(HPos::Center)));
            }
        }
        let legend = colour.mix(0.75).filled();
        drawn
            .draw_series(boxes)
            .map_err(failed)?
            .label(*name)
            .legend(move |(x, y)| Rectangle::new([(x + 3, y - 5), (x + 15, y + 5)], legend));
        drawn.draw_series(numbers).map_err(failed)?;
    }
    for (bar, middle) in &placed {
        let at = |x| EmptyElement::at((x, *middle));
        let name = Text::new(bar.name.clone(), (-8, 0), words(HPos::Right));
        drawn.draw_series([at(0.0) + name]).map_err(failed)?;
        let across = [(bar.stated, middle - 0.38), (bar.stated, middle + 0.38)];
        let line = PathElement::new(across, BLACK.stroke_width(2));
        drawn.draw_series([line]).map_err(failed)?;
        let stated = Text::new(format!("{}", bar.stated), (6, 0), words(HPos::Left));
        drawn
            .draw_series([at(bar.stated) + stated])
            .map_err(failed)?;
    }
    let nothing: [PathElement<(f64, f64)>; 0] = [];
    drawn
        .draw_series(nothing)
        .map_err(failed)?
        .label("total stated in the paper")
        .legend(|(x, y)| PathElement::new([(x + 9, y - 6), (x + 9, y + 6)], BLACK.stroke_width(2)));
    drawn
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 13))
        .draw()
        .map_err(failed)
}
