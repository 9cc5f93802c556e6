//! A long run with everything at once: alerts at a steady rate, subscribers of the feed, the deletion of old events, and backups,
//! each of which pins a snapshot of the database while it runs.

mod load;
mod picture;
mod sample;

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use self::load::{AlertLoad, subscribe};
use self::picture::draw;
use self::sample::{SoakSample, Watched};
use super::Programs;
use super::feed::OLD_DAYS;
use super::servers::BenchServer;
use super::timed::Databases;
use crate::workspace::Workspace;

/// Time between two samples.
const INTERVAL: Duration = Duration::from_secs(10);

/// Time after which a pause looks whether the run has ended.
const STEP: Duration = Duration::from_millis(100);

/// Length and rate of the run.
#[derive(Clone, Debug, Args)]
pub(crate) struct SoakScope {
    /// For `soak`: minutes
    #[arg(long, default_value_t = 60)]
    minutes: u32,
    /// For `soak` and `streams`: alerts in a second (default: 2,000 and 1,000)
    #[arg(long)]
    rate: Option<u32>,
    /// For `soak` and `streams`: subscribers of the feed (default: 100 and 1,000)
    #[arg(long)]
    subscribers: Option<u32>,
    /// For `soak`: stored events past their retention, which the server deletes during the run
    #[arg(long, default_value_t = 2_500_000)]
    old_events: usize,
    /// For `soak`: seconds between two backups; 0 for one after the other
    #[arg(long, default_value_t = 60)]
    backup_pause: u64,
    /// For `soak`: file of the picture, with the samples beside it
    #[arg(long, value_name = "FILE", default_value = "target/soak.svg")]
    picture: PathBuf,
}

impl SoakScope {
    /// Rate and subscribers of `streams`.
    pub(super) fn of_streams(&self) -> (u32, u32) {
        (
            self.rate.unwrap_or(1_000),
            self.subscribers.unwrap_or(1_000),
        )
    }

    fn rate(&self) -> u32 {
        self.rate.unwrap_or(2_000)
    }
}

/// Runs, prints a table, and draws the picture.
///
/// # Errors
/// When the server cannot be started, refuses an alert, or ends.
pub(super) fn measure(
    workspace: &Workspace,
    programs: &Programs,
    scope: &SoakScope,
    databases: Databases,
) -> Result<()> {
    databases.each(programs, |name, start| {
        let mut server = start()?;
        programs.seed_feed(&server, scope.old_events, OLD_DAYS)?;
        // The deletion begins when a server starts.
        server.restart(programs)?;
        let samples = run(programs, &server, scope)?;
        let file = workspace.root().join(&scope.picture);
        let file = file.with_file_name(format!(
            "{}-{}.svg",
            file.file_stem().unwrap_or_default().to_string_lossy(),
            name.to_lowercase()
        ));
        fs::create_dir_all(file.parent().context("the picture is in a directory")?)?;
        fs::write(&file, draw(name, &samples))?;
        fs::write(file.with_extension("csv"), sample::csv(&samples))?;
        print(name, scope, &samples);
        Ok(())
    })
}

/// Runs the load, and returns a sample for each interval.
fn run(programs: &Programs, server: &BenchServer, scope: &SoakScope) -> Result<Vec<SoakSample>> {
    let ended = AtomicBool::new(false);
    let (backups, events) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let load = AlertLoad::new(server, scope.rate())?;
    let tokens = ["/admin/token", "/developer/token", "/reporter/token"];
    let tokens: Vec<String> = tokens
        .iter()
        .map(|pointer| server.text(pointer))
        .collect::<Result<_>>()?;
    let watched = Watched::of(server)?;
    thread::scope(|scope_of_threads| {
        let subscribers = scope.subscribers.unwrap_or(100);
        for (_, token) in (0..subscribers).zip(tokens.iter().cycle()) {
            let (ended, events) = (&ended, &events);
            scope_of_threads.spawn(move || subscribe(&server.base_url, token, events, ended));
        }
        let backing_up = scope_of_threads.spawn(|| {
            let pause = Duration::from_secs(scope.backup_pause);
            back_up(programs, server, pause, (&backups, &ended))
        });
        let senders: Vec<_> = (0..load::SENDERS)
            .map(|number| {
                let (load, ended) = (&load, &ended);
                scope_of_threads.spawn(move || load.send(number, ended))
            })
            .collect();
        let samples = sample_all(&load, &watched, scope, [&backups, &events]);
        ended.store(true, Ordering::Release);
        for sender in senders {
            sender.join().ok().context("a sender panicked")??;
        }
        backing_up.join().ok().context("the backups panicked")??;
        samples
    })
}

#[expect(clippy::disallowed_methods, reason = "samples are a matter of time")]
fn sample_all(
    load: &AlertLoad,
    watched: &Watched,
    scope: &SoakScope,
    [backups, events]: [&AtomicUsize; 2],
) -> Result<Vec<SoakSample>> {
    let started = Instant::now();
    let end = Duration::from_secs(60 * u64::from(scope.minutes));
    let mut samples = Vec::new();
    while started.elapsed() < end {
        thread::sleep(INTERVAL);
        if load.has_failed() {
            bail!("an alert was refused; the senders say why");
        }
        let counts = [backups, events].map(|count| count.load(Ordering::Relaxed));
        samples.push(watched.sample(started.elapsed(), load.take_times(), counts)?);
    }
    Ok(samples)
}

/// Writes backups with this pause after each.
#[expect(clippy::disallowed_methods, reason = "the pause is a matter of time")]
fn back_up(
    programs: &Programs,
    server: &BenchServer,
    pause: Duration,
    (count, ended): (&AtomicUsize, &AtomicBool),
) -> Result<()> {
    let directory = tempfile::tempdir()?;
    while !ended.load(Ordering::Acquire) {
        let mut command = programs.command(server.data().context("the server has data")?);
        command.args(["backup", "--keep", "1", "--to"]);
        command.arg(directory.path());
        command.args(["--database", &server.database_url()?]);
        let status = command.stdout(Stdio::null()).status()?;
        if !status.success() {
            bail!("a backup failed");
        }
        count.fetch_add(1, Ordering::Relaxed);
        let finished = Instant::now();
        while finished.elapsed() < pause && !ended.load(Ordering::Acquire) {
            thread::sleep(STEP);
        }
    }
    Ok(())
}

fn print(name: &str, scope: &SoakScope, samples: &[SoakSample]) {
    println!(
        "\n## {} minutes at {} alerts a second, {name}\n",
        scope.minutes,
        scope.rate()
    );
    println!(
        "| minutes | alerts | p50 ms | p99 ms | longest ms | memory, MB | journal, MB | database, MB | backups | events |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let rows = 12.min(samples.len()).max(1);
    for part in samples.chunks(samples.len().div_ceil(rows).max(1)) {
        println!("{}", sample::row(part));
    }
    println!("\n{}", sample::late(samples));
}
