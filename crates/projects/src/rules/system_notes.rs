//! Texts of system notes about a change, in the words that users know.

use std::collections::BTreeMap;

use api_conventions::ids::{LabelId, MilestoneId, UserId};

use crate::model::{IssueBody, IssueKind};

/// Names of the resources that a change mentions.
/// Labels and users without a name are left out.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The titles of labels.
    pub labels: BTreeMap<LabelId, String>,
    /// The titles of milestones.
    pub milestones: BTreeMap<MilestoneId, String>,
    /// Usernames for mentions.
    pub users: BTreeMap<UserId, String>,
}

/// Texts of the notes about a change, one for each attribute that changed.
pub fn system_notes(before: &IssueBody, after: &IssueBody, names: &Names) -> Vec<String> {
    let mut notes = contents(before, after);
    let label = |id: &LabelId| names.labels.get(id).map(|title| format!("~\"{title}\""));
    let added: Vec<String> = after
        .labels
        .difference(&before.labels)
        .filter_map(label)
        .collect();
    let removed: Vec<String> = before
        .labels
        .difference(&after.labels)
        .filter_map(label)
        .collect();
    let word = if added.len() + removed.len() == 1 {
        "label"
    } else {
        "labels"
    };
    let parts = both("added", added, "removed", removed, " ");
    notes.extend(parts.map(|parts| format!("{parts} {word}")));
    if before.milestone_id != after.milestone_id {
        let title = after.milestone_id.and_then(|id| names.milestones.get(&id));
        notes.push(title.map_or_else(
            || "removed milestone".to_owned(),
            |title| format!("changed milestone to %\"{title}\""),
        ));
    }
    let user = |id: &UserId| names.users.get(id).map(|name| format!("@{name}"));
    let added = after
        .assignees
        .difference(&before.assignees)
        .filter_map(user)
        .collect();
    let removed = before
        .assignees
        .difference(&after.assignees)
        .filter_map(user)
        .collect();
    notes.extend(both("assigned to", added, "unassigned", removed, " and "));
    notes
}

/// Notes about the content and the state.
fn contents(before: &IssueBody, after: &IssueBody) -> Vec<String> {
    let (old, new) = (&before.content, &after.content);
    let mut notes = Vec::new();
    if old.title != new.title {
        notes.push(format!(
            "changed title from **{}** to **{}**",
            old.title, new.title
        ));
    }
    if old.description != new.description {
        notes.push("changed the description".to_owned());
    }
    if old.kind != new.kind {
        notes.push(format!(
            "changed type from {} to {}",
            old.kind.as_str(),
            new.kind.as_str()
        ));
    }
    if old.severity != new.severity && new.kind == IssueKind::Incident {
        notes.push(format!(
            "changed the severity to **{}**",
            new.severity.as_str()
        ));
    }
    if old.confidential != new.confidential {
        let text = if new.confidential {
            "made the issue confidential"
        } else {
            "made the issue visible to everyone"
        };
        notes.push(text.to_owned());
    }
    if old.discussion_locked != new.discussion_locked {
        let word = if new.discussion_locked {
            "locked"
        } else {
            "unlocked"
        };
        notes.push(format!("{word} the discussion in this issue"));
    }
    if old.due_date != new.due_date {
        notes.push(new.due_date.map_or_else(
            || "removed due date".to_owned(),
            |day| format!("changed due date to {day}"),
        ));
    }
    match (before.closing, after.closing) {
        (None, Some(_)) => notes.push("closed".to_owned()),
        (Some(_), None) => notes.push("reopened".to_owned()),
        _ => {}
    }
    notes
}

/// Additions and removals, in one sentence.
fn both(
    came: &str,
    added: Vec<String>,
    went: &str,
    removed: Vec<String>,
    between: &str,
) -> Option<String> {
    let part = |word: &str, things: Vec<String>| {
        (!things.is_empty()).then(|| format!("{word} {}", things.join(between)))
    };
    let parts: Vec<String> = [part(came, added), part(went, removed)]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Closing, IssueContent, IssueSeverity};
    use api_conventions::time::{CalendarDate, Timestamp};

    #[test]
    fn each_change_has_its_words() {
        let names = Names {
            labels: [(1, "bug"), (2, "to do"), (3, "ops")]
                .map(|(id, title)| (LabelId::new(id), title.to_owned()))
                .into(),
            milestones: [(MilestoneId::new(1), "1.0".to_owned())].into(),
            users: [(1, "ann"), (2, "ben"), (3, "cora")]
                .map(|(id, name)| (UserId::new(id), name.to_owned()))
                .into(),
        };
        let before = IssueBody {
            labels: [LabelId::new(3)].into(),
            assignees: [UserId::new(3)].into(),
            ..IssueBody::default()
        };
        let after = IssueBody {
            content: IssueContent {
                title: "T".to_owned(),
                description: Some("D".to_owned()),
                kind: IssueKind::Incident,
                severity: IssueSeverity::High,
                confidential: true,
                discussion_locked: true,
                due_date: CalendarDate::parse("2024-02-29"),
            },
            closing: Some(Closing {
                at: Timestamp::MIN,
                by: UserId::new(1),
            }),
            milestone_id: Some(MilestoneId::new(1)),
            labels: [1, 2].map(LabelId::new).into(),
            assignees: [1, 2].map(UserId::new).into(),
        };
        assert_eq!(
            system_notes(&before, &after, &names),
            [
                "changed title from **** to **T**",
                "changed the description",
                "changed type from issue to incident",
                "changed the severity to **high**",
                "made the issue confidential",
                "locked the discussion in this issue",
                "changed due date to 2024-02-29",
                "closed",
                "added ~\"bug\" ~\"to do\" and removed ~\"ops\" labels",
                "changed milestone to %\"1.0\"",
                "assigned to @ann and @ben and unassigned @cora",
            ]
        );
        let back = system_notes(&after, &IssueBody::default(), &names);
        assert_eq!(
            back[3..],
            [
                "made the issue visible to everyone",
                "unlocked the discussion in this issue",
                "removed due date",
                "reopened",
                "removed ~\"bug\" ~\"to do\" labels",
                "removed milestone",
                "unassigned @ann and @ben",
            ]
        );
        let one = IssueBody::default();
        assert_eq!(
            system_notes(&before, &one, &names)[0],
            "removed ~\"ops\" label"
        );
        assert_eq!(system_notes(&one, &one, &names), [""; 0]);
    }
}
