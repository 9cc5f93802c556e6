//! Alerts and the feed.

use accounts::Revoked;
use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertProgress, AlertSummary, ContentDigest,
    Integration, IntegrationChange, KeptAnswer, KnownAlert, NewAlert, NewIntegration, NewReceipt,
    Receipt, StatusChange,
};
use alert_intake::search::SearchPart;
use alert_intake::store::{AlertQueries, AlertRepository, InsertIntegration, SetStatus};
use api_conventions::ids::{AlertIid, IntegrationId, ProjectId, ReceiptId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::time::Timestamp;
use events::{
    Audience, AuthorFilter, AuthoredEvent, Event, EventFilter, EventQueries, EventRepository,
    NewEvent, TargetType,
};
use storage::StoreError;

#[cfg(test)]
use super::Looking;
use super::{End, Recording, ends_of, nothing, recorded};

recorded! {
    queries AlertQueries {
        fn find_alert(project: ProjectId, iid: AlertIid) -> Option<Alert>;
        fn list_alerts(filter: &AlertFilter, page: OffsetPage) -> Page<AlertSummary>;
        fn find_integration(project: ProjectId, endpoint_identifier: &str) -> Option<Integration>;
        fn list_receipts(project: ProjectId, page: OffsetPage) -> Page<Receipt>;
        fn list_receipts_after(
            project: ProjectId, beyond: Option<ReceiptId>, page: KeysetPage
        ) -> Stretch<Receipt>;
        fn find_receipt(project: ProjectId, id: ReceiptId) -> Option<Receipt>;
        fn find_search_part() -> Option<SearchPart>;
    }
    queries EventQueries {
        fn list_project_events(filter: &EventFilter, page: OffsetPage) -> Page<Event>;
        fn list_author_events(filter: &AuthorFilter, limit: usize) -> Vec<AuthoredEvent>;
    }
    changes AlertRepository {
        fn delete_alerts_of(project: ProjectId, limit: usize) -> usize, ends nothing;
        fn lock_alerts(projects: &[ProjectId]) -> (), ends nothing;
        fn list_latest_by_identity(identities: &[(ProjectId, AlertIdentity)]) -> Vec<KnownAlert>,
            ends nothing;
        fn reserve_alert_numbers(wanted: &[(ProjectId, i64)]) -> Vec<AlertNumbers>, ends nothing;
        fn insert_alerts(alerts: &[NewAlert]) -> (), ends nothing;
        fn advance_alerts(progress: &[AlertProgress]) -> (), ends nothing;
        fn set_alert_status(change: &StatusChange) -> SetStatus, ends nothing;
        fn insert_receipts(receipts: &[NewReceipt]) -> (), ends nothing;
        fn list_refused_receipts(endpoint: IntegrationId, since: Timestamp, limit: usize) -> Vec<ReceiptId>, ends nothing;
        fn count_refusal(project: ProjectId, receipt: ReceiptId) -> (), ends nothing;
        fn insert_search_part(part: &SearchPart) -> bool, ends nothing;
        fn list_kept_answers(keys: &[(IntegrationId, ContentDigest)]) -> Vec<KeptAnswer>,
            ends nothing;
        fn put_kept_answers(answers: &[KeptAnswer]) -> (), ends nothing;
        fn delete_kept_answers(before: Timestamp, limit: usize) -> usize, ends nothing;
        fn insert_integration(integration: &NewIntegration) -> InsertIntegration, ends nothing;
        fn update_integration(
            project: ProjectId, endpoint_identifier: &str, change: IntegrationChange,
        ) -> Option<Integration>, ends |found| {
            found.as_ref().map(|found| End::Everywhere(Revoked::Endpoint(found.id)))
        };
    }
    changes EventRepository {
        fn delete_events_of(project: ProjectId, limit: usize) -> usize, ends nothing;
        fn insert_events(events: &[NewEvent]) -> (), ends nothing;
        fn move_events(project: ProjectId, kind: TargetType, ids: &[i64], to: Audience) -> (), ends nothing;
    }
}
