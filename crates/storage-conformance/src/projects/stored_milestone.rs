//! The milestone as an entity.

use api_conventions::ids::{MilestoneId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{
    Milestone, MilestoneContent, MilestoneFilter, MilestoneRepository, MilestoneState,
    NewMilestone, SaveMilestone,
};
use storage::StoreError;

use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, refused, timestamp};
use crate::store_traits::ProjectArea;

/// The change with this number.
fn change(number: u32) -> MilestoneContent {
    MilestoneContent {
        title: HOSTILE.repeat(number as usize),
        description: (number % 2 == 1).then(|| HOSTILE.to_owned()),
        state: MilestoneState::Closed,
        start_date: None,
        due_date: CalendarDate::parse("2024-02-29"),
    }
}

pub(super) fn inserted(
    tx: &mut dyn MilestoneRepository,
    new: &NewMilestone,
) -> Result<Milestone, StoreError> {
    match tx.insert_milestone(new)? {
        SaveMilestone::Saved(milestone) => Ok(milestone),
        _ => Err(refused("insert a milestone", &format!("{new:?}"))),
    }
}

entity! {
    /// A milestone of a project.
    StoredMilestone in ProjectArea, of ProjectId: NewMilestone => Milestone;
    owners: |harness| harness.places();
    key: |milestone| -> MilestoneId { milestone.id }, unknown: MilestoneId::new(i64::MAX);
    sample: |project, number| NewMilestone {
        project_id: project,
        content: MilestoneContent {
            title: format!("milestone {number}"),
            start_date: CalendarDate::parse("2024-01-01"),
            ..MilestoneContent::default()
        },
        created_at: timestamp(0),
    };
    edges: |project| {
        let [first, last] = [Timestamp::MIN, Timestamp::MAX];
        let content = |title: String, day: Timestamp| MilestoneContent {
            description: Some(title.repeat(20)),
            state: MilestoneState::Closed,
            start_date: Some(day.date()),
            due_date: Some(day.date()),
            title,
        };
        [(HOSTILE.to_owned(), first), (String::new(), last)]
            .map(|(title, created_at)| NewMilestone {
                content: content(title, created_at),
                created_at,
                ..Self::sample(project, 2)
            })
            .to_vec()
    };
    insert: |tx, new| Ok(inserted(tx, new)?.id);
    find: |tx, project, id| tx.find_milestone(project, *id), by owner: true;
    expected: |new, found| Milestone {
        id: found.id,
        iid: found.iid,
        project_id: new.project_id,
        content: new.content.clone(),
        created_at: new.created_at,
        updated_at: new.created_at,
    };
    list Descending: |tx, project, page| {
        tx.list_milestones(project, &MilestoneFilter::default(), page)
    };
    change: |tx, project, id, number| {
        let saved = tx.update_milestone(project, *id, &change(number), timestamp(number.into()))?;
        Ok(matches!(saved, SaveMilestone::Saved(_)))
    };
    changed: |milestone, number| Milestone {
        content: change(number),
        updated_at: timestamp(number.into()),
        ..milestone.clone()
    };
    delete: |tx, project, id| tx.delete_milestone(project, *id);
    try_insert: |tx, new| Ok(match tx.insert_milestone(new)? {
        SaveMilestone::Saved(milestone) => Some(milestone.id),
        _ => None,
    }), per owner: true;
    clashing: |project, number| NewMilestone {
        content: MilestoneContent {
            title: Self::sample(project, number).content.title,
            ..change(1)
        },
        ..Self::sample(project, number)
    };
}
