//! Entries of the audit log about runners.

use accounts::{AuditDetails, AuditEntity, AuditEventName, NewAuditEntry};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use pipelines::model::{Runner, RunnerPlace, RunnerType};
use storage::StoreError;

use crate::database::{ReadTransaction, WriteTransaction};

/// Lists the places in whose audit logs an event of a runner is recorded.
pub(super) fn audited_places(
    tx: &mut dyn ReadTransaction,
    runner: &Runner,
) -> Result<Vec<RunnerPlace>, StoreError> {
    if runner.runner_type == RunnerType::Instance {
        return Ok(vec![RunnerPlace::Instance]);
    }
    tx.list_runner_places(runner.id)
}

/// Event of the audit log about runners.
pub(super) struct RunnerEvent {
    pub(super) name: AuditEventName,
    /// Author; `None` for a program with a token.
    pub(super) author_id: Option<UserId>,
    pub(super) details: AuditDetails,
}

impl RunnerEvent {
    pub(super) fn of(name: AuditEventName, runner: &Runner, author_id: Option<UserId>) -> Self {
        let settings = &runner.settings;
        let details = AuditDetails::new(&[
            ("runner_id", &runner.id.to_string()),
            ("runner_type", runner.runner_type.as_str()),
            ("description", &settings.description),
            ("paused", &settings.paused.to_string()),
            ("locked", &settings.locked.to_string()),
            ("tag_list", &settings.tags.join(", ")),
        ]);
        Self {
            name,
            author_id,
            details,
        }
    }

    /// Records the event in the logs of these places.
    pub(super) fn record(
        self,
        tx: &mut dyn WriteTransaction,
        places: &[RunnerPlace],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let entry = |place: &RunnerPlace| NewAuditEntry {
            author_id: self.author_id,
            entity: match place {
                RunnerPlace::Instance => AuditEntity::Instance,
                RunnerPlace::Group(id) => AuditEntity::Group(*id),
                RunnerPlace::Project(id) => AuditEntity::Project(*id),
            },
            event_name: self.name,
            target: None,
            details: self.details.clone(),
            created_at: now,
            impersonator_id: None,
        };
        let entries: Vec<NewAuditEntry> = places.iter().map(entry).collect();
        tx.insert_audit_entries(&entries)
    }
}
