//! The entry as an entity.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{
    Action, CommitRange, CustomAction, CustomTarget, EventFilter, EventTarget, FeedEvent,
    FeedRights, NewEvent, PushData, PushedRef, PushedRefs, RefAction, RefKind, TargetType,
};

use super::entries::entry;
use crate::areas::Events;
use crate::entity::ListableEntity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page};

/// The smallest and the greatest action number of a host.
const OF_HOSTS: [i16; 2] = [CustomAction::FIRST_NUMBER, i16::MAX];

/// An entry of each action, with targets of every kind.
fn of_each_action(project: ProjectId) -> Vec<NewEvent> {
    let custom = OF_HOSTS.map(|number| Action::Custom(CustomAction::new(number)));
    let actions = Action::STANDARD.iter().copied().chain(custom);
    let custom = OF_HOSTS.map(|number| TargetType::Custom(CustomTarget::new(number)));
    let kinds = TargetType::STANDARD.iter().copied().chain(custom).cycle();
    let numbered = actions.zip(kinds).enumerate();
    let edges = numbered.map(|(index, (action, kind))| NewEvent {
        action,
        target: Some(EventTarget {
            kind,
            id: i64::MAX,
            iid: 0,
            title: (index % 2 == 0).then(|| HOSTILE.to_owned()),
        }),
        created_at: [Timestamp::MIN, Timestamp::MAX][index % 2],
        ..entry(project, i64::MAX - i64::try_from(index).unwrap())
    });
    let edges = edges.chain(pushes(project));
    edges.collect()
}

/// Entries of pushes: one ref with each change, and bulk pushes.
fn pushes(project: ProjectId) -> impl Iterator<Item = NewEvent> {
    let [from, to] = ["a", "b"].map(|digit| Some(digit.repeat(64)));
    let ranges = [(None, to.clone()), (from.clone(), None), (from, to)];
    let ranges = ranges
        .into_iter()
        .filter_map(|(from, to)| CommitRange::new(from, to));
    let one = ranges.enumerate().map(|(index, commits)| {
        PushedRefs::One(PushedRef {
            name: HOSTILE.to_owned(),
            commits,
            commit_count: [0, u32::MAX, 1][index],
            commit_title: (index % 2 == 0).then(|| HOSTILE.to_owned()),
        })
    });
    let many = RefAction::ALL.map(|action| PushedRefs::Many {
        action,
        count: u32::MAX,
    });
    let kinds = RefKind::ALL.into_iter().cycle();
    let numbered = (1000..).zip(one.chain(many).zip(kinds));
    numbered.map(move |(author, (refs, ref_kind))| NewEvent {
        action: Action::Pushed,
        push: Some(PushData { ref_kind, refs }),
        ..entry(project, author)
    })
}

entity! {
    /// An entry of the feed. Entries are only listed, so the author identifies one here.
    Entry in Events, of ProjectId: NewEvent => FeedEvent;
    owners: |harness| harness.places();
    key: |event| -> UserId { event.author_id }, unknown: UserId::new(-1);
    sample: |project, number| entry(project, i64::from(number));
    edges: |project| of_each_action(project);
    insert: |tx, new| {
        tx.insert_events(std::slice::from_ref(new))?;
        Ok(new.author_id)
    };
    find: |tx, project, author| {
        let listed = Self::list(tx, project, page(1, 100))?.items;
        Ok(listed.into_iter().find(|event| event.author_id == *author))
    }, by owner: true;
    expected: |new, found| FeedEvent {
        id: found.id,
        project_id: new.project_id,
        author_id: new.author_id,
        action: new.action,
        target: new.target.clone(),
        push: new.push.clone(),
        created_at: new.created_at,
    };
    list Descending: |tx, project, page| {
        tx.list_project_events(&EventFilter::new(project, FeedRights::ALL), page)
    };
    insert_many: |tx, new| tx.insert_events(new);
}
