//! Alerts with their payloads.

use api_conventions::ids::AlertId;
use storage::StoreExt as _;

use crate::alerts::{alert, insert};
use crate::areas::{AreaHarness, Silences};

pub(super) fn l99_alerts_are_listed_by_id_with_their_payloads(harness: &mut AreaHarness<Silences>) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        let new = (1..4).map(|number| alert(project, number)).collect();
        let numbers = insert(&mut *tx, new)?;
        let mut expected = Vec::new();
        for iid in numbers.into_iter().take(2) {
            expected.extend(tx.find_alert(project, iid)?);
        }
        let foreign = insert(&mut *tx, vec![alert(other, 1)])?;
        expected.extend(tx.find_alert(other, foreign[0])?);
        let mut ids: Vec<AlertId> = expected.iter().map(|one| one.summary.id).collect();
        ids.push(AlertId::new(i64::MAX));
        let mut listed = tx.list_alerts_with_payloads(&ids)?;
        listed.sort_by_key(|one| one.summary.id);
        expected.sort_by_key(|one| one.summary.id);
        assert_eq!(listed, expected);
        assert_eq!(listed.len(), 3);
        assert_eq!(tx.list_alerts_with_payloads(&[])?, []);
        Ok(())
    });
    done.wait().unwrap();
}
