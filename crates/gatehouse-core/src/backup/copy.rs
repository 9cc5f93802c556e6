//! Copying the rows of a database into an empty one, of the same kind or the other.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use storage_diesel::{RowBatch, RowSink, RowSource, Snapshot, TransferError};

use super::BackupError;
use super::manifest::{TableEntry, key_id};
use super::restore::{Check, import_into};
use super::totals::Totals;
use crate::database::Database;
use crate::settings::{DatabaseUrl, SecuritySettings};
use crate::signing_keys::{SecretKeyError, check_secret_key};
use crate::vault::existing_key;

/// Batches of rows that wait for the target.
const WAITING: usize = 2;

/// A copied database.
#[derive(Debug)]
#[non_exhaustive]
pub struct CopiedDatabase {
    /// All tables, with the numbers and digests of their rows, which are those of the source.
    pub tables: Vec<TableEntry>,
    /// Id of the secret key that a server on the copy needs; `None` if no server ever ran on the source.
    pub key_id: Option<String>,
}

impl CopiedDatabase {
    /// Total number of rows.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}

/// Copies all rows of a database, as of one instant, into the empty one at `target`. Servers on the source may keep
/// running. Every text is checked before anything is written, and every row as it is read back. The copy appears as a
/// whole or not at all. The secret key is not copied.
///
/// # Errors
/// See [`BackupError`]. A target that holds anything is refused and left unchanged.
pub fn copy(
    source: &Database,
    security: &SecuritySettings,
    target: &DatabaseUrl,
) -> Result<CopiedDatabase, BackupError> {
    check_secret_key(source, security)?;
    let key = existing_key(security).map_err(SecretKeyError::from)?;
    let (sender, receiver) = sync_channel(WAITING);
    let (exported, imported) = thread::scope(|scope| {
        let exporting = scope.spawn(move || {
            source.export(&mut CopySource {
                target,
                totals: Totals::default(),
                is_counted: false,
                sender,
            })
        });
        let imported = import(target, receiver);
        (exporting.join(), imported)
    });
    match exported.map_err(|_| BackupError::BrokeOff)? {
        // If the target failed, the source could only notice that nobody reads its rows.
        Err(error) if !is_disconnected(&error) => Err(error.into()),
        _ => Ok(CopiedDatabase {
            tables: imported?,
            key_id: key.as_ref().map(key_id),
        }),
    }
}

/// Message from the thread that reads the source.
enum SourceMessage {
    /// Shape of the source, with the totals of its rows.
    Start(Snapshot, Vec<TableEntry>),
    /// Rows.
    Rows(RowBatch),
    /// End of the rows.
    End,
}

/// The other thread ended.
#[derive(Debug, thiserror::Error)]
#[error("the other database failed")]
struct Disconnected;

fn disconnected<E>(_: E) -> TransferError {
    TransferError::OtherEnd(Box::new(Disconnected))
}

fn is_disconnected(error: &TransferError) -> bool {
    matches!(error, TransferError::OtherEnd(error) if error.is::<Disconnected>())
}

/// Fills the target with the rows of a channel, and returns the tables.
/// The receiver is dropped at the end, so that a source that still sends rows stops.
fn import(
    target: &DatabaseUrl,
    receiver: Receiver<SourceMessage>,
) -> Result<Vec<TableEntry>, BackupError> {
    let Ok(SourceMessage::Start(snapshot, tables)) = receiver.recv() else {
        return Err(disconnected(()).into());
    };
    let mut check = Check::new(&tables);
    import_into(target, &snapshot, &mut CopiedRows(receiver), &mut check)?;
    Ok(tables)
}

/// Reads the rows of the source twice: first it counts and checks them, then it sends them to the target.
struct CopySource<'t> {
    target: &'t DatabaseUrl,
    totals: Totals,
    is_counted: bool,
    sender: SyncSender<SourceMessage>,
}

impl RowSink for CopySource<'_> {
    fn rows(&mut self, table: &str, rows: &[String]) -> Result<(), TransferError> {
        if !self.is_counted {
            self.totals.add(table, rows.iter().map(String::as_str));
            return Ok(());
        }
        let batch = RowBatch {
            table: table.to_owned(),
            rows: format!("[{}]", rows.join(",")),
        };
        self.sender
            .send(SourceMessage::Rows(batch))
            .map_err(disconnected)
    }

    fn finish(&mut self, snapshot: &Snapshot) -> Result<(), TransferError> {
        let message = if self.is_counted {
            SourceMessage::End
        } else {
            self.totals.check_text(self.target, snapshot)?;
            SourceMessage::Start(snapshot.clone(), self.totals.entries(snapshot))
        };
        self.sender.send(message).map_err(disconnected)
    }

    fn wants_another_pass(&mut self) -> bool {
        !std::mem::replace(&mut self.is_counted, true)
    }
}

/// Rows that arrive from the source.
struct CopiedRows(Receiver<SourceMessage>);

impl RowSource for CopiedRows {
    fn next_batch(&mut self) -> Result<Option<RowBatch>, TransferError> {
        match self.0.recv() {
            Ok(SourceMessage::Rows(batch)) => Ok(Some(batch)),
            Ok(SourceMessage::End) => Ok(None),
            Ok(SourceMessage::Start(..)) | Err(_) => Err(disconnected(())),
        }
    }
}
