//! The JSON of an audit event.

use std::collections::BTreeMap;

use accounts::{AuditDetails, AuditEntityKind, AuditEntry};
use api_conventions::ids::{AuditEntryId, UserId};
use api_conventions::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::names::AuditNames;
use super::sentences::sentence;

/// Author id of events that the server caused itself, such as the expiry of a role.
const SERVER: i64 = -1;

/// Name of the author of such events.
const SERVER_NAME: &str = "(System)";

/// Name of an author whose account was deleted.
const DELETED_USER: &str = "(removed)";

/// Names of the kinds of entities.
pub(super) const KINDS: [&str; 4] = ["User", "Group", "Project", INSTANCE];

/// Name of the kind of the instance, as clients know it.
const INSTANCE: &str = "Gitlab::Audit::InstanceScope";

/// Parses the name of a kind of entity.
pub(super) fn parse_kind(word: &str) -> Option<AuditEntityKind> {
    match word {
        "User" => Some(AuditEntityKind::User),
        "Group" => Some(AuditEntityKind::Group),
        "Project" => Some(AuditEntityKind::Project),
        INSTANCE => Some(AuditEntityKind::Instance),
        _ => None,
    }
}

/// Returns the name of a kind of entity.
pub(super) const fn kind_name(kind: AuditEntityKind) -> &'static str {
    match kind {
        AuditEntityKind::User => "User",
        AuditEntityKind::Group => "Group",
        AuditEntityKind::Project => "Project",
        AuditEntityKind::Instance => INSTANCE,
    }
}

/// Audit event.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AuditEventJson {
    /// Event id.
    id: AuditEntryId,
    /// Id of the user who caused the event; -1 for the server itself.
    author_id: i64,
    /// Id of the user, group or project whose log has the event; 1 for the instance.
    entity_id: i64,
    /// Kind of that entity: `User`, `Group`, `Project`, or `Gitlab::Audit::InstanceScope` for the instance.
    entity_type: &'static str,
    /// Details of the event.
    details: AuditEventDetailsJson,
    /// Time of the event.
    created_at: Timestamp,
}

/// Details of an audit event.
#[derive(Debug, Serialize, JsonSchema)]
struct AuditEventDetailsJson {
    /// Name of the event for programs, such as `member_added`.
    event_name: &'static str,
    /// Name of the event for people.
    custom_message: &'static str,
    /// Name of the author.
    author_name: String,
    /// Kind of author: `User`, or `null` for the server itself.
    author_class: Option<&'static str>,
    /// Id of the target.
    target_id: i64,
    /// Kind of target, as in `entity_type`.
    target_type: &'static str,
    /// Username or full path of the target at the time of the event.
    target_details: Option<String>,
    /// Username or full path of the entity; `null` if it was deleted.
    entity_path: Option<String>,
    /// Address of the client; `null` for commands and for the server itself.
    ip_address: Option<String>,
    /// Username of the administrator who acted as the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    impersonated_by: Option<String>,
    /// Further details, which depend on the event.
    #[serde(flatten)]
    fields: BTreeMap<String, String>,
}

impl AuditEventJson {
    /// Creates the JSON of an entry.
    pub(super) fn new(entry: AuditEntry, names: &AuditNames) -> Self {
        let (_, entity_id) = entry.entity.numbers();
        Self {
            id: entry.id,
            author_id: entry.author_id.map_or(SERVER, UserId::get),
            entity_id,
            entity_type: kind_name(entry.entity.kind()),
            created_at: entry.created_at,
            details: AuditEventDetailsJson::new(entry, names),
        }
    }
}

impl AuditEventDetailsJson {
    fn new(entry: AuditEntry, names: &AuditNames) -> Self {
        let author_name = author_name(&entry, names).to_owned();
        let impersonator = impersonator_name(&entry, names).map(ToOwned::to_owned);
        let entity_path = names.path(entry.entity).map(ToOwned::to_owned);
        let (target, target_details) = match entry.target {
            Some(target) => (target.entity, Some(target.name)),
            None => (entry.entity, entity_path.clone()),
        };
        let (_, target_id) = target.numbers();
        let mut fields: BTreeMap<String, String> = entry.details.fields().into_iter().collect();
        let ip_address = fields.remove(AuditDetails::ADDRESS);
        Self {
            event_name: entry.event_name.as_str(),
            custom_message: sentence(entry.event_name),
            author_name,
            author_class: entry.author_id.map(|_| kind_name(AuditEntityKind::User)),
            target_id,
            target_type: kind_name(target.kind()),
            target_details,
            entity_path,
            ip_address,
            impersonated_by: impersonator,
            fields,
        }
    }
}

/// Returns the name of an entry's author.
pub(super) fn author_name<'n>(entry: &AuditEntry, names: &'n AuditNames) -> &'n str {
    match entry.author_id {
        None => SERVER_NAME,
        Some(author) => names.user(author).unwrap_or(DELETED_USER),
    }
}

/// Returns the username of the administrator who acted as the author.
pub(super) fn impersonator_name<'n>(entry: &AuditEntry, names: &'n AuditNames) -> Option<&'n str> {
    let administrator = entry.impersonator_id?;
    Some(names.username(administrator).unwrap_or(DELETED_USER))
}

#[cfg(test)]
mod tests {
    use accounts::{AuditEntity, AuditEventName};
    use api_conventions::ids::ProjectId;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_of_the_server_about_deleted_things_has_no_names() {
        let entry = AuditEntry {
            id: AuditEntryId::new(5),
            author_id: None,
            entity: AuditEntity::Project(ProjectId::new(7)),
            event_name: AuditEventName::ProjectDeleted,
            target: None,
            details: AuditDetails::new(&[("path", "a/b")]),
            created_at: Timestamp::parse_rfc3339("2024-03-01T00:00:00Z").unwrap(),
            impersonator_id: Some(UserId::new(2)),
        };
        let json = serde_json::to_value(AuditEventJson::new(entry, &AuditNames::default()));
        assert_eq!(
            json.unwrap(),
            json!({
                "id": 5,
                "author_id": -1,
                "entity_id": 7,
                "entity_type": "Project",
                "created_at": "2024-03-01T00:00:00.000Z",
                "details": {
                    "event_name": "project_deleted",
                    "custom_message": "Project deleted",
                    "author_name": "(System)",
                    "author_class": null,
                    "target_id": 7,
                    "target_type": "Project",
                    "target_details": null,
                    "entity_path": null,
                    "ip_address": null,
                    "impersonated_by": "(removed)",
                    "path": "a/b",
                },
            })
        );
    }
}
