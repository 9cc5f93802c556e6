//! What is special about milestones: their numbers, their titles and their filters.

use api_conventions::ids::{MilestoneIid, ProjectId};
use projects::{MilestoneContent, MilestoneFilter, MilestoneState, NewMilestone, SaveMilestone};

use super::stored_milestone::{StoredMilestone, inserted};
use crate::Harness;
use crate::entity::Entity as _;
use crate::samples::{page, race, timestamp};
use crate::store_traits::Projects;

pub(super) fn p71_milestones_are_numbered_in_their_project_without_gaps<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [mine, other] = harness.places();
    let store = harness.store();
    let insert = |project: ProjectId, number| {
        let new = StoredMilestone::sample(project, number);
        store
            .write_projects(move |tx| inserted(tx, &new))
            .wait()
            .unwrap()
    };
    let raced = race(8, |thread| {
        insert(mine, u32::try_from(thread).unwrap()).iid.get()
    });
    let mut numbers = raced.clone();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    let refused = StoredMilestone::sample(mine, 0);
    let refused = store.write_projects(move |tx| tx.insert_milestone(&refused));
    assert_eq!(refused.wait().unwrap(), SaveMilestone::TitleTaken);
    let last = insert(mine, 9);
    let deleted = store.write_projects(move |tx| tx.delete_milestone(mine, last.id));
    assert!(deleted.wait().unwrap());
    let numbers = [last.iid, insert(mine, 9).iid, insert(other, 9).iid];
    assert_eq!(numbers.map(MilestoneIid::get), [9, 10, 1]);
}

pub(super) fn p72_a_milestone_takes_no_title_of_another<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [project, _] = harness.places();
    let store = harness.store();
    let ids: Vec<_> = (0..8)
        .map(|number| {
            let new = StoredMilestone::sample(project, number);
            let made = store.write_projects(move |tx| inserted(tx, &new));
            made.wait().unwrap().id
        })
        .collect();
    let renamed = race(8, |thread| {
        let (id, content) = (ids[thread], StoredMilestone::sample(project, 99).content);
        let renamed = store.write_projects(move |tx| {
            // The second time it has the title itself.
            tx.update_milestone(project, id, &content, timestamp(1))?;
            tx.update_milestone(project, id, &content, timestamp(2))
        });
        renamed.wait().unwrap()
    });
    let taken = |outcome: &&SaveMilestone| **outcome == SaveMilestone::TitleTaken;
    assert_eq!(renamed.iter().filter(taken).count(), 7, "{renamed:?}");
    assert!(!renamed.contains(&SaveMilestone::NotFound));
}

pub(super) fn p69_each_filter_of_milestones_holds<H: Harness>(harness: &mut H)
where
    H::Store: Projects,
{
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.write_projects(move |tx| {
        for (project_id, title, description, state) in [
            (project, "Beta", None, MilestoneState::Active),
            (project, "beta", Some("100% ÄRGER"), MilestoneState::Closed),
            (project, "1.0_x", Some("after beta"), MilestoneState::Active),
            (other, "beta", None, MilestoneState::Active),
        ] {
            let content = MilestoneContent {
                title: title.to_owned(),
                description: description.map(str::to_owned),
                state,
                ..MilestoneContent::default()
            };
            let created_at = timestamp(0);
            inserted(
                tx,
                &NewMilestone {
                    project_id,
                    content,
                    created_at,
                },
            )?;
        }
        Ok(())
    });
    written.wait().unwrap();
    let all = MilestoneFilter::default;
    let search = |text: &str| MilestoneFilter {
        search: Some(text.to_owned()),
        ..all()
    };
    let state = |state| MilestoneFilter {
        state: Some(state),
        ..all()
    };
    let iids = |iids: &[i64]| MilestoneFilter {
        iids: iids.iter().copied().map(MilestoneIid::new).collect(),
        ..all()
    };
    let title = MilestoneFilter {
        title: Some("beta".to_owned()),
        ..all()
    };
    for (filter, wanted) in [
        (all(), &[3, 2, 1][..]),
        (iids(&[3, 1, 7]), &[3, 1]),
        (iids(&[7]), &[]),
        (state(MilestoneState::Active), &[3, 1]),
        (state(MilestoneState::Closed), &[2]),
        (title.clone(), &[2]),
        (search("BETA"), &[3, 2, 1]),
        (search("ärger"), &[2]),
        (search("0_"), &[3]),
        (search("0%"), &[2]),
        (
            MilestoneFilter {
                state: Some(MilestoneState::Active),
                ..title
            },
            &[],
        ),
    ] {
        let asked = filter.clone();
        let listed =
            store.read_projects(move |tx| tx.list_milestones(project, &asked, page(1, 20)));
        let listed = listed.wait().unwrap().items;
        let found: Vec<i64> = listed.iter().map(|one| one.iid.get()).collect();
        assert_eq!(found, wanted, "{filter:?}");
    }
}
