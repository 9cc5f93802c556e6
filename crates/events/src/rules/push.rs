//! Rules for pushes: titles of commits, and bulk pushes.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{PushData, PushedRefs};

/// Most characters in the title of a commit.
const MAX_TITLE: usize = 70;
/// End of a title that was cut.
const ELLIPSIS: &str = "...";

/// Returns the title of a commit: the first line of its message, cut to 70 characters. `None` for a blank message.
pub fn commit_title(message: &str) -> Option<String> {
    let line = message.trim().lines().next()?.trim_end();
    if line.chars().count() <= MAX_TITLE {
        return Some(line.to_owned());
    }
    let start: String = line.chars().take(MAX_TITLE - ELLIPSIS.len()).collect();
    Some(start + ELLIPSIS)
}

/// Replaces changes of many refs by bulk changes.
///
/// A group has the changes of one push with the same kind of ref and the same action. A group of more than `limit` refs
/// becomes one change with the number of its refs, at the place of its first one. The other changes keep their order.
pub fn fold_pushes(changes: Vec<PushData>, limit: u32) -> Vec<PushData> {
    let group_of = |change: &PushData| (change.ref_kind, change.action());
    let mut counts = BTreeMap::<_, u32>::new();
    for change in &changes {
        let count = counts.entry(group_of(change)).or_default();
        *count = count.saturating_add(change.ref_count());
    }
    let mut folded = BTreeSet::new();
    let kept = changes.into_iter().filter_map(|change| {
        let group = group_of(&change);
        let count = counts.get(&group).copied().unwrap_or_default();
        if count <= limit {
            return Some(change);
        }
        let (ref_kind, action) = group;
        let refs = PushedRefs::Many { action, count };
        folded.insert(group).then_some(PushData { ref_kind, refs })
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CommitRange, PushedRef, RefAction, RefKind};

    fn one(ref_kind: RefKind, name: &str, action: RefAction) -> PushData {
        let [from, to] = ["a", "b"].map(|digit| digit.repeat(40));
        let commits = match action {
            RefAction::Created => CommitRange::Created { to },
            RefAction::Removed => CommitRange::Removed { from },
            RefAction::Pushed => CommitRange::Pushed { from, to },
        };
        let refs = PushedRefs::One(PushedRef {
            name: name.to_owned(),
            commits,
            commit_count: 1,
            commit_title: None,
        });
        PushData { ref_kind, refs }
    }

    /// Names of refs, and the sizes of bulk changes.
    fn folded(changes: &[PushData], limit: u32) -> Vec<String> {
        let folded = fold_pushes(changes.to_vec(), limit);
        let texts = folded.into_iter().map(|change| match change.refs {
            PushedRefs::One(one) => one.name,
            PushedRefs::Many { action, count } => {
                format!("{count} {} {}", change.ref_kind.as_str(), action.as_str())
            }
        });
        texts.collect()
    }

    #[test]
    fn a_group_beyond_the_limit_becomes_one_change() {
        let branch = |name| one(RefKind::Branch, name, RefAction::Created);
        let four = ["a", "b", "c", "d"].map(branch);
        assert_eq!(folded(&four[..3], 3), ["a", "b", "c"]);
        assert_eq!(folded(&four, 3), ["4 branch created"]);
        assert_eq!(folded(&four[..1], 0), ["1 branch created"]);
        assert_eq!(folded(&[], 0), [""; 0]);
    }

    #[test]
    fn each_group_is_counted_alone_and_keeps_its_place() {
        let changes = [
            one(RefKind::Tag, "v1", RefAction::Created),
            one(RefKind::Branch, "a", RefAction::Created),
            one(RefKind::Branch, "b", RefAction::Removed),
            one(RefKind::Branch, "c", RefAction::Created),
            one(RefKind::Branch, "d", RefAction::Pushed),
            one(RefKind::Tag, "v2", RefAction::Created),
        ];
        let expected = ["2 tag created", "2 branch created", "b", "d"];
        assert_eq!(folded(&changes, 1), expected);
        let expected = ["v1", "a", "b", "c", "d", "v2"];
        assert_eq!(folded(&changes, 2), expected);
    }

    #[test]
    fn a_title_is_the_first_line_with_at_most_70_characters() {
        let long = "ä".repeat(71);
        let cut = format!("{}...", "ä".repeat(67));
        let fits = "ä".repeat(70);
        for (message, title) in [
            ("Fix the disk\n\nIt was full.", Some("Fix the disk")),
            ("\n Fix \r\nmore", Some("Fix")),
            (&*fits, Some(&*fits)),
            (&*long, Some(&*cut)),
            (" \n", None),
            ("", None),
        ] {
            assert_eq!(commit_title(message).as_deref(), title, "{message:?}");
        }
    }
}
