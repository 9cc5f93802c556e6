//! Metrics of the server, its background jobs and its database.

use gatehouse_core::database::{JournalStage, ReplicaCondition};
use prometheus::proto::MetricFamily;

use super::family::{Description, count, counter, counters, gauge, gauges, histogram, seconds};
use super::process::ProcessUsage;
use crate::state::AppState;

/// Returns the metrics whose values are read now.
pub(super) fn families(state: &AppState) -> Vec<MetricFamily> {
    let mut families = vec![
        gauges(
            describe("gatehouse_build_info", "Always 1; the version is a label."),
            [(vec![("version", env!("CARGO_PKG_VERSION").to_owned())], 1.0)],
        ),
        gauge(
            describe(
                "process_start_time_seconds",
                "Start of the server, in seconds since 1970.",
            ),
            timestamp(state.started_at.as_micros()),
        ),
    ];
    families.extend(ProcessUsage::read().iter().flat_map(ProcessUsage::families));
    families.extend(jobs(state));
    families.extend(writes(state));
    families.extend(reads(state));
    families.extend(replica(state));
    families.extend(files(state));
    families.extend(database_server(state));
    families.extend(backups(state));
    families.extend(certificate(state));
    families
}

fn describe(name: &'static str, help: &'static str) -> Description {
    Description { name, help }
}

/// Seconds since 1970.
fn timestamp(micros: i64) -> f64 {
    seconds(u64::try_from(micros).unwrap_or_default())
}

/// Metrics of the background jobs.
fn jobs(state: &AppState) -> [MetricFamily; 3] {
    let results = state.jobs.statuses();
    let name =
        |status: &gatehouse_core::jobs::JobStatus| ("background_job", status.job.name().to_owned());
    let runs = results.iter().flat_map(|status| {
        let by_result = [("success", status.successes), ("failure", status.failures)];
        by_result.map(|(result, runs)| {
            let labels = vec![name(status), ("result", result.to_owned())];
            (labels, count(runs))
        })
    });
    let failing = results.iter().map(|status| {
        let value = f64::from(u8::from(status.is_failing));
        (vec![name(status)], value)
    });
    let succeeded = results.iter().filter_map(|status| {
        let at = status.last_success?.as_micros();
        Some((vec![name(status)], timestamp(at)))
    });
    [
        counters(
            describe("gatehouse_job_runs_total", "Runs of background jobs."),
            runs,
        ),
        gauges(
            describe(
                "gatehouse_job_failing",
                "1 if the last run of a background job failed.",
            ),
            failing,
        ),
        gauges(
            describe(
                "gatehouse_job_last_success_timestamp_seconds",
                "Last successful run of a background job, in seconds since 1970.",
            ),
            succeeded,
        ),
    ]
}

/// Metrics of the writers of the database.
fn writes(state: &AppState) -> [MetricFamily; 6] {
    let writers = state.database.writer_stats();
    [
        gauge(
            describe(
                "gatehouse_database_writes_waiting",
                "Writes that wait for a writer.",
            ),
            count(u64::try_from(writers.waiting).unwrap_or(u64::MAX)),
        ),
        counter(
            describe(
                "gatehouse_database_writes_total",
                "Writes in committed transactions.",
            ),
            count(writers.units),
        ),
        counter(
            describe(
                "gatehouse_database_writes_refused_total",
                "Writes that were refused because the queue was full or they waited too long.",
            ),
            count(writers.refused),
        ),
        counter(
            describe(
                "gatehouse_database_commits_total",
                "Committed transactions.",
            ),
            count(writers.commits),
        ),
        counter(
            describe(
                "gatehouse_database_commit_seconds_total",
                "Time spent on commits.",
            ),
            seconds(writers.commit_micros),
        ),
        histogram(
            describe(
                "gatehouse_database_write_duration_seconds",
                "Time from the submission of a write to its answer.",
            ),
            &writers.latency,
        ),
    ]
}

/// Metrics of the readers of the database.
fn reads(state: &AppState) -> [MetricFamily; 2] {
    let readers = state.database.reader_stats();
    [
        gauge(
            describe(
                "gatehouse_database_reads_waiting",
                "Reads that wait for a reader.",
            ),
            count(u64::try_from(readers.waiting).unwrap_or(u64::MAX)),
        ),
        histogram(
            describe(
                "gatehouse_database_read_duration_seconds",
                "Time from the submission of a read to its answer.",
            ),
            &readers.latency,
        ),
    ]
}

/// Metrics of the replica, if there is one.
fn replica(state: &AppState) -> Vec<MetricFamily> {
    let Some(replica) = state.database.replica_state() else {
        return Vec::new();
    };
    let is_used = replica.condition == ReplicaCondition::Used;
    vec![
        gauge(
            describe(
                "gatehouse_database_replica_used",
                "1 if reads of callers go to the replica, 0 if the primary server answers them.",
            ),
            count(is_used.into()),
        ),
        counter(
            describe(
                "gatehouse_database_replica_reads_total",
                "Reads that went to the replica.",
            ),
            count(replica.reads),
        ),
    ]
}

/// Metrics of the newest scheduled backup, if there is one.
fn backups(state: &AppState) -> Vec<MetricFamily> {
    let Some(last) = state.backups.last() else {
        return Vec::new();
    };
    vec![
        gauge(
            describe(
                "gatehouse_backup_last_success_timestamp_seconds",
                "End of the newest scheduled backup, in seconds since 1970.",
            ),
            timestamp(last.finished_at.as_micros()),
        ),
        gauge(
            describe(
                "gatehouse_backup_size_bytes",
                "Size of the newest scheduled backup.",
            ),
            count(last.bytes),
        ),
    ]
}

/// End of the TLS certificate, if there is one.
fn certificate(state: &AppState) -> Option<MetricFamily> {
    let ends_at = state.certificate.as_ref()?.current().ends_at;
    Some(gauge(
        describe(
            "gatehouse_tls_certificate_end_timestamp_seconds",
            "End of the TLS certificate, in seconds since 1970.",
        ),
        timestamp(ends_at.as_micros()),
    ))
}

/// Metrics of a PostgreSQL server. Its own exporter reports all others.
fn database_server(state: &AppState) -> Vec<MetricFamily> {
    let Some(server) = state.database_watch.last() else {
        return Vec::new();
    };
    vec![
        gauge(
            describe(
                "gatehouse_database_clock_skew_seconds",
                "Seconds by which the clock is ahead of that of the database server.",
            ),
            timestamp(server.skew),
        ),
        gauge(
            describe(DATABASE_SIZE, "Size of the database."),
            count(server.bytes),
        ),
    ]
}

const DATABASE_SIZE: &str = "gatehouse_database_size_bytes";

/// Metrics of the files of an embedded database.
fn files(state: &AppState) -> Vec<MetricFamily> {
    let Some(found) = state.database_files() else {
        return Vec::new();
    };
    let mut families = Vec::new();
    if let Some(journal) = state.database.journal() {
        let pressure = match journal.stage {
            JournalStage::Within => 0,
            JournalStage::Refusing => 2,
            _ => 1,
        };
        families.extend([
            gauge(
                describe(
                    "gatehouse_database_journal_bytes",
                    "Size of the write-ahead log.",
                ),
                count(journal.bytes),
            ),
            gauge(
                describe(
                    "gatehouse_database_journal_limit_bytes",
                    "Limit of the write-ahead log.",
                ),
                count(journal.limit),
            ),
            gauge(
                describe(
                    "gatehouse_database_journal_stage",
                    "0 within the limit, 1 if writes are slowed down, 2 if they are refused.",
                ),
                f64::from(pressure),
            ),
        ]);
    }
    families.extend(found.bytes.map(|bytes| {
        let of = describe(
            DATABASE_SIZE,
            "Size of the database file, without its write-ahead log.",
        );
        gauge(of, count(bytes))
    }));
    families.extend(found.free.map(|free| {
        let of = describe(
            "gatehouse_disk_free_bytes",
            "Free space on the disk of the database.",
        );
        gauge(of, count(free))
    }));
    families
}
