//! Steps that change groups, projects and roles, and sequences of steps.

use proptest::prelude::*;

/// A step. Numbers choose among the places that exist when the step is played, so that a shortened sequence also makes
/// sense.
#[derive(Debug, Clone)]
pub(super) enum SequenceStep {
    CreateGroup {
        parent: u8,
        path: u8,
        visibility: u8,
        owner: u8,
    },
    CreateProject {
        namespace: u8,
        path: u8,
        name: u8,
        visibility: u8,
        creator: u8,
    },
    RenameGroup {
        group: u8,
        path: u8,
        visibility: u8,
    },
    MoveGroup {
        group: u8,
        to: u8,
    },
    ChangeProject {
        project: u8,
        path: u8,
        name: u8,
        archived: bool,
    },
    MoveProject {
        project: u8,
        to: u8,
    },
    ScheduleGroupDeletion(u8),
    ScheduleProjectDeletion(u8),
    Cancel(u8),
    RunDeletion {
        deletion: u8,
        limit: u8,
    },
    PutMember {
        place: u8,
        user: u8,
        level: u8,
        expiry: u8,
    },
    RemoveMember {
        place: u8,
        user: u8,
    },
    RemoveBelow {
        group: u8,
        user: u8,
    },
    Share {
        project: u8,
        group: u8,
        level: u8,
        expiry: u8,
    },
    Unshare {
        project: u8,
        group: u8,
    },
    /// A label, a milestone, an issue that has both, and a note on it.
    Fill(u8),
    NextDay,
    Expire,
}

/// Sequences that begin by creating some groups and projects, so that later steps can change them.
pub(super) fn sequences() -> impl Strategy<Value = Vec<SequenceStep>> {
    let first = prop_oneof![2 => create_group(), 3 => create_project()];
    let first = prop::collection::vec(first, 2..8);
    let rest = prop::collection::vec(step(), 0..28);
    (first, rest).prop_map(|(first, rest)| [first, rest].concat())
}

fn create_group() -> impl Strategy<Value = SequenceStep> {
    let numbers = (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>());
    numbers.prop_map(
        |(parent, path, visibility, owner)| SequenceStep::CreateGroup {
            parent,
            path,
            visibility,
            owner,
        },
    )
}

fn create_project() -> impl Strategy<Value = SequenceStep> {
    let numbers = (
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
    );
    numbers.prop_map(
        |(namespace, path, name, visibility, creator)| SequenceStep::CreateProject {
            namespace,
            path,
            name,
            visibility,
            creator,
        },
    )
}

fn step() -> impl Strategy<Value = SequenceStep> {
    let two = || (any::<u8>(), any::<u8>());
    let four = || (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>());
    prop_oneof![
        3 => create_group(),
        3 => create_project(),
        2 => (any::<u8>(), any::<u8>(), any::<u8>())
            .prop_map(|(group, path, visibility)| SequenceStep::RenameGroup { group, path, visibility }),
        3 => two().prop_map(|(group, to)| SequenceStep::MoveGroup { group, to }),
        2 => (any::<u8>(), any::<u8>(), any::<u8>(), any::<bool>())
            .prop_map(|(project, path, name, archived)| SequenceStep::ChangeProject { project, path, name, archived }),
        2 => two().prop_map(|(project, to)| SequenceStep::MoveProject { project, to }),
        2 => any::<u8>().prop_map(SequenceStep::ScheduleGroupDeletion),
        2 => any::<u8>().prop_map(SequenceStep::ScheduleProjectDeletion),
        3 => any::<u8>().prop_map(SequenceStep::Cancel),
        1 => two().prop_map(|(deletion, limit)| SequenceStep::RunDeletion { deletion, limit }),
        4 => four().prop_map(|(place, user, level, expiry)| SequenceStep::PutMember { place, user, level, expiry }),
        2 => two().prop_map(|(place, user)| SequenceStep::RemoveMember { place, user }),
        1 => two().prop_map(|(group, user)| SequenceStep::RemoveBelow { group, user }),
        4 => four().prop_map(|(project, group, level, expiry)| SequenceStep::Share { project, group, level, expiry }),
        1 => two().prop_map(|(project, group)| SequenceStep::Unshare { project, group }),
        2 => any::<u8>().prop_map(SequenceStep::Fill),
        1 => Just(SequenceStep::NextDay),
        1 => Just(SequenceStep::Expire),
    ]
}
