//! Lists of silences.

use alert_intake::model::{NewSilence, Silence};
use api_conventions::ids::SilenceId;
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{insert, silence};
use crate::areas::{AreaHarness, Silences};
use crate::samples::timestamp;

fn ids(silences: &[Silence]) -> Vec<SilenceId> {
    silences.iter().map(|silence| silence.id).collect()
}

pub(super) fn l87_silences_of_projects_are_listed_with_the_last_end_first(
    harness: &mut AreaHarness<Silences>,
) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        let mut stored = Vec::new();
        for ends_at in [300, 100, 300, 200] {
            stored.push(insert(tx, silence(project, ends_at))?);
        }
        let foreign = insert(tx, silence(other, 250))?;
        let [first, second, third, fourth] = stored.as_slice() else {
            return Ok(());
        };
        let all = tx.list_silences(&[project], Timestamp::MIN, 10)?;
        let order = [third, first, fourth, second].map(|silence| silence.id);
        assert_eq!(ids(&all), order);
        assert_eq!(all.first(), Some(third));
        let later = tx.list_silences(&[project], timestamp(100), 10)?;
        assert_eq!(ids(&later), order[..3], "those that end then are over");
        let limited = tx.list_silences(&[project], Timestamp::MIN, 2)?;
        assert_eq!(ids(&limited), order[..2]);
        // The limit holds for each project.
        let both = tx.list_silences(&[project, other], timestamp(150), 2)?;
        let of = |place| {
            let of_place = both.iter().filter(|it| it.content.project_id == place);
            of_place.map(|it| it.id).collect::<Vec<_>>()
        };
        assert_eq!(of(project), order[..2]);
        assert_eq!(of(other), [foreign.id]);
        assert_eq!(tx.list_silences(&[], Timestamp::MIN, 10)?, []);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn l88_silences_are_listed_when_they_are_due_and_deleted_when_they_are_over(
    harness: &mut AreaHarness<Silences>,
) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        let due = |place, ends_at, due_at: Option<i64>| NewSilence {
            due_at: due_at.map(timestamp),
            ..silence(place, ends_at)
        };
        let late = insert(tx, due(project, 500, Some(300)))?.id;
        let early = insert(tx, due(other, 500, Some(200)))?.id;
        let over = insert(tx, due(project, 100, None))?.id;
        let older = insert(tx, due(other, 50, None))?.id;
        // Its end is not dealt with.
        let ending = insert(tx, due(project, 60, Some(60)))?.id;
        let listed = ids(&tx.list_due_silences(timestamp(299), 10)?);
        assert_eq!(listed, [ending, early]);
        let listed = ids(&tx.list_due_silences(timestamp(300), 10)?);
        assert_eq!(listed, [ending, early, late]);
        let listed = ids(&tx.list_due_silences(timestamp(300), 1)?);
        assert_eq!(listed, [ending]);
        assert_eq!(tx.delete_silences_before(timestamp(50), 10)?, 0);
        assert_eq!(tx.delete_silences_before(timestamp(101), 1)?, 1);
        assert_eq!(
            tx.find_silence(other, older)?,
            None,
            "the oldest goes first"
        );
        assert_eq!(tx.delete_silences_before(timestamp(101), 10)?, 1);
        assert_eq!(tx.find_silence(project, over)?, None);
        let left = tx.list_silences(&[project, other], Timestamp::MIN, 10)?;
        assert_eq!(left.len(), 3, "{left:?}");
        Ok(())
    });
    done.wait().unwrap();
}
