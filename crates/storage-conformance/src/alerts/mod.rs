//! `L`: promises of a store about alerts, their endpoints and their receipts.

mod deletion;
mod endpoints;
mod entities;
mod environments;
mod filters;
mod heartbeats;
mod idempotency;
mod intake;
mod lists;
mod open;
mod refused;
mod retention;
mod revisions;
mod status;
mod triage;

pub use entities::{Endpoint, StoredAlert, StoredReceipt};

use alert_intake::model::{
    Alert, AlertIdentity, AlertStatus, AlertSummary, NewAlert, NewReceipt, ReceiptCounts,
    ReportDigest, SenderContext, Severity, Source, Start,
};
use alert_intake::store::AlertRepository;
use api_conventions::ids::{AlertIid, IntegrationId, ProjectId};
use storage::StoreError;

use crate::areas::Alerts;
use crate::samples::timestamp;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `alert-intake`.
    alerts_suite = alerts::cases for Alerts;
    intake {
        l02_absence_is_none,
        l03_numbers_follow_each_other_without_a_gap,
        l04_racing_transactions_never_get_the_same_number,
        l05_a_refused_write_uses_up_no_number,
        l06_an_identity_has_at_most_one_open_alert_per_project,
        l07_the_latest_of_an_identity_is_the_open_one_or_the_last,
        l08_deliveries_add_to_the_counts_of_an_alert_and_set_its_last_start,
        l09_thousands_are_written_at_once,
        l10_concurrent_deliveries_of_one_identity_create_one_alert,
        l12_the_numbers_of_an_alert_are_its_own,
    }
    status {
        l20_a_status_is_set_by_hand,
        l21_an_alert_that_is_unknown_is_not_found,
        l22_an_alert_is_not_opened_beside_an_open_one_of_its_identity,
        l23_an_alert_resolved_by_hand_keeps_its_end,
        l24_a_manual_status_change_applies_after_the_clock_is_set_back,
        l25_deliveries_apply_after_the_clock_is_set_back,
    }
    lists {
        l31_each_filter_holds,
        l32_search_is_for_text_in_any_case_and_has_no_wildcards,
        l33_every_order_breaks_ties_by_number,
        l36_a_search_finds_the_same_alerts_before_and_after_indexing,
        l37_a_list_goes_on_behind_a_position,
    }
    endpoints {
        l41_an_identifier_is_unique_in_its_project,
        l44_rows_outlive_the_store needs Durable,
        l48_a_change_of_an_endpoint_leaves_the_rest_of_it,
        l49_endpoints_of_a_project_are_listed_and_deleted_one_by_one,
    }
    idempotency {
        l50_an_idempotency_record_reads_back_as_written,
        l51_an_endpoint_has_only_the_last_idempotency_record_of_each_key,
        l52_idempotency_records_before_a_given_time_are_deleted_up_to_a_limit,
    }
    refused {
        l60_a_receipt_is_found_in_its_project_only,
        l61_receipts_are_walked_in_both_directions,
        l62_refused_receipts_of_an_endpoint_are_listed_latest_first,
        l63_a_refusal_is_counted_in_its_receipt_alone,
    }
    open {
        l70_the_open_alerts_of_a_set_of_projects_are_listed_the_most_severe_first,
    }
    triage {
        l71_severity_and_assignee_are_set_by_hand,
        l72_a_deleted_user_is_unassigned_up_to_a_limit,
        l76_an_alert_that_a_user_resolved_is_marked_until_its_sender_reports_the_end,
    }
    revisions {
        l77_the_newest_report_replaces_the_content_of_an_alert_but_not_its_first_payload,
        l78_flaps_are_added_and_the_last_delivery_sets_when_an_alert_becomes_stale,
        l79_a_search_finds_the_newest_texts_before_and_after_they_are_indexed,
    }
    filters {
        l73_the_most_urgent_alert_is_the_open_and_severe_one_that_was_stored_first,
        l74_alerts_are_listed_by_assignee_and_by_environment,
        l75_a_keyset_page_goes_on_behind_a_number_in_both_directions,
    }
    environments {
        l90_alerts_are_listed_by_the_exact_name_of_their_environment,
        l91_environments_of_open_alerts_are_listed_in_the_order_of_their_bytes,
        l92_open_alerts_of_environments_are_counted_by_severity,
    }
    retention {
        l93_resolved_alerts_are_deleted_by_the_time_of_their_last_change,
        l94_a_search_is_right_after_alerts_of_a_part_are_deleted,
        l95_old_receipts_are_deleted_in_the_order_of_their_arrival,
    }
    heartbeats {
        l96_heartbeats_are_listed_when_they_are_due,
        l97_heartbeats_end_with_their_endpoint_and_their_project,
    }
    deletion {
        l64_a_project_that_goes_takes_its_alerts_step_by_step,
    }
    [StoredAlert] {
        l01_an_alert_comes_back_as_it_was_written = clauses::comes_back,
        l11_a_refused_write_leaves_no_alert = clauses::rollback,
        l30_a_list_holds_the_alerts_of_its_project = lists::isolation,
        l34_pages_hold_every_row_once = lists::pages,
        l35_totals_are_reported_up_to_ten_thousand = lists::counts,
    }
    [Endpoint] {
        l40_an_endpoint_comes_back_as_it_was_written = clauses::comes_back,
        l45_one_of_many_racing_endpoints_gets_the_identifier = clauses::unique,
        l47_an_endpoint_is_changed_in_its_project_only = clauses::changes,
    }
    [StoredReceipt] {
        l42_a_receipt_comes_back_as_it_was_written = clauses::comes_back,
        l43_receipts_are_listed_latest_first = lists::pages,
        l46_receipts_of_a_project_are_listed_and_no_others = lists::isolation,
    }
}

/// The identity with this number.
pub(crate) fn identity(number: u8) -> AlertIdentity {
    AlertIdentity::from_bytes([number; 32])
}

/// A triggered alert without reserved numbers.
pub(crate) fn alert(project_id: ProjectId, number: u8) -> NewAlert {
    let summary = AlertSummary {
        id: api_conventions::ids::AlertId::new(0),
        iid: AlertIid::new(0),
        project_id,
        integration_id: IntegrationId::new(1),
        source: Source::Generic,
        title: format!("Alert {number}"),
        description: String::new(),
        severity: Severity::Critical,
        status: AlertStatus::Triggered,
        service: String::new(),
        monitoring_tool: String::new(),
        hosts: Vec::new(),
        environment_name: None,
        assignee_id: None,
        started_at: timestamp(0),
        last_start: Start::stated(timestamp(0)),
        occurrences: 1,
        deliveries: 1,
        flaps: 0,
        stale_at: None,
        created_at: timestamp(0),
        updated_at: timestamp(0),
    };
    let payload = "{}".to_owned();
    let alert = Alert {
        summary,
        payload,
        latest_payload: None,
    };
    NewAlert {
        alert,
        identity: identity(number),
        report: ReportDigest::default(),
    }
}

/// Reserves numbers for alerts of one project, inserts them, and returns their numbers in the project.
pub(crate) fn insert(
    tx: &mut dyn AlertRepository,
    mut alerts: Vec<NewAlert>,
) -> Result<Vec<AlertIid>, StoreError> {
    let project = alerts[0].alert.summary.project_id;
    let count = i64::try_from(alerts.len()).unwrap();
    let numbers = tx.reserve_alert_numbers(&[(project, count)])?[0];
    let mut iids = Vec::new();
    for (offset, new) in (0..count).zip(&mut alerts) {
        let summary = &mut new.alert.summary;
        summary.id = api_conventions::ids::AlertId::new(numbers.first_id.get() + offset);
        summary.iid = AlertIid::new(numbers.first_iid.get() + offset);
        iids.push(summary.iid);
    }
    tx.insert_alerts(&alerts)?;
    Ok(iids)
}

/// A receipt of a POST with one new alert.
pub(crate) fn receipt(project_id: ProjectId, body_bytes: i64) -> NewReceipt {
    NewReceipt {
        project_id,
        integration_id: IntegrationId::new(1),
        received_at: timestamp(0),
        body_bytes,
        counts: ReceiptCounts {
            created: 1,
            ..ReceiptCounts::default()
        },
        context: SenderContext::default(),
        refusal: None,
    }
}
