//! The JSON of a note.

use api_conventions::ids::{NoteId, ProjectId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::ResourceNote;

/// A note. `U` is the short form of a user, which the caller supplies.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Note"))]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields are those of the API's body"
)]
pub struct NoteJson<U> {
    id: NoteId,
    #[serde(rename = "type")]
    kind: Option<String>,
    body: String,
    attachment: Option<String>,
    author: Option<U>,
    created_at: Timestamp,
    updated_at: Timestamp,
    system: bool,
    noteable_id: i64,
    noteable_type: &'static str,
    project_id: ProjectId,
    resolvable: bool,
    confidential: bool,
    internal: bool,
    imported: bool,
    noteable_iid: i64,
    commands_changes: CommandsChanges,
}

/// Changes by quick actions: always empty, because this server does not run them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Changes"))]
struct CommandsChanges {}

impl<U> NoteJson<U> {
    /// A note; `author` is `None` if the account was deleted.
    pub fn new(note: ResourceNote, author: Option<U>) -> Self {
        Self {
            id: note.id,
            kind: None,
            body: note.body,
            attachment: None,
            author,
            created_at: note.created_at,
            updated_at: note.updated_at,
            system: note.system,
            noteable_id: note.on.id,
            noteable_type: note.on.kind.as_str(),
            project_id: note.on.project_id,
            resolvable: false,
            confidential: note.internal,
            internal: note.internal,
            imported: false,
            noteable_iid: note.on.iid,
            commands_changes: CommandsChanges {},
        }
    }
}
