//! Interleaved rounds and their medians.

use anyhow::Result;

use super::Effort;
use super::load::Figures;

/// A subject to measure: its name, and one measurement with a number of connections for a number of seconds.
pub(crate) struct Measurement<'p> {
    pub(crate) name: &'static str,
    /// Target ratio to the floor with many connections (lower bound).
    pub(crate) aim: Option<f64>,
    pub(crate) run: Box<dyn Fn(u32, u32) -> Result<Figures> + 'p>,
}

/// Measures all subjects in interleaved rounds and prints a table. The first subject is the floor.
///
/// # Errors
/// When a measurement fails.
pub(crate) fn compare(
    title: &str,
    measurements: &[Measurement<'_>],
    effort: &Effort,
) -> Result<()> {
    println!("\n## {title}\n");
    println!(
        "{} rounds of {} s, interleaved; medians\n",
        effort.rounds, effort.seconds
    );
    println!("| connections | | answers/s | ratio to the floor | aim | p50 ms | p99 ms |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for &connections in &effort.connections {
        let mut rounds = vec![Vec::new(); measurements.len()];
        for _ in 0..effort.rounds {
            for (figures, measurement) in rounds.iter_mut().zip(measurements) {
                figures.push((measurement.run)(connections, effort.seconds)?);
            }
        }
        let floor: Vec<f64> = rounds
            .iter()
            .take(1)
            .flatten()
            .map(|one| one.rate)
            .collect();
        for (figures, measurement) in rounds.iter().zip(measurements) {
            println!("{}", row(connections, measurement, figures, &floor));
        }
    }
    Ok(())
}

fn row(
    connections: u32,
    measurement: &Measurement<'_>,
    figures: &[Figures],
    floor: &[f64],
) -> String {
    let of = |part: fn(&Figures) -> f64| median(figures.iter().map(part).collect());
    // The ratio of each round, not of the medians: a disturbance in a round affects both sides of the ratio.
    let ratios = figures
        .iter()
        .zip(floor)
        .map(|(one, floor)| one.rate / floor);
    let aim = measurement.aim.filter(|_| connections >= 64);
    format!(
        "| {connections} | {} | {:.0} | {:.2} | {} | {:.2} | {:.2} |",
        measurement.name,
        of(|one| one.rate),
        median(ratios.collect()),
        aim.map_or_else(String::new, |aim| format!("{aim:.2}")),
        of(|one| one.median_ms),
        of(|one| one.p99_ms),
    )
}

/// The median; of an even number of values, the upper one of the two in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_ignores_an_outlier() {
        assert!((median(vec![9.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn a_row_shows_the_ratio_per_round_and_the_target_if_it_applies() {
        let figures = |rate| Figures {
            rate,
            median_ms: 1.0,
            p99_ms: 2.0,
        };
        let measurement = Measurement {
            name: "it",
            aim: Some(0.6),
            run: Box::new(move |_, _| Ok(figures(1.0))),
        };
        let rounds = [figures(50.0), figures(60.0), figures(30.0)];
        let floor = [100.0, 100.0, 40.0];
        assert_eq!(
            row(64, &measurement, &rounds, &floor),
            "| 64 | it | 50 | 0.60 | 0.60 | 1.00 | 2.00 |"
        );
        assert_eq!(
            row(1, &measurement, &rounds, &floor),
            "| 1 | it | 50 | 0.60 |  | 1.00 | 2.00 |"
        );
    }
}
