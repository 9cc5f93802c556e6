//! Interleaved rounds and their medians.

use anyhow::Result;

use super::Effort;
use super::load::Figures;

/// Something to measure: its name, and one measurement with so many connections for so many seconds.
pub(crate) struct Subject<'p> {
    pub(crate) name: &'static str,
    /// The least ratio to the floor that is aimed at with many connections.
    pub(crate) aim: Option<f64>,
    pub(crate) run: Box<dyn Fn(u32, u32) -> Result<Figures> + 'p>,
}

/// Measures all subjects in interleaved rounds and prints a table. The first subject is the floor.
///
/// # Errors
/// When a measurement fails.
pub(crate) fn compare(title: &str, subjects: &[Subject<'_>], effort: &Effort) -> Result<()> {
    println!("\n## {title}\n");
    println!(
        "{} rounds of {} s, interleaved; medians\n",
        effort.rounds, effort.seconds
    );
    println!("| connections | | answers/s | ratio to the floor | aim | p50 ms | p99 ms |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for &connections in &effort.connections {
        let mut rounds = vec![Vec::new(); subjects.len()];
        for _ in 0..effort.rounds {
            for (figures, subject) in rounds.iter_mut().zip(subjects) {
                figures.push((subject.run)(connections, effort.seconds)?);
            }
        }
        let floor: Vec<f64> = rounds
            .iter()
            .take(1)
            .flatten()
            .map(|one| one.rate)
            .collect();
        for (figures, subject) in rounds.iter().zip(subjects) {
            println!("{}", row(connections, subject, figures, &floor));
        }
    }
    Ok(())
}

fn row(connections: u32, subject: &Subject<'_>, figures: &[Figures], floor: &[f64]) -> String {
    let of = |part: fn(&Figures) -> f64| median(figures.iter().map(part).collect());
    // The ratio of each round, not of the medians: what disturbed a round disturbed both sides of it.
    let ratios = figures
        .iter()
        .zip(floor)
        .map(|(one, floor)| one.rate / floor);
    let aim = subject.aim.filter(|_| connections >= 64);
    format!(
        "| {connections} | {} | {:.0} | {:.2} | {} | {:.2} | {:.2} |",
        subject.name,
        of(|one| one.rate),
        median(ratios.collect()),
        aim.map_or_else(String::new, |aim| format!("{aim:.2}")),
        of(|one| one.median_ms),
        of(|one| one.p99_ms),
    )
}

/// The value in the middle; of an even number, the upper one of the two.
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
    fn a_row_tells_the_ratio_of_the_rounds_and_the_aim_where_it_holds() {
        let figures = |rate| Figures {
            rate,
            median_ms: 1.0,
            p99_ms: 2.0,
        };
        let subject = Subject {
            name: "it",
            aim: Some(0.6),
            run: Box::new(move |_, _| Ok(figures(1.0))),
        };
        let rounds = [figures(50.0), figures(60.0), figures(30.0)];
        let floor = [100.0, 100.0, 40.0];
        assert_eq!(
            row(64, &subject, &rounds, &floor),
            "| 64 | it | 50 | 0.60 | 0.60 | 1.00 | 2.00 |"
        );
        assert_eq!(
            row(1, &subject, &rounds, &floor),
            "| 1 | it | 50 | 0.60 |  | 1.00 | 2.00 |"
        );
    }
}
