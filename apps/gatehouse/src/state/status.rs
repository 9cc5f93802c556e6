//! State of the server for its operators: files of the database, and warnings.

use std::path::Path;

use gatehouse_core::database::{JournalStage, JournalState, ReplicaCondition};
use gatehouse_core::settings::DatabaseUrl;
use gatehouse_core::watching_database::WatchedServer;

use super::AppState;

/// Free space below which the disk of the database is almost full, in bytes.
const LITTLE_SPACE: u64 = 1_000_000_000;
/// Seconds after which a message that is due is late.
const LATE_SECONDS: i64 = 300;

/// Files of an embedded database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseFiles {
    /// Size of the database file, in bytes, without its write-ahead log; `None` if it is not known.
    pub bytes: Option<u64>,
    /// Free space on its disk, in bytes; `None` if it is not known.
    pub free: Option<u64>,
}

/// Part of the server that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerPart {
    /// Backups that the server writes by itself.
    Backups,
    /// TLS certificate of the server's own connections.
    Certificate,
    /// Clock, compared with that of a database server.
    Clock,
    /// Disk of an embedded database.
    Disk,
    /// Write-ahead log of an embedded database.
    Journal,
    /// Background jobs.
    Jobs,
    /// Messages to people and programs.
    Messages,
    /// Replica of a database server.
    Replica,
}

impl ServerPart {
    /// All parts.
    pub const ALL: [Self; 8] = [
        Self::Backups,
        Self::Certificate,
        Self::Clock,
        Self::Disk,
        Self::Journal,
        Self::Jobs,
        Self::Messages,
        Self::Replica,
    ];

    /// Name in responses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Backups => "backups",
            Self::Certificate => "certificate",
            Self::Clock => "clock",
            Self::Disk => "disk",
            Self::Journal => "journal",
            Self::Jobs => "jobs",
            Self::Messages => "messages",
            Self::Replica => "replica",
        }
    }
}

impl AppState {
    /// Returns the files of an embedded database; `None` for PostgreSQL.
    pub fn database_files(&self) -> Option<DatabaseFiles> {
        let DatabaseUrl::Sqlite(file) = &self.settings.database.url else {
            return None;
        };
        Some(DatabaseFiles {
            bytes: std::fs::metadata(file).ok().map(|found| found.len()),
            free: free_bytes(file),
        })
    }

    /// Returns a sentence about a part of the server that needs attention; `None` if it works.
    pub fn warning_of(&self, part: ServerPart) -> Option<String> {
        match part {
            ServerPart::Backups => self.warning_of_backups(),
            ServerPart::Certificate => self.warning_of_certificate(),
            ServerPart::Clock => self.database_watch.last().and_then(warning_of_clock),
            ServerPart::Disk => {
                let free = self.database_files()?.free?;
                let text = || {
                    let free = format_bytes(free);
                    format!("The disk of the database is almost full: {free} are free.")
                };
                (free < LITTLE_SPACE).then(text)
            }
            ServerPart::Journal => self.database.journal().and_then(warning_of_journal),
            ServerPart::Jobs => {
                let failing = self.jobs.statuses().into_iter();
                let failing = failing.filter(|status| status.is_failing);
                let names: Vec<&str> = failing.map(|status| status.job.name()).collect();
                let text = || {
                    let names = names.join(", ");
                    format!("Background jobs fail: {names}. The log of the server has the causes.")
                };
                (!names.is_empty()).then(text)
            }
            ServerPart::Messages => {
                let since = self.metrics.oldest_due_message()?;
                let late = self.now().as_unix_seconds().saturating_sub(since);
                let text = || {
                    let minutes = late / 60;
                    format!(
                        "Messages wait for {minutes} minutes although they are due. See Notifications."
                    )
                };
                (late > LATE_SECONDS).then(text)
            }
            ServerPart::Replica => {
                let replica = self.database.replica_state()?;
                warning_of_replica(replica.condition).map(str::to_owned)
            }
        }
    }
}

impl AppState {
    /// Returns a sentence about scheduled backups that are late: by another interval, or by one since the start if there is
    /// none at all.
    fn warning_of_backups(&self) -> Option<String> {
        let schedule = self.backups.schedule()?;
        let (since, allowed) = match self.backups.last() {
            Some(last) => (last.finished_at, 2),
            None => (self.started_at, 1),
        };
        let seconds = self.now().as_unix_seconds() - since.as_unix_seconds();
        let hours = seconds / 3600;
        let is_late = hours >= i64::from(schedule.every_hours) * allowed;
        let text = || {
            format!("The last {hours} hours have no backup. The log of the server has the cause.")
        };
        is_late.then(text)
    }
}

impl AppState {
    /// Returns a sentence about a TLS certificate that should have been renewed.
    fn warning_of_certificate(&self) -> Option<String> {
        let certificate = self.certificate.as_ref()?.current();
        let now = self.now();
        let verb = if certificate.ends_at <= now {
            "ended"
        } else {
            "ends"
        };
        certificate.is_due_for_renewal(now).then(|| {
            let ends_at = certificate.ends_at;
            format!("The TLS certificate {verb} at {ends_at}. Renew it, then reload the server.")
        })
    }
}

fn warning_of_clock(server: WatchedServer) -> Option<String> {
    let seconds = server.skew.abs() / 1_000_000;
    let way = if server.skew > 0 {
        "ahead of"
    } else {
        "behind"
    };
    let text = || {
        format!(
            "The clock of this server is {seconds} seconds {way} that of the database server. \
             Synchronize both, for instance with NTP: sessions and tokens may end too early or too late."
        )
    };
    server.is_skewed().then(text)
}

fn warning_of_replica(condition: ReplicaCondition) -> Option<&'static str> {
    match condition {
        ReplicaCondition::Used => None,
        ReplicaCondition::Behind => Some(
            "The replica lacks recent changes, so the primary database server answers all reads.",
        ),
        ReplicaCondition::NotAReplica => Some(
            "The server at database.read_url is no replica of the database, so it is not used. Correct the URL.",
        ),
        _ => {
            Some("The replica cannot be reached, so the primary database server answers all reads.")
        }
    }
}

fn warning_of_journal(journal: JournalState) -> Option<String> {
    let effect = match journal.stage {
        JournalStage::Within => return None,
        JournalStage::Refusing => "Writes are refused",
        _ => "Writes are slowed down",
    };
    let (bytes, limit) = (format_bytes(journal.bytes), format_bytes(journal.limit));
    Some(format!(
        "The write-ahead log has {bytes} of {limit}. {effect} until no other process holds a read transaction open."
    ))
}

/// Formats a number of bytes in powers of 1,000, such as `1.5 GB`.
pub fn format_bytes(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    let mut tenths = bytes.saturating_mul(10) / 1000;
    let mut units = units.into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if tenths < 10_000 {
            break;
        }
        tenths /= 1000;
        unit = next;
    }
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

/// Returns the free space on the disk of a file, in bytes.
#[cfg(unix)]
fn free_bytes(file: &Path) -> Option<u64> {
    let directory = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let found = rustix::fs::statvfs(directory.unwrap_or_else(|| Path::new("."))).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_formatted_in_powers_of_a_thousand() {
        for (bytes, text) in [
            (0, "0.0 kB"),
            (950, "0.9 kB"),
            (999_999, "999.9 kB"),
            (1_000_000, "1.0 MB"),
            (1_550_000_000, "1.5 GB"),
            (5_000_000_000_000_000, "5000.0 TB"),
        ] {
            assert_eq!(format_bytes(bytes), text);
        }
    }
}
