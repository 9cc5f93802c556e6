//! Back pressure when the journal grows past its limit.
//!
//! A read of another process, such as a backup tool, blocks checkpoints for as long as it lasts, and the journal grows
//! by everything that is written in the meantime. Past the limit, writes are slowed down, the more the longer the
//! journal is, and at twice the limit, or earlier if the disk is nearly full, they are refused: senders retry later,
//! and a full disk would stop reads as well.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// Growth rate of the journal just past its limit, in bytes per second.
/// From there it falls to zero.
const RATE: u64 = 8 << 20;
/// Maximum pause of the writer after one batch.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Free space on the disk below which a journal past its limit refuses writes.
const LOW_ROOM: u64 = 256 << 20;

/// Stage of the journal of an embedded database, relative to its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JournalStage {
    /// Within its limit.
    Within,
    /// Past its limit: writes are slowed down.
    Slowed,
    /// Far past its limit, or past it on a disk that is nearly full: writes are refused.
    Refusing,
}

/// State of the journal of an embedded database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalState {
    /// Bytes in use.
    pub bytes: u64,
    /// Limit in bytes.
    pub limit: u64,
    /// Stage relative to the limit.
    pub stage: JournalStage,
}

impl JournalStage {
    const ALL: [Self; 3] = [Self::Within, Self::Slowed, Self::Refusing];

    fn of(bytes: u64, limit: u64, room: u64) -> Self {
        if bytes < limit {
            Self::Within
        } else if bytes >= limit.saturating_mul(2) || room < LOW_ROOM {
            Self::Refusing
        } else {
            Self::Slowed
        }
    }
}

/// State that the checkpoint thread updates and the writer obeys.
#[derive(Debug)]
pub(super) struct Pressure {
    directory: PathBuf,
    limit: u64,
    bytes: AtomicU64,
    stage: AtomicU8,
}

impl Pressure {
    /// Creates the state for the database at `path`, with a journal limit of `limit` bytes.
    pub(super) fn new(path: &Path, limit: u64) -> Self {
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        Self {
            directory: directory.unwrap_or(Path::new(".")).to_owned(),
            limit: limit.max(1),
            bytes: AtomicU64::new(0),
            stage: AtomicU8::new(0),
        }
    }

    pub(super) fn state(&self) -> JournalState {
        let stage = usize::from(self.stage.load(Ordering::Acquire));
        JournalState {
            bytes: self.bytes.load(Ordering::Acquire),
            limit: self.limit,
            stage: JournalStage::ALL
                .get(stage)
                .copied()
                .unwrap_or(JournalStage::Within),
        }
    }

    /// Records the size of the journal in use, and returns by how much it grew.
    pub(super) fn note(&self, bytes: u64) -> u64 {
        bytes.saturating_sub(self.bytes.swap(bytes, Ordering::AcqRel))
    }

    /// True if the journal is past its limit, as far as is known without an attempt to checkpoint it.
    pub(super) fn is_past(&self) -> bool {
        self.bytes.load(Ordering::Acquire) >= self.limit
    }

    /// Determines the stage of the journal after an attempt to checkpoint it, and logs a change.
    pub(super) fn assess(&self) {
        let before = self.state();
        let room = room(&self.directory).unwrap_or(u64::MAX);
        let stage = JournalStage::of(before.bytes, before.limit, room);
        let place = JournalStage::ALL.iter().position(|other| *other == stage);
        let place = place.and_then(|place| u8::try_from(place).ok());
        self.stage
            .store(place.unwrap_or_default(), Ordering::Release);
        if stage == before.stage {
            return;
        }
        macro_rules! line {
            ($level:ident, $message:literal) => {
                tracing::$level!(
                    journal.bytes = before.bytes,
                    journal.limit = before.limit,
                    $message
                )
            };
        }
        match stage {
            JournalStage::Within => line!(info, "the database journal is within its limit again"),
            JournalStage::Slowed => line!(
                warn,
                "the database journal exceeds its limit, and writes are slowed down; end the process that keeps a read open, \
                 such as a backup tool or a database shell"
            ),
            JournalStage::Refusing => line!(
                error,
                "the database journal far exceeds its limit, and writes are refused; end the process that keeps a read open, \
                 such as a backup tool or a database shell"
            ),
        }
    }

    /// Returns the pause of the writer after a batch that extended the journal by `grown` bytes.
    pub(super) fn pause(&self, grown: u64) -> Option<Duration> {
        let state = self.state();
        (state.stage != JournalStage::Within).then(|| pause(grown, state.bytes, state.limit))
    }

    /// Returns the reason why writes are refused, if they are.
    pub(super) fn refusal(&self) -> Option<&'static str> {
        let refuses = self.state().stage == JournalStage::Refusing;
        refuses.then_some(
            "the database journal far exceeds its limit, because another process keeps a read open",
        )
    }
}

fn pause(grown: u64, bytes: u64, limit: u64) -> Duration {
    let left = limit.saturating_mul(2).saturating_sub(bytes).min(limit);
    let rate = u128::from(RATE) * u128::from(left) / u128::from(limit);
    let micros = u128::from(grown) * 1_000_000 / rate.max(1);
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX)).min(LONGEST_PAUSE)
}

/// Returns the free space on the disk of a directory for this process, if the system reports it.
pub(crate) fn room(directory: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(directory).ok()?;
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = directory;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const MUCH: u64 = u64::MAX;

    #[test]
    fn writes_are_slowed_down_past_the_bound_and_refused_far_past_it_or_without_room() {
        let stage = |bytes: u64, room| JournalStage::of(bytes * MIB, 512 * MIB, room);
        assert_eq!(stage(511, 0), JournalStage::Within);
        assert_eq!(stage(512, MUCH), JournalStage::Slowed);
        assert_eq!(stage(512, LOW_ROOM - 1), JournalStage::Refusing);
        assert_eq!(stage(1024, MUCH), JournalStage::Refusing);
    }

    #[test]
    fn the_longer_the_journal_the_longer_the_pause() {
        let pause = |bytes: u64| pause(MIB, bytes * MIB, 512 * MIB);
        assert_eq!(pause(512), Duration::from_millis(125));
        assert_eq!(pause(768), Duration::from_millis(250));
        assert_eq!(pause(1023), LONGEST_PAUSE);
    }
}
