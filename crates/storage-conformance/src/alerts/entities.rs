//! The alert, the endpoint and the receipt as entities.

use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertStatus, Integration, NewAlert, NewIntegration,
    NewReceipt, Receipt, ReceiptCounts, SenderContext, Severity, Source, Start,
};
use alert_intake::store::{AlertQueries, AlertRepository, InsertIntegration};
use api_conventions::ids::{AlertIid, IntegrationId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::endpoints::endpoint;
use super::{alert, insert, receipt};
use crate::Harness;
use crate::entity::{Entity, Listed, Serves, Unique};
use crate::samples::{HOSTILE, page};
use crate::store_traits::AlertArea;

/// An alert. Its numbers are reserved when it is inserted.
#[derive(Debug)]
pub struct StoredAlert;

/// One alert with everything set, and one at the other end of each range.
fn alert_edges(project: ProjectId) -> [NewAlert; 2] {
    let mut full = alert(project, 1);
    full.alert.payload = format!("{{\"text\":\"{}\"}}", "\u{1f525}".repeat(20_000));
    let summary = &mut full.alert.summary;
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

impl Entity for StoredAlert {
    type Area = AlertArea;
    type Owner = ProjectId;
    type New = NewAlert;
    type Row = Alert;
    type Key = AlertIid;

    const IS_FOUND_BY_OWNER: bool = true;

    fn owners<H: Harness>(harness: &H) -> [ProjectId; 2]
    where
        H::Store: Serves<AlertArea>,
    {
        harness.places()
    }

    fn sample(project: ProjectId, number: u32) -> NewAlert {
        let mut identity = [0; 32];
        identity[..4].copy_from_slice(&number.to_be_bytes());
        NewAlert {
            identity: AlertIdentity::from_bytes(identity),
            ..alert(project, 0)
        }
    }

    fn edges(project: ProjectId) -> Vec<NewAlert> {
        alert_edges(project).to_vec()
    }

    fn insert(tx: &mut (dyn AlertRepository + '_), new: &NewAlert) -> Result<AlertIid, StoreError> {
        Ok(insert(tx, vec![new.clone()])?[0])
    }

    fn find(
        tx: &mut (dyn AlertQueries + '_),
        project: ProjectId,
        iid: &AlertIid,
    ) -> Result<Option<Alert>, StoreError> {
        tx.find_alert(project, *iid)
    }

    fn expected(new: &NewAlert, found: &Alert) -> Alert {
        let mut wanted = new.alert.clone();
        (wanted.summary.id, wanted.summary.iid) = (found.summary.id, found.summary.iid);
        wanted
    }

    fn key(alert: &Alert) -> AlertIid {
        alert.summary.iid
    }

    fn unknown() -> AlertIid {
        AlertIid::new(i64::MAX)
    }
}

impl Listed for StoredAlert {
    const SORT: SortOrder = SortOrder::Descending;
    const IS_RANKED: bool = false;

    fn ranked(project: ProjectId, number: u32, _: u32) -> NewAlert {
        Self::sample(project, number)
    }

    /// A list does not tell the payloads, which are all the same here.
    fn list(
        tx: &mut (dyn AlertQueries + '_),
        project: ProjectId,
        asked: OffsetPage,
    ) -> Result<Page<Alert>, StoreError> {
        let listed = tx.list_alerts(&AlertFilter::new(project), asked)?;
        Ok(listed.map(|summary| Alert {
            summary,
            ..alert(project, 0).alert
        }))
    }

    fn insert_many(
        tx: &mut (dyn AlertRepository + '_),
        new: &[NewAlert],
    ) -> Result<(), StoreError> {
        insert(tx, new.to_vec())?;
        Ok(())
    }
}

/// An endpoint.
#[derive(Debug)]
pub struct Endpoint;

impl Entity for Endpoint {
    type Area = AlertArea;
    type Owner = ProjectId;
    type New = NewIntegration;
    type Row = Integration;
    type Key = String;

    const IS_FOUND_BY_OWNER: bool = true;

    fn owners<H: Harness>(harness: &H) -> [ProjectId; 2]
    where
        H::Store: Serves<AlertArea>,
    {
        harness.places()
    }

    fn sample(project: ProjectId, number: u32) -> NewIntegration {
        endpoint(project, &format!("endpoint-{number}"))
    }

    fn edges(project: ProjectId) -> Vec<NewIntegration> {
        let old = NewIntegration {
            created_at: Timestamp::MIN,
            ..endpoint(project, "legacy")
        };
        let inactive = NewIntegration {
            source: Source::Metrics,
            name: HOSTILE.to_owned(),
            active: false,
            created_at: Timestamp::MAX,
            ..endpoint(project, "LEGACY")
        };
        vec![old, inactive]
    }

    fn insert(
        tx: &mut (dyn AlertRepository + '_),
        new: &NewIntegration,
    ) -> Result<String, StoreError> {
        tx.insert_integration(new)?;
        Ok(new.endpoint_identifier.clone())
    }

    fn find(
        tx: &mut (dyn AlertQueries + '_),
        project: ProjectId,
        identifier: &String,
    ) -> Result<Option<Integration>, StoreError> {
        tx.find_integration(project, identifier)
    }

    fn expected(new: &NewIntegration, found: &Integration) -> Integration {
        Integration {
            id: found.id,
            project_id: new.project_id,
            source: new.source,
            name: new.name.clone(),
            endpoint_identifier: new.endpoint_identifier.clone(),
            active: new.active,
            key: new.key,
        }
    }

    fn key(endpoint: &Integration) -> String {
        endpoint.endpoint_identifier.clone()
    }

    fn unknown() -> String {
        "unknown".to_owned()
    }
}

impl Unique for Endpoint {
    const IS_PER_OWNER: bool = true;

    fn clashing(project: ProjectId, number: u32) -> NewIntegration {
        NewIntegration {
            name: "Another".to_owned(),
            key: SecretDigest::of("another key"),
            ..Self::sample(project, number)
        }
    }

    fn try_insert(
        tx: &mut (dyn AlertRepository + '_),
        new: &NewIntegration,
    ) -> Result<Option<String>, StoreError> {
        Ok(match tx.insert_integration(new)? {
            InsertIntegration::Inserted(_) => Some(new.endpoint_identifier.clone()),
            InsertIntegration::IdentifierTaken => None,
        })
    }
}

/// The receipt of a POST. Nothing finds one but the list, so it is known by the length of the body here.
#[derive(Debug)]
pub struct StoredReceipt;

impl Entity for StoredReceipt {
    type Area = AlertArea;
    type Owner = ProjectId;
    type New = NewReceipt;
    type Row = Receipt;
    type Key = i64;

    const IS_FOUND_BY_OWNER: bool = true;

    fn owners<H: Harness>(harness: &H) -> [ProjectId; 2]
    where
        H::Store: Serves<AlertArea>,
    {
        harness.places()
    }

    fn sample(project: ProjectId, number: u32) -> NewReceipt {
        receipt(project, i64::from(number))
    }

    fn edges(project: ProjectId) -> Vec<NewReceipt> {
        let mut full = receipt(project, i64::MAX);
        full.integration_id = IntegrationId::new(i64::MAX);
        full.received_at = Timestamp::MAX;
        full.counts = ReceiptCounts {
            created: 1,
            counted: 20,
            resolved: 300,
            repeated: 4000,
        };
        full.context = SenderContext {
            user_agent: Some(HOSTILE.to_owned()),
            group_key: Some(HOSTILE.to_owned()),
            truncated_alerts: i64::MAX,
            skipped_alerts: i64::MAX - 1,
            notes: vec![HOSTILE.to_owned(), String::new()],
        };
        vec![full, receipt(project, 0)]
    }

    fn insert(tx: &mut (dyn AlertRepository + '_), new: &NewReceipt) -> Result<i64, StoreError> {
        tx.insert_receipts(&[])?;
        tx.insert_receipts(std::slice::from_ref(new))?;
        Ok(new.body_bytes)
    }

    fn find(
        tx: &mut (dyn AlertQueries + '_),
        project: ProjectId,
        bytes: &i64,
    ) -> Result<Option<Receipt>, StoreError> {
        let listed = tx.list_receipts(project, page(1, 100))?.items;
        Ok(listed
            .into_iter()
            .find(|one| one.receipt.body_bytes == *bytes))
    }

    fn expected(new: &NewReceipt, found: &Receipt) -> Receipt {
        Receipt {
            id: found.id,
            receipt: new.clone(),
        }
    }

    fn key(receipt: &Receipt) -> i64 {
        receipt.receipt.body_bytes
    }

    fn unknown() -> i64 {
        -1
    }
}

impl Listed for StoredReceipt {
    const SORT: SortOrder = SortOrder::Descending;
    const IS_RANKED: bool = false;

    fn ranked(project: ProjectId, number: u32, _: u32) -> NewReceipt {
        Self::sample(project, number)
    }

    fn list(
        tx: &mut (dyn AlertQueries + '_),
        project: ProjectId,
        asked: OffsetPage,
    ) -> Result<Page<Receipt>, StoreError> {
        tx.list_receipts(project, asked)
    }

    fn insert_many(
        tx: &mut (dyn AlertRepository + '_),
        new: &[NewReceipt],
    ) -> Result<(), StoreError> {
        tx.insert_receipts(new)
    }
}
