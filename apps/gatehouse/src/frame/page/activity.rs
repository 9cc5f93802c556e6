//! Feed of activity in readable form: the author, the action, its target and the time.

use std::collections::HashMap;

use accounts::User;
use api_conventions::avatar::Avatar;
use api_conventions::ids::{NoteId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, EventTarget, FeedEvent, TargetType};
use gatehouse_core::database::ReadTransaction;
use projects::{NoteableKind, ResourceNote};
use storage::StoreError;

use super::display_name::DisplayName;
use super::format::DisplayTime;
use super::push_line::{name_of_ref, pushed};

/// Feed entry in words.
#[derive(Debug, Clone)]
pub struct ActivityLine {
    /// Author of the action.
    pub author: DisplayName,
    /// Path of the author's avatar, below the root of the server; `None` for a deleted user.
    pub avatar: Option<String>,
    /// Action, as in `closed the alert`.
    pub done: String,
    /// Title of the target.
    pub title: Option<DisplayName>,
    /// Page of the target, below the root of the server, if it has one.
    pub path: Option<String>,
    /// Project, in lists of several projects.
    pub project: Option<(DisplayName, String)>,
    /// Time of the action.
    pub time: DisplayTime,
}

/// Entries of one day.
#[derive(Debug, Clone)]
pub struct ActivityDay {
    /// Name of the day.
    pub name: String,
    /// Entries, in the order of the list.
    pub lines: Vec<ActivityLine>,
}

/// Lines with their times.
pub type TimedLines = Vec<(Timestamp, ActivityLine)>;

/// Authors and notes that feed entries refer to.
#[derive(Debug)]
pub struct ActivityContext {
    authors: HashMap<UserId, User>,
    notes: HashMap<NoteId, ResourceNote>,
}

impl ActivityContext {
    /// Loads the authors and notes that entries refer to.
    /// Everyone who sees an entry about a note may read the note.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn of<'e>(
        tx: &mut dyn ReadTransaction,
        events: impl IntoIterator<Item = &'e FeedEvent>,
    ) -> Result<Self, StoreError> {
        let (mut authors, mut notes) = (Vec::new(), Vec::new());
        for event in events {
            authors.push(event.author_id);
            let target = event.target.as_ref();
            let of_note = target.filter(|target| target.kind == TargetType::Note);
            notes.extend(of_note.map(|target| NoteId::new(target.id)));
        }
        authors.sort_unstable();
        authors.dedup();
        let authors = match authors.as_slice() {
            [] => Vec::new(),
            ids => tx.list_users_by_id(ids)?,
        };
        let notes = match notes.as_slice() {
            [] => Vec::new(),
            ids => tx.list_notes_by_id(ids)?,
        };
        Ok(Self {
            authors: authors.into_iter().map(|user| (user.id, user)).collect(),
            notes: notes.into_iter().map(|note| (note.id, note)).collect(),
        })
    }

    /// Describes an entry of the project at `project`, a path without slashes around it, at the time `now`.
    /// A deleted author has no user.
    pub fn line(&self, event: &FeedEvent, project: &str, now: Timestamp) -> ActivityLine {
        let author = self.authors.get(&event.author_id);
        let avatar = author.map(|user| Avatar::new(user.username.as_str(), &user.name).url(""));
        let author = author.map_or("A deleted user", |author| author.name.as_str());
        let target = event.target.as_ref();
        let title = match &event.push {
            Some(push) => name_of_ref(push),
            None => target.and_then(|target| target.title.as_deref()),
        };
        let done = match &event.push {
            Some(push) => pushed(push),
            None => done(event.action, target.map(|target| target.kind)),
        };
        let is_gone = event.action == Action::Destroyed;
        let path = target
            .filter(|_| !is_gone)
            .and_then(|target| self.page_of(target));
        ActivityLine {
            author: DisplayName::of(author),
            avatar,
            done,
            title: title.map(DisplayName::of),
            path: path.map(|end| format!("/{project}{end}")),
            project: None,
            time: DisplayTime::at(event.created_at, now),
        }
    }

    /// End of a target's path, for targets that have a page.
    /// A note is on the page of its issue or alert.
    fn page_of(&self, target: &EventTarget) -> Option<String> {
        match target.kind {
            TargetType::Alert => Some(page_of_alert(target.iid)),
            TargetType::Error => Some(format!("/-/error_tracking/{}/details", target.iid)),
            TargetType::Issue => Some(page_of_issue(target.iid)),
            TargetType::Snippet => Some(format!("/-/snippets/{}", target.id)),
            TargetType::Milestone => Some(format!("/-/milestones/{}", target.iid)),
            TargetType::Note => {
                let note = self.notes.get(&NoteId::new(target.id))?;
                Some(match note.on.kind {
                    NoteableKind::Issue => {
                        format!("{}#note_{}", page_of_issue(note.on.iid), note.id)
                    }
                    NoteableKind::Alert => {
                        format!("{}#note_{}", page_of_alert(note.on.iid), note.id)
                    }
                })
            }
            _ => None,
        }
    }
}

fn page_of_alert(iid: i64) -> String {
    format!("/-/alert_management/{iid}/details")
}

fn page_of_issue(iid: i64) -> String {
    format!("/-/issues/{iid}")
}

fn done(action: Action, kind: Option<TargetType>) -> String {
    let noun = match kind {
        None | Some(TargetType::Project) => "the project",
        Some(TargetType::Issue) => "the issue",
        Some(TargetType::Milestone) => "the milestone",
        Some(TargetType::MergeRequest) => "the merge request",
        Some(TargetType::Note) => "a comment",
        Some(TargetType::Snippet) => "the snippet",
        Some(TargetType::User) => "the user",
        Some(TargetType::Alert) => "the alert",
        Some(TargetType::Error) => "the error",
        // Another program that shares the database may have target types of its own.
        Some(TargetType::Custom(_)) => "a resource",
    };
    if (action, kind) == (Action::Commented, Some(TargetType::Note)) {
        // The title is that of the commented resource.
        return "commented on".to_owned();
    }
    let is_alert = kind == Some(TargetType::Alert);
    let is_error = kind == Some(TargetType::Error);
    let verb = match action {
        Action::Created if is_alert => "triggered",
        Action::Created if is_error => "reported",
        Action::Created => "created",
        Action::Updated => "changed",
        Action::Closed if is_alert || is_error => "resolved",
        Action::Reopened if is_error => "reported a regression of",
        Action::Closed => "closed",
        Action::Reopened => "reopened",
        Action::Pushed => "pushed to",
        Action::Commented => "commented on",
        Action::Merged => "merged",
        Action::Joined => "joined",
        Action::Left => "left",
        Action::Destroyed => "deleted",
        Action::Expired => "was removed due to expired membership from",
        Action::Approved => "approved",
        Action::Custom(_) => "acted on",
    };
    format!("{verb} {noun}")
}

/// Groups lines by day (in UTC), in the order of the list.
pub fn by_day(lines: TimedLines, now: Timestamp) -> Vec<ActivityDay> {
    let mut days: Vec<(i32, ActivityDay)> = Vec::new();
    for (time, line) in lines {
        let number = time.date().as_days();
        match days.last_mut() {
            Some((last, day)) if *last == number => day.lines.push(line),
            _ => days.push((
                number,
                ActivityDay {
                    name: day_name(time, now),
                    lines: vec![line],
                },
            )),
        }
    }
    days.into_iter().map(|(_, day)| day).collect()
}

fn day_name(time: Timestamp, now: Timestamp) -> String {
    match now.date().as_days() - time.date().as_days() {
        0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        _ => time.to_chrono().format("%A, %-d %B %Y").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use events::{CustomAction, CustomTarget};

    use super::*;

    #[test]
    fn activity_texts_use_the_verb_of_the_target_type() {
        for (action, kind, said) in [
            (Action::Created, None, "created the project"),
            (
                Action::Created,
                Some(TargetType::Alert),
                "triggered the alert",
            ),
            (
                Action::Closed,
                Some(TargetType::Alert),
                "resolved the alert",
            ),
            (
                Action::Closed,
                Some(TargetType::Milestone),
                "closed the milestone",
            ),
            (
                Action::Destroyed,
                Some(TargetType::Milestone),
                "deleted the milestone",
            ),
            (
                Action::Custom(CustomAction::new(1000)),
                Some(TargetType::Custom(CustomTarget::new(1000))),
                "acted on a resource",
            ),
        ] {
            assert_eq!(done(action, kind), said);
        }
    }

    #[test]
    fn days_are_called_by_how_near_they_are() {
        let time = |text: &str| Timestamp::parse_rfc3339(text).unwrap();
        let now = time("2024-03-02T00:10:00Z");
        for (at, name) in [
            ("2024-03-02T00:00:00Z", "Today"),
            ("2024-03-01T23:59:00Z", "Yesterday"),
            ("2024-02-28T10:00:00Z", "Wednesday, 28 February 2024"),
        ] {
            assert_eq!(day_name(time(at), now), name);
        }
    }
}
