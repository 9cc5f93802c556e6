//! The label as an entity, and what is special about it: its order, its search, and the second way to take a title.

use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::time::Timestamp;
use projects::{InsertLabel, Label, LabelText, NewLabel};
use storage::{StoreError, StoreErrorKind};

use crate::Harness;
use crate::broken::{Verdict, same};
use crate::entity::declare::entity;
use crate::entity::{Entity as _, Unique as _};
use crate::samples::{HOSTILE, page, refused, timestamp};
use crate::store_traits::{PlaceRepositories, ProjectArea, Projects};

fn new(project: ProjectId, title: &str, description: Option<&str>) -> NewLabel {
    NewLabel {
        project_id: project,
        text: LabelText {
            title: title.to_owned(),
            description: description.map(str::to_owned),
            color: "#aaBBcc".to_owned(),
            priority: Some(3),
        },
        created_at: timestamp(0),
    }
}

/// The change with this number.
fn change(number: u32) -> LabelText {
    LabelText {
        title: HOSTILE.repeat(number as usize),
        description: number.is_multiple_of(2).then(|| HOSTILE.to_owned()),
        color: "#000000".to_owned(),
        priority: (!number.is_multiple_of(2)).then_some(0),
    }
}

fn changed_at(number: u32) -> Timestamp {
    timestamp(i64::from(number))
}

entity! {
    /// A label. The titles of the samples are in the order of their numbers.
    StoredLabel in ProjectArea, of ProjectId: NewLabel => Label;
    owners: |harness| harness.places();
    key: |label| -> LabelId { label.id }, unknown: LabelId::new(i64::MAX);
    sample: |project, number| new(project, &format!("label {number:05}"), None);
    edges: |project| {
        let mut edges = [Timestamp::MIN, Timestamp::MAX]
            .map(|created_at| NewLabel { created_at, ..new(project, HOSTILE, Some("")) });
        edges[0].text.priority = None;
        edges[1].text.priority = Some(i64::MAX);
        edges[1].text.title = "Label 00001".to_owned();
        edges[1].text.description = Some(HOSTILE.repeat(20));
        edges.to_vec()
    };
    insert: |tx, new| match tx.insert_label(new)? {
        InsertLabel::Inserted(label) => Ok(label.id),
        InsertLabel::TitleTaken => Err(refused("insert a label", &format!("{new:?}"))),
    };
    // By its id, and by its title, which must find the same.
    find: |tx, project, id| match tx.find_label(project, *id)? {
        Some(found) => tx.find_label_by_title(project, &found.text.title),
        None => Ok(None),
    }, by owner: true;
    expected: |new, found| Label {
        id: found.id,
        project_id: new.project_id,
        text: new.text.clone(),
        created_at: new.created_at,
        updated_at: new.created_at,
    };
    list Ascending: |tx, project, page| tx.list_labels(project, None, page);
    change: |tx, project, id, number| tx.update_label(project, *id, &change(number), changed_at(number));
    // It keeps its project and the time when it was made.
    changed: |label, number| Label {
        text: change(number),
        updated_at: changed_at(number),
        ..label.clone()
    };
    delete: |tx, project, id| tx.delete_label(project, *id);
    try_insert: |tx, new| Ok(match tx.insert_label(new)? {
        InsertLabel::Inserted(label) => Some(label.id),
        InsertLabel::TitleTaken => None,
    }), per owner: true;
    clashing: |project, number| {
        let mut clashing = new(project, &Self::sample(project, number).text.title, Some("another"));
        clashing.text.priority = None;
        clashing
    };
}

pub(super) fn p40_labels_are_listed_by_title_and_searched_in_any_case<H: Harness>(
    harness: &mut H,
) -> Verdict
where
    H::Store: Projects,
{
    let [project, other] = harness.places();
    let inserted = harness.store().write_projects(move |tx| {
        StoredLabel::insert(tx, &new(other, "bug", None))?;
        let labels = [
            ("\u{e4}rger", Some("100% BUG")),
            ("bug", None),
            ("Zoo", Some("Bugs")),
            ("1_0", None),
            ("Bug", None),
        ];
        labels.into_iter().try_for_each(|(title, description)| {
            StoredLabel::insert(tx, &new(project, title, description)).map(drop)
        })
    });
    inserted.wait()?;
    for (search, wanted) in [
        (None, &["1_0", "Bug", "Zoo", "bug", "\u{e4}rger"][..]),
        (Some("BUG"), &["Bug", "Zoo", "bug", "\u{e4}rger"]),
        (Some("\u{c4}R"), &["\u{e4}rger"]),
        (Some("0%"), &["\u{e4}rger"]),
        (Some("_"), &["1_0"]),
    ] {
        let listed = harness
            .store()
            .read_projects(move |tx| tx.list_labels(project, search, page(1, 20)));
        let listed = listed.wait()?.items.into_iter();
        let titles: Vec<String> = listed.map(|label| label.text.title).collect();
        let wanted: Vec<String> = wanted.iter().map(|title| (*title).to_owned()).collect();
        same(&format!("the list for {search:?}"), &titles, &wanted)?;
    }
    Ok(())
}

pub(super) fn p41_a_change_does_not_take_the_title_of_another_label<H: Harness>(
    harness: &mut H,
) -> Verdict
where
    H::Store: Projects,
{
    let [project, other] = harness.places();
    let kept = StoredLabel::sample(project, 2);
    let insert = |new: NewLabel| {
        let insert = move |tx: &mut dyn PlaceRepositories| StoredLabel::insert(tx, &new);
        harness.store().write_projects(insert).wait()
    };
    insert(StoredLabel::sample(project, 1))?;
    insert(StoredLabel::sample(other, 3))?;
    let id = insert(kept.clone())?;
    let change = |number| {
        let text = StoredLabel::clashing(project, number).text;
        let update =
            move |tx: &mut dyn PlaceRepositories| tx.update_label(project, id, &text, timestamp(1));
        let changed: Result<bool, StoreError> = harness.store().write_projects(update).wait();
        changed.map_err(|error| error.kind())
    };
    same(
        "a change to a title that is taken",
        &change(1),
        &Err(StoreErrorKind::Conflict),
    )?;
    let found = harness
        .store()
        .read_projects(move |tx| tx.find_label(project, id))
        .wait()?;
    same(
        "the label",
        &found.map(|label| label.text),
        &Some(kept.text),
    )?;
    // Its own title is free for it, and so is one of another project.
    same("a change that keeps the title", &change(2), &Ok(true))?;
    same(
        "a change to a title of another project",
        &change(3),
        &Ok(true),
    )
}
