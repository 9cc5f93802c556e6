//! Silences one by one, and their end with their project.

use alert_intake::model::{AlertExpiry, AlertIdentity, NewSilence, Silence};
use api_conventions::ids::{IntegrationId, SilenceId};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{insert, silence};
use crate::areas::{AreaHarness, Silences};
use crate::samples::timestamp;

pub(super) fn l86_a_silence_is_found_in_its_project_and_keeps_its_matchers(
    harness: &mut AreaHarness<Silences>,
) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        let first = insert(tx, silence(project, 100))?;
        let second = insert(tx, silence(project, 200))?;
        assert!(second.id > first.id, "{second:?}");
        assert_eq!(tx.find_silence(project, first.id)?, Some(first.clone()));
        assert_eq!(tx.find_silence(other, first.id)?, None);
        let unknown = SilenceId::new(second.id.get() + 1);
        assert_eq!(tx.find_silence(project, unknown)?, None);
        let changed = Silence {
            id: first.id,
            content: NewSilence {
                starts_at: timestamp(1),
                ends_at: timestamp(2),
                created_by: "rita".to_owned(),
                comment: String::new(),
                updated_at: timestamp(3),
                due_at: None,
                matchers: Vec::new(),
                ..first.content.clone()
            },
        };
        assert!(tx.update_silence(&changed)?);
        let expected = Silence {
            id: first.id,
            content: NewSilence {
                matchers: first.content.matchers,
                ..changed.content.clone()
            },
        };
        assert_eq!(tx.find_silence(project, first.id)?, Some(expected));
        assert_eq!(tx.find_silence(project, second.id)?, Some(second));
        let mut moved = changed.clone();
        moved.content.project_id = other;
        assert!(!tx.update_silence(&moved)?, "it has another project");
        let missing = Silence {
            id: unknown,
            ..changed
        };
        assert!(!tx.update_silence(&missing)?);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn l100_silences_and_expiries_are_deleted_with_their_project(
    harness: &mut AreaHarness<Silences>,
) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        let kept = insert(tx, silence(other, 100))?;
        for place in [project, other] {
            let expiries = [1, 2, 3].map(|number| AlertExpiry {
                project_id: place,
                identity: AlertIdentity::from_bytes([number; 32]),
                integration_id: IntegrationId::new(1),
                expires_at: timestamp(5),
            });
            tx.put_expiries(&expiries)?;
        }
        for _ in 0..2 {
            insert(tx, silence(project, 100))?;
        }
        let counts = [4, 4, 4].map(|limit| tx.delete_silences_of(project, limit));
        let counts = counts.into_iter().collect::<Result<Vec<usize>, _>>()?;
        assert_eq!(counts, [4, 1, 0]);
        let silences = tx.list_silences(&[project, other], Timestamp::MIN, 10)?;
        assert_eq!(silences, [kept]);
        let expiries = tx.list_due_expiries(timestamp(5), 10)?;
        assert_eq!(expiries.len(), 3, "{expiries:?}");
        assert!(expiries.iter().all(|expiry| expiry.project_id == other));
        Ok(())
    });
    done.wait().unwrap();
}
