//! Small bar charts, drawn by the server and described by a sentence.

use std::fmt::Write as _;

use super::format::{counted, grouped};

/// Distance between bars, and width of a bar, in pixels.
const STEP: usize = 6;
const WIDTH: usize = 5;
/// Height of the highest bar, in pixels.
const HEIGHT: u64 = 24;

/// Bar chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bars {
    /// Bars, as the `d` attribute of a path.
    pub full: String,
    /// Thin line in place of each missing bar, so that gaps are visible.
    pub empty: String,
    /// Width in pixels.
    pub width: usize,
    /// Text alternative.
    pub text: String,
}

impl Bars {
    /// Creates a chart of events.
    /// Each count covers a span of time such as `day`, and all of them a period such as `14 days`.
    pub fn of_events(counts: &[u64], span: &str, all: &str) -> Self {
        let most = counts.iter().copied().max().unwrap_or_default();
        let (mut full, mut empty) = (String::new(), String::new());
        for (place, count) in counts.iter().enumerate() {
            // The smallest count stays visible.
            let share = count.saturating_mul(HEIGHT).checked_div(most);
            let (path, height) = match count {
                0 => (&mut empty, 1),
                _ => (&mut full, share.unwrap_or_default().max(2)),
            };
            let (left, top) = (place * STEP, HEIGHT - height);
            let _ = write!(path, "M{left} {top}h{WIDTH}v{height}h-{WIDTH}z");
        }
        let total: u64 = counts.iter().sum();
        let events = counted(total, "event", "events");
        let text = match total {
            0 => format!("No events in {all}"),
            _ => format!("{events} in {all}, at most {} in a {span}", grouped(most)),
        };
        Self {
            full,
            empty,
            width: counts.len() * STEP,
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_the_chart_and_nothing_is_a_line() {
        let chart = Bars::of_events(&[0, 1, 1_200], "day", "3 days");
        assert_eq!(chart.empty, "M0 23h5v1h-5z");
        assert_eq!(chart.full, "M6 22h5v2h-5zM12 0h5v24h-5z");
        assert_eq!(chart.text, "1,201 events in 3 days, at most 1,200 in a day");
    }

    #[test]
    fn an_empty_chart_reports_no_events() {
        assert_eq!(
            Bars::of_events(&[0; 14], "day", "14 days").text,
            "No events in 14 days"
        );
        assert_eq!(Bars::of_events(&[], "day", "14 days").width, 0);
    }
}
