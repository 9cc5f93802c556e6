//! Pushes in readable form.

use events::{PushData, PushedRefs, RefAction, RefKind};

/// Name of the ref of a push; `None` for bulk pushes.
pub(super) fn name_of_ref(push: &PushData) -> Option<&str> {
    match &push.refs {
        PushedRefs::One(one) => Some(&one.name),
        PushedRefs::Many { .. } => None,
    }
}

/// Describes a push, as in `pushed to branch` or `deleted 5 tags`.
pub(super) fn pushed(push: &PushData) -> String {
    let verb = push.action().label();
    let (singular, plural) = match push.ref_kind {
        RefKind::Branch => ("branch", "branches"),
        RefKind::Tag => ("tag", "tags"),
    };
    let count = match &push.refs {
        PushedRefs::One(_) => return format!("{verb} {singular}"),
        PushedRefs::Many { count, .. } => *count,
    };
    let noun = if count == 1 { singular } else { plural };
    match push.action() {
        RefAction::Created => format!("pushed {count} new {noun}"),
        RefAction::Removed | RefAction::Pushed => format!("{verb} {count} {noun}"),
    }
}

#[cfg(test)]
mod tests {
    use events::{CommitRange, PushedRef};

    use super::*;

    #[test]
    fn pushes_name_the_change_and_the_kind_of_ref() {
        let hash = || Some("a".repeat(40));
        let one = |ref_kind, (before, after)| PushData {
            ref_kind,
            refs: PushedRefs::One(PushedRef {
                name: "main".to_owned(),
                commits: CommitRange::new(before, after).unwrap(),
                commit_count: 1,
                commit_title: None,
            }),
        };
        let many = |ref_kind, action, count| PushData {
            ref_kind,
            refs: PushedRefs::Many { action, count },
        };
        let (branch, tag) = (RefKind::Branch, RefKind::Tag);
        for (push, said, name) in [
            (
                one(branch, (hash(), hash())),
                "pushed to branch",
                Some("main"),
            ),
            (
                one(branch, (None, hash())),
                "pushed new branch",
                Some("main"),
            ),
            (one(tag, (hash(), None)), "deleted tag", Some("main")),
            (
                many(branch, RefAction::Pushed, 5),
                "pushed to 5 branches",
                None,
            ),
            (many(tag, RefAction::Created, 4), "pushed 4 new tags", None),
            (many(tag, RefAction::Removed, 4), "deleted 4 tags", None),
            (
                many(branch, RefAction::Removed, 1),
                "deleted 1 branch",
                None,
            ),
        ] {
            assert_eq!(pushed(&push), said);
            assert_eq!(name_of_ref(&push), name);
        }
    }
}
