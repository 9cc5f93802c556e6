//! The alert, the endpoint and the receipt as entities.

use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertStatus, DeliveryRefusal, Integration,
    IntegrationChange, NewAlert, NewIntegration, NewReceipt, Receipt, ReceiptCounts, ReportDigest,
    SenderContext, SenderNetwork, Severity, Source, Start,
};
use alert_intake::store::InsertIntegration;
use api_conventions::ids::{AlertIid, IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::endpoints::endpoint;
use super::{alert, insert, receipt};
use crate::areas::Alerts;
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page};

/// An alert with every field set, and one at the other end of each range.
fn alert_edges(project: ProjectId) -> [NewAlert; 2] {
    let mut full = alert(project, 1);
    full.alert.payload = format!("{{\"text\":\"{}\"}}", "\u{1f525}".repeat(20_000));
    full.alert.latest_payload = Some(format!("[{HOSTILE:?}]"));
    full.report = ReportDigest::from_number(i64::MAX);
    let summary = &mut full.alert.summary;
    summary.flaps = i64::from(i32::MAX) + 3;
    summary.stale_at = Some(Timestamp::MAX);
    summary.integration_id = IntegrationId::new(i64::MAX);
    summary.source = Source::Metrics;
    summary.title = HOSTILE.to_owned();
    summary.description = HOSTILE.repeat(10);
    summary.severity = Severity::Unknown;
    summary.status = AlertStatus::Resolved {
        ended_at: Timestamp::MAX,
    };
    summary.service = HOSTILE.to_owned();
    summary.monitoring_tool = HOSTILE.to_owned();
    summary.hosts = vec![HOSTILE.to_owned(), String::new(), "[\"".to_owned()];
    summary.environment_name = Some(HOSTILE.to_owned());
    summary.started_at = Timestamp::MIN;
    summary.last_start = Start::stated(Timestamp::MAX);
    summary.occurrences = i64::from(i32::MAX) + 1;
    summary.deliveries = i64::from(i32::MAX) + 2;
    summary.created_at = Timestamp::MIN;
    summary.updated_at = Timestamp::MAX;
    let mut empty = alert(project, 2);
    empty.alert.payload = String::new();
    let summary = &mut empty.alert.summary;
    summary.title = String::new();
    summary.status = AlertStatus::Ignored;
    summary.last_start = Start::arrival(Timestamp::MIN);
    summary.environment_name = Some(String::new());
    [full, empty]
}

/// A different alert for each number.
fn numbered(project: ProjectId, number: u32) -> NewAlert {
    let mut identity = [0; 32];
    identity[..4].copy_from_slice(&number.to_be_bytes());
    NewAlert {
        identity: AlertIdentity::from_bytes(identity),
        ..alert(project, 0)
    }
}

/// Expected alert for `new`, with the numbers that were reserved on insertion.
fn with_numbers_of(found: &Alert, new: &NewAlert) -> Alert {
    let mut expected = new.alert.clone();
    (expected.summary.id, expected.summary.iid) = (found.summary.id, found.summary.iid);
    expected
}

entity! {
    /// An alert. Lists omit the payloads, which are all the same here.
    StoredAlert in Alerts, of ProjectId: NewAlert => Alert;
    owners: |harness| harness.places();
    key: |alert| -> AlertIid { alert.summary.iid }, unknown: AlertIid::new(i64::MAX);
    sample: |project, number| numbered(project, number);
    edges: |project| alert_edges(project).to_vec();
    insert: |tx, new| Ok(insert(tx, vec![new.clone()])?[0]);
    find: |tx, project, iid| tx.find_alert(project, *iid), by owner: true;
    expected: |new, found| with_numbers_of(found, new);
    list Descending: |tx, project, page| {
        let listed = tx.list_alerts(&AlertFilter::new(project), page)?;
        let payload = alert(project, 0).alert.payload;
        Ok(listed.map(|summary| Alert { summary, payload: payload.clone(), latest_payload: None }))
    };
    insert_many: |tx, new| insert(tx, new.to_vec()).map(drop);
}

entity! {
    /// An endpoint. It is looked up by its identifier.
    Endpoint in Alerts, of ProjectId: NewIntegration => Integration;
    owners: |harness| harness.places();
    key: |endpoint| -> String { endpoint.endpoint_identifier.clone() }, unknown: "unknown".to_owned();
    sample: |project, number| endpoint(project, &format!("endpoint-{number}"));
    edges: |project| vec![
        NewIntegration {
            created_at: Timestamp::MIN,
            ..endpoint(project, "legacy")
        },
        NewIntegration {
            source: Source::Metrics,
            name: HOSTILE.to_owned(),
            active: false,
            created_at: Timestamp::MAX,
            ..endpoint(project, "LEGACY")
        },
    ];
    insert: |tx, new| {
        tx.insert_integration(new)?;
        Ok(new.endpoint_identifier.clone())
    };
    find: |tx, project, identifier| tx.find_integration(project, identifier), by owner: true;
    expected: |new, found| Integration {
        id: found.id,
        project_id: new.project_id,
        source: new.source,
        name: new.name.clone(),
        endpoint_identifier: new.endpoint_identifier.clone(),
        active: new.active,
        key: new.key,
        retired_key: None,
        settings: new.settings.clone(),
        created_at: new.created_at,
    };
    change: |tx, project, identifier, number| {
        let key = IntegrationChange::Key { key: change(number), retired: None };
        Ok(tx.update_integration(project, identifier, key)?.is_some())
    };
    changed: |endpoint, number| Integration {
        key: change(number),
        ..endpoint.clone()
    };
    try_insert: |tx, new| Ok(match tx.insert_integration(new)? {
        InsertIntegration::Inserted(_) => Some(new.endpoint_identifier.clone()),
        InsertIntegration::IdentifierTaken => None,
    }), per owner: true;
    clashing: |project, number| NewIntegration {
        name: "Another".to_owned(),
        key: SecretDigest::of("another key"),
        ..Self::sample(project, number)
    };
}

/// A change with a value that depends on the number. The switch has a case of its own.
fn change(number: u32) -> SecretDigest {
    SecretDigest::of(&format!("key {number}"))
}

/// A receipt with every field set.
fn full_receipt(project: ProjectId) -> NewReceipt {
    NewReceipt {
        integration_id: IntegrationId::new(i64::MAX),
        received_at: Timestamp::MAX,
        counts: ReceiptCounts {
            created: 1,
            counted: 20,
            resolved: 300,
            repeated: 4000,
        },
        context: SenderContext {
            user_agent: Some(HOSTILE.to_owned()),
            group_key: Some(HOSTILE.to_owned()),
            truncated_alerts: i64::MAX,
            skipped_alerts: i64::MAX - 1,
            notes: vec![HOSTILE.to_owned(), String::new()],
        },
        refusal: Some(DeliveryRefusal {
            status: u16::MAX,
            reason: HOSTILE.to_owned(),
            body_start: Some(HOSTILE.to_owned()),
            sender: SenderNetwork::Private,
            further: i64::MAX,
        }),
        ..receipt(project, i64::MAX)
    }
}

entity! {
    /// The receipt of a POST. An insertion returns no id, so the length of the body identifies a receipt here.
    StoredReceipt in Alerts, of ProjectId: NewReceipt => Receipt;
    owners: |harness| harness.places();
    key: |receipt| -> i64 { receipt.receipt.body_bytes }, unknown: -1;
    sample: |project, number| receipt(project, i64::from(number));
    edges: |project| vec![full_receipt(project), receipt(project, 0)];
    insert: |tx, new| {
        tx.insert_receipts(&[])?;
        tx.insert_receipts(std::slice::from_ref(new))?;
        Ok(new.body_bytes)
    };
    find: |tx, project, bytes| {
        let listed = tx.list_receipts(project, page(1, 100))?.items;
        Ok(listed.into_iter().find(|one| one.receipt.body_bytes == *bytes))
    }, by owner: true;
    expected: |new, found| Receipt { id: found.id, receipt: new.clone() };
    list Descending: |tx, project, page| tx.list_receipts(project, page);
}
