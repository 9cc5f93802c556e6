//! Picture of a long run: one panel for each quantity over time.

use std::fmt::Write as _;

use super::sample::SoakSample;

/// Width of a panel, in pixels.
const WIDTH: f64 = 640.0;
/// Height of a panel.
const HEIGHT: f64 = 110.0;
/// Space for the labels at the left and between panels.
const LEFT: f64 = 70.0;
const GAP: f64 = 42.0;

/// Name of a quantity, and its value in a sample.
type Panel = (&'static str, fn(&SoakSample) -> f64);

const PANELS: [Panel; 4] = [
    ("99th percentile of a POST, ms", |one| one.times[1]),
    ("resident memory, MB", |one| one.memory),
    ("write-ahead log, MB", |one| one.journal),
    ("database, MB", |one| one.database),
];

/// Draws the samples as SVG. Colours follow the reader's scheme.
pub(super) fn draw(title: &str, samples: &[SoakSample]) -> String {
    let panels: Vec<&Panel> = PANELS
        .iter()
        .filter(|(_, value)| samples.iter().any(|one| value(one) > 0.0))
        .collect();
    let minutes = samples.last().map_or(1.0, |last| last.minutes.max(0.1));
    let (width, mut top) = (LEFT + WIDTH + 20.0, GAP);
    let mut parts = String::new();
    for (name, value) in panels {
        panel(&mut parts, (name, top), minutes, samples, *value);
        top += HEIGHT + GAP;
    }
    let style = "text{font:12px sans-serif;fill:#333}path{fill:none;stroke:#1a5fb4;stroke-width:1.5}\
                 line{stroke:#bbb}rect{fill:none;stroke:#bbb}.page{fill:#fff;stroke:none}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" role=\"img\" aria-label=\"{title}\">\n\
         <style>{style}</style>\n<rect class=\"page\" width=\"{width}\" height=\"{top}\"/>\n{parts}</svg>\n"
    )
}

fn panel(
    parts: &mut String,
    (name, top): (&str, f64),
    minutes: f64,
    samples: &[SoakSample],
    value: fn(&SoakSample) -> f64,
) {
    let largest = samples.iter().map(value).fold(0.0, f64::max);
    let scale = rounded_up(largest);
    let x = |one: &SoakSample| LEFT + one.minutes / minutes * WIDTH;
    let y = |one: &SoakSample| top + HEIGHT - value(one) / scale * HEIGHT;
    let mut path = String::new();
    for (place, one) in samples.iter().enumerate() {
        let letter = if place == 0 { 'M' } else { 'L' };
        // Writing to a `String` does not fail.
        let _ = write!(path, "{letter}{:.1} {:.1}", x(one), y(one));
    }
    let bottom = top + HEIGHT;
    let (label, end) = (top - 8.0, LEFT + WIDTH);
    let _ = write!(
        parts,
        "<text x=\"{LEFT}\" y=\"{label}\">{name}</text>\n\
         <rect x=\"{LEFT}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{scale}</text>\n\
         <text x=\"{}\" y=\"{bottom}\" text-anchor=\"end\">0</text>\n\
         <text x=\"{end}\" y=\"{}\" text-anchor=\"end\">{minutes:.0} min</text>\n\
         <path d=\"{path}\"/>\n",
        LEFT - 6.0,
        top + 10.0,
        LEFT - 6.0,
        bottom + 14.0,
    );
}

/// Rounds up to one digit of 1, 2 or 5 and zeros.
fn rounded_up(value: f64) -> f64 {
    let mut step = 1.0;
    loop {
        for digit in [1.0, 2.0, 5.0] {
            if digit * step >= value {
                return digit * step;
            }
        }
        step *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_that_is_not_known_has_no_panel() {
        let sample = |minutes: f64| SoakSample {
            minutes,
            posts: 1,
            times: [1.0, 2.0, 3.0],
            late: 0,
            memory: 50.0,
            journal: 0.0,
            database: 0.0,
            backups: 0,
            events: 0,
        };
        let picture = draw("PostgreSQL", &[sample(0.5), sample(1.0)]);
        assert_eq!(picture.matches("<path").count(), 2);
        assert!(picture.contains("M390.0 "), "{picture}");
    }

    #[test]
    fn scales_are_round() {
        for (value, scale) in [
            (0.0, 1.0),
            (1.0, 1.0),
            (3.0, 5.0),
            (52.0, 100.0),
            (120.0, 200.0),
        ] {
            assert!((rounded_up(value) - scale).abs() < f64::EPSILON, "{value}");
        }
    }
}
