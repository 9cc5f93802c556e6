//! Rows of comments of users and of attachments.

use api_conventions::ids::{AttachmentId, ErrorCommentId, ProjectId};
use diesel::prelude::*;
use error_tracking::model::{ErrorComment, EventId, StoredAttachment};
use error_tracking::store::{NewAttachment, NewComment};
use storage::StoreError;

use super::event_id;
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    error_comments: CommentRow, NewCommentRow;
    fixed {
        project_id: BigInt,
        event_id: Nullable<Binary>,
        received_at: BigInt,
        name: Nullable<Text>,
        email: Nullable<Text>,
        text: Text,
        url: Nullable<Text>,
    }
}

impl DomainRow for CommentRow {
    type Value = ErrorComment;

    fn read(self) -> Result<ErrorComment, StoreError> {
        let row = self.reader();
        let event = self.event_id.map(|bytes| event_id(row, &bytes));
        Ok(ErrorComment {
            id: ErrorCommentId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            event_id: event.transpose()?,
            received_at: row.timestamp(self.received_at)?,
            name: self.name,
            email: self.email,
            text: self.text,
            url: self.url,
        })
    }
}

impl<'v> From<&NewComment<'v>> for NewCommentRow<'v> {
    fn from(new: &NewComment<'v>) -> Self {
        let comment = new.comment;
        let event = comment.event_id.as_ref().map(EventId::as_bytes);
        Self {
            project_id: new.project_id.get(),
            event_id: event.map(|bytes| bytes[..].into()),
            received_at: new.received_at.as_micros(),
            name: comment.name.as_deref().map(Into::into),
            email: comment.email.as_deref().map(Into::into),
            text: comment.text.as_str().into(),
            url: comment.url.as_deref().map(Into::into),
        }
    }
}

entity! {
    error_attachments: AttachmentRow, NewAttachmentRow;
    fixed {
        filename: Text,
        content_type: Text,
        kind: Text,
        size: BigInt,
        body: Binary,
    }
    written {
        project_id: BigInt,
        event_id: Binary,
        received_at: BigInt,
    }
}

/// Attachment without its bytes.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = error_attachments)]
pub(crate) struct AttachmentSummaryRow {
    id: i64,
    filename: String,
    content_type: String,
    kind: String,
    size: i64,
}

impl DomainRow for AttachmentSummaryRow {
    type Value = StoredAttachment;

    fn read(self) -> Result<StoredAttachment, StoreError> {
        Ok(StoredAttachment {
            id: AttachmentId::new(self.id),
            filename: self.filename,
            content_type: self.content_type,
            kind: self.kind,
            size: self.size,
        })
    }
}

impl DomainRow for AttachmentRow {
    type Value = (StoredAttachment, Vec<u8>);

    fn read(self) -> Result<Self::Value, StoreError> {
        let is_whole = i64::try_from(self.body.len()) == Ok(self.size);
        let row = self.reader();
        row.require(is_whole.then_some(()), "file size does not match")?;
        let file = AttachmentSummaryRow {
            id: self.id,
            filename: self.filename,
            content_type: self.content_type,
            kind: self.kind,
            size: self.size,
        };
        Ok((file.read()?, self.body))
    }
}

impl<'v> From<&NewAttachment<'v>> for NewAttachmentRow<'v> {
    fn from(new: &NewAttachment<'v>) -> Self {
        let file = new.attachment;
        Self {
            project_id: new.project_id.get(),
            event_id: new.event_id.as_bytes().to_vec().into(),
            received_at: new.received_at.as_micros(),
            filename: file.filename.as_str().into(),
            content_type: file.content_type.as_str().into(),
            kind: file.kind.as_str().into(),
            size: i64::try_from(file.bytes.len()).unwrap_or(i64::MAX),
            body: file.bytes.as_slice().into(),
        }
    }
}
