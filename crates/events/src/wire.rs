//! JSON of an event (`EVT-05`).

use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::{FeedEvent, PushData, PushedRefs, Vocabulary};

/// A field that is always null.
#[derive(Debug, Clone, Serialize)]
struct Null;

/// Event of a project.
/// `A` is the short form of a user, which the caller supplies because the feed knows authors only by id. `N` is a
/// comment, likewise.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectEventJson<A, N> {
    id: EventId,
    title: Option<String>,
    project_id: ProjectId,
    action_name: &'static str,
    target_id: Option<i64>,
    target_iid: Option<i64>,
    target_type: Option<&'static str>,
    author_id: UserId,
    target_title: Option<String>,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<A>,
    author_username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<N>,
    #[serde(skip_serializing_if = "Option::is_none")]
    push_data: Option<PushDataJson>,
    /// Always null.
    /// Declared as an object, because clients expect one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<std::collections::BTreeMap<String, String>>")
    )]
    data: Option<Null>,
}

impl<A, N> ProjectEventJson<A, N> {
    /// JSON of `event`, in the words of `vocabulary`.
    /// `author` is the author's short form and username, `None` if the account was deleted. `note` is the comment that
    /// the event is about, as long as the comment exists.
    pub fn new(
        event: FeedEvent,
        vocabulary: &Vocabulary,
        author: Option<(A, String)>,
        note: Option<N>,
    ) -> Self {
        let (author, author_username) = author.unzip();
        let kind = event.target.as_ref().map(|target| target.kind);
        let action_name = match &event.push {
            Some(push) => push.action().label(),
            None => vocabulary.action_label(event.action, kind),
        };
        Self {
            id: event.id,
            title: None,
            project_id: event.project_id,
            action_name,
            target_id: event.target.as_ref().map(|target| target.id),
            target_iid: event.target.as_ref().map(|target| target.iid),
            target_type: kind.map(|kind| vocabulary.target_label(kind)),
            author_id: event.author_id,
            target_title: event.target.and_then(|target| target.title),
            created_at: event.created_at,
            author,
            author_username,
            note,
            push_data: event.push.map(PushDataJson::from),
            data: Some(Null),
        }
    }

    /// The event for a user's feed, without `data`, which only project feeds have.
    #[must_use]
    pub fn for_user_feed(mut self) -> Self {
        self.data = None;
        self
    }
}

/// Push of an event.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PushDataJson {
    /// Number of pushed commits; 0 for bulk pushes.
    commit_count: u32,
    /// `created`, `removed` or `pushed`.
    action: &'static str,
    /// `branch` or `tag`.
    ref_type: &'static str,
    /// Old commit; null for created refs and bulk pushes.
    commit_from: Option<String>,
    /// New commit; null for removed refs and bulk pushes.
    commit_to: Option<String>,
    /// Short name of the ref; null for bulk pushes.
    #[serde(rename = "ref")]
    name: Option<String>,
    /// Title of the newest commit, if known.
    commit_title: Option<String>,
    /// Number of refs of a bulk push; null for a single ref.
    ref_count: Option<u32>,
}

impl From<PushData> for PushDataJson {
    fn from(push: PushData) -> Self {
        let (action, ref_type) = (push.action().as_str(), push.ref_kind.as_str());
        match push.refs {
            PushedRefs::One(one) => {
                let text = |commit: Option<&str>| commit.map(str::to_owned);
                Self {
                    commit_count: one.commit_count,
                    action,
                    ref_type,
                    commit_from: text(one.commits.before()),
                    commit_to: text(one.commits.after()),
                    name: Some(one.name),
                    commit_title: one.commit_title,
                    ref_count: None,
                }
            }
            PushedRefs::Many { count, .. } => Self {
                commit_count: 0,
                action,
                ref_type,
                commit_from: None,
                commit_to: None,
                name: None,
                commit_title: None,
                ref_count: Some(count),
            },
        }
    }
}
