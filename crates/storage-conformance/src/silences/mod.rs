//! `L`: promises of a store about silences, and about the times at which alerts expire. A store of alerts may serve them or
//! not.

mod alerts;
mod expiries;
mod listing;
mod rows;

use alert_intake::model::{LabelMatcher, NewSilence, Silence};
use alert_intake::store::SilenceWriteTx;
use api_conventions::ids::ProjectId;
use storage::StoreError;

use crate::areas::Silences;
use crate::samples::timestamp;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the silences of `alert-intake`.
    silences_suite = silences::cases for Silences;
    rows {
        l86_a_silence_is_found_in_its_project_and_keeps_its_matchers,
        l100_silences_and_expiries_are_deleted_with_their_project,
    }
    listing {
        l87_silences_of_projects_are_listed_with_the_last_end_first,
        l88_silences_are_listed_when_they_are_due_and_deleted_when_they_are_over,
    }
    expiries {
        l89_an_expiry_keeps_the_later_time,
        l98_expiries_are_listed_when_they_are_due_and_can_be_postponed,
    }
    alerts {
        l99_alerts_are_listed_by_id_with_their_payloads,
    }
}

/// Silence of a project that ends at this second, and is due then.
fn silence(project_id: ProjectId, ends_at: i64) -> NewSilence {
    let matcher = |name: &str, value: &str, is_regex, is_equal| LabelMatcher {
        name: name.to_owned(),
        value: value.to_owned(),
        is_regex,
        is_equal,
    };
    NewSilence {
        project_id,
        matchers: vec![
            matcher("alertname", "Disk \"full\"", false, true),
            matcher("inst\u{e4}nce", "web-\\d+|\u{1f4a5}", true, false),
        ],
        starts_at: timestamp(10),
        ends_at: timestamp(ends_at),
        created_by: "erin".to_owned(),
        comment: "Disks are exchanged".to_owned(),
        updated_at: timestamp(11),
        due_at: Some(timestamp(ends_at)),
    }
}

/// Inserts a silence, and returns it as stored.
fn insert(tx: &mut (dyn SilenceWriteTx + '_), content: NewSilence) -> Result<Silence, StoreError> {
    let id = tx.insert_silence(&content)?;
    Ok(Silence { id, content })
}
