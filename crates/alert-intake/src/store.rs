//! Repository traits of alerts.
//!
//! The methods that intake uses take many rows at once, because one transaction stores the alerts of many requests.
//! Adapters with multi-row statements use them; others loop.

mod incidents;
mod silences;

use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, ReceiptId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, Total};
use api_conventions::time::Timestamp;
use storage::StoreError;

pub use incidents::{
    IncidentQueries, IncidentQueriesWrapper, IncidentReadTx, IncidentRepository,
    IncidentRepositoryWrapper, IncidentStore, IncidentWriteTx,
};
pub use silences::{
    SilenceQueries, SilenceQueriesWrapper, SilenceReadTx, SilenceRepository,
    SilenceRepositoryWrapper, SilenceStore, SilenceWriteTx,
};

use crate::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertProgress, AlertRevision, AlertSummary,
    ContentDigest, Heartbeat, IdempotencyRecord, Integration, IntegrationChange, KnownAlert,
    NewAlert, NewIntegration, NewReceipt, OldestResolved, OpenAlertCounts, OpenAlertFilter,
    Receipt, StatusChange, TriageChange,
};
use crate::search::SearchPart;

/// Queries for alerts, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
/// Methods with other errors document them.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait AlertQueries {
    /// Returns the alert with this number in this project, with its payload.
    fn find_alert(
        &mut self,
        project: ProjectId,
        iid: AlertIid,
    ) -> Result<Option<Alert>, StoreError>;

    /// Lists the responses kept under these keys of endpoints, of any age. Keys without a response are left out; the
    /// order does not matter. `keys` has no duplicates.
    fn list_idempotency_records(
        &mut self,
        keys: &[(IntegrationId, ContentDigest)],
    ) -> Result<Vec<IdempotencyRecord>, StoreError>;

    /// Lists one page of a project's alerts. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows, and may be
    /// [`Uncounted`](api_conventions::page::Total::Uncounted) in a search.
    ///
    /// An adapter may limit the rows that it examines for one page of a search. If it stops early, the page has the
    /// alerts found so far, and its total is [`Unfinished`](api_conventions::page::Total::Unfinished) with the
    /// [position](crate::model::AlertOrder::position) up to which the list was examined; continue from there with
    /// [`AlertFilter::after`]. Lists without a search are never cut short, whatever their order.
    fn list_alerts(
        &mut self,
        filter: &AlertFilter,
        page: OffsetPage,
    ) -> Result<Page<AlertSummary>, StoreError>;

    /// Counts the alerts that match a filter, up to
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT). The search and the position of the filter are
    /// ignored.
    fn count_alerts(&mut self, filter: &AlertFilter) -> Result<Total, StoreError>;

    /// Lists one keyset page of the alerts that match a filter, in the order of storage and the direction of the page:
    /// those after `beyond`, or from the first one. The search, the order and the position of the filter are ignored.
    fn list_alerts_after(
        &mut self,
        filter: &AlertFilter,
        beyond: Option<AlertIid>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<AlertSummary>, StoreError>;

    /// Lists the first open alerts that match a filter, at most `limit`, in the order of their
    /// [positions](crate::model::OpenAlertPosition).
    /// The cost depends on the number of projects, but not on the number of their alerts. This query checks no access.
    fn list_open_alerts(
        &mut self,
        filter: &OpenAlertFilter,
        limit: usize,
    ) -> Result<Vec<AlertSummary>, StoreError>;

    /// Lists the environment names of the open alerts of a project, triggered or acknowledged, that are greater than
    /// `after`, each once and in the order of their bytes, at most `limit`. The cost depends on the number of names, but
    /// not on the number of alerts.
    fn list_alert_environments(
        &mut self,
        project: ProjectId,
        after: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError>;

    /// Counts the open alerts of environments, each named with its project, by severity. Returns the counts in the
    /// order of the environments. Names are compared exactly.
    fn count_open_alerts(
        &mut self,
        environments: &[(ProjectId, String)],
    ) -> Result<Vec<OpenAlertCounts>, StoreError>;

    /// Returns the age of the resolved alerts of the next project with alerts: the one with the lowest id above
    /// `beyond`, or with the lowest id of all.
    fn find_oldest_resolved(
        &mut self,
        beyond: Option<ProjectId>,
    ) -> Result<Option<OldestResolved>, StoreError>;

    /// Lists the resolved alerts of a project whose last change was before this time, at most `limit`.
    fn list_resolved_before(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<Vec<AlertId>, StoreError>;

    /// Returns the first receipt of the next project with receipts: the one with the lowest id above `beyond`, or with
    /// the lowest id of all.
    fn find_oldest_receipt(
        &mut self,
        beyond: Option<ProjectId>,
    ) -> Result<Option<Receipt>, StoreError>;

    /// Returns the endpoint of a project with this identifier, active or not.
    fn find_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
    ) -> Result<Option<Integration>, StoreError>;

    /// Lists the heartbeats of the endpoints of a project, in any order. Endpoints without a sign of life are left out.
    fn list_heartbeats(&mut self, project: ProjectId) -> Result<Vec<Heartbeat>, StoreError>;

    /// Lists the heartbeats that are due at `now` or before, those due first, at most `limit`.
    fn list_due_heartbeats(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Heartbeat>, StoreError>;

    /// Lists the endpoints of a project in the order of their identifiers, at most `limit`.
    fn list_integrations(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<Vec<Integration>, StoreError>;

    /// Lists one page of a project's receipts, newest first. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    fn list_receipts(
        &mut self,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<Receipt>, StoreError>;

    /// Lists one keyset page of a project's receipts: those after `beyond` in the direction of the page, or from the
    /// first row.
    fn list_receipts_after(
        &mut self,
        project: ProjectId,
        beyond: Option<ReceiptId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<Receipt>, StoreError>;

    /// Returns a receipt of a project.
    fn find_receipt(
        &mut self,
        project: ProjectId,
        id: ReceiptId,
    ) -> Result<Option<Receipt>, StoreError>;

    /// Builds the index of the next alerts that are stored but not yet indexed for searches, to pass to
    /// [`AlertRepository::insert_search_part`]. Returns `None` if at most an incomplete [`PART`](crate::search::PART)
    /// of each project is left, and no resolved alert with texts that changed after they were indexed. An adapter that searches by other means always returns `None`.
    fn find_search_part(&mut self) -> Result<Option<SearchPart>, StoreError>;
}

/// Outcome of a status change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetStatus {
    /// The alert has the new status.
    Changed,
    /// There is no such alert.
    NotFound,
    /// The alert cannot be reopened, because another open alert has its identity. Nothing was written.
    IdentityOpen(AlertIid),
}

/// Outcome of inserting an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertIntegration {
    /// Endpoint inserted, with this id.
    Inserted(IntegrationId),
    /// The project already has an endpoint with this identifier. Nothing was written.
    IdentifierTaken,
}

/// Writes to alerts, endpoints and receipts.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// Methods with other errors document them.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(
    revokes(update_integration, delete_integration),
    keeps(
        lock_alerts,
        list_latest_by_identity,
        reserve_alert_numbers,
        insert_alerts,
        advance_alerts,
        revise_alerts,
        set_alert_status,
        set_alert_triage,
        unassign_alerts_of,
        insert_receipts,
        list_refused_receipts,
        count_refusal,
        insert_search_part,
        put_idempotency_records,
        delete_idempotency_records,
        delete_alerts_of,
        delete_resolved_alerts,
        delete_unused_search_parts,
        delete_receipts_before,
        put_heartbeat,
        postpone_heartbeats,
        delete_heartbeat,
        insert_integration
    )
)]
pub trait AlertRepository: AlertQueries {
    /// Locks the alerts of these projects against changes by other transactions until this one ends.
    ///
    /// Intake reads existing alerts, decides, and writes; the lock makes these steps atomic. `projects` has no
    /// duplicates; an adapter locks them in id order, so that transactions cannot deadlock. An adapter that serializes
    /// write transactions has nothing to do.
    fn lock_alerts(&mut self, projects: &[ProjectId]) -> Result<(), StoreError>;

    /// Returns for each identity the alert to apply a delivery to: the open one, else the one stored last. Identities
    /// without an alert are left out; the order does not matter.
    fn list_latest_by_identity(
        &mut self,
        identities: &[(ProjectId, AlertIdentity)],
    ) -> Result<Vec<KnownAlert>, StoreError>;

    /// Reserves numbers for new alerts: for each project the given number of ids, and as many iids following the last
    /// reserved one. `new_alerts` has no duplicates and no zeros. Two transactions never get the same number.
    fn reserve_alert_numbers(
        &mut self,
        new_alerts: &[(ProjectId, i64)],
    ) -> Result<Vec<AlertNumbers>, StoreError>;

    /// Inserts alerts.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) if an existing open alert has the identity of an open one
    /// among them, or any existing alert has the id or number of one of them.
    fn insert_alerts(&mut self, alerts: &[NewAlert]) -> Result<(), StoreError>;

    /// Updates existing alerts with the progress from deliveries. Each alert occurs at most once.
    ///
    /// If the clock stepped back, the counts, the last start and the end are stored as given, even where they are
    /// earlier than the stored ones. Only the time of the last change never goes back.
    fn advance_alerts(&mut self, progress: &[AlertProgress]) -> Result<(), StoreError>;

    /// Sets the newest reports of existing alerts, whose first payloads stay. Each alert occurs at most once. Searches
    /// find the new texts at once, and no longer the old ones.
    fn revise_alerts(&mut self, revisions: &[AlertRevision]) -> Result<(), StoreError>;

    /// Sets an alert's status manually. Leaving resolved clears the end.
    ///
    /// If the clock stepped back, the change still takes effect, and the end is stored as given, even if it is earlier
    /// than the start. An alert with a later time of last change keeps that time.
    fn set_alert_status(&mut self, change: &StatusChange) -> Result<SetStatus, StoreError>;

    /// Sets the severity and the assignee of an alert manually. Returns `false` if there is no such alert.
    ///
    /// An alert with a later time of last change keeps that time.
    fn set_alert_triage(&mut self, change: &TriageChange) -> Result<bool, StoreError>;

    /// Removes the assignee of at most `limit` alerts of a user who is deleted. Returns how many were changed.
    fn unassign_alerts_of(&mut self, assignee: UserId, limit: usize) -> Result<usize, StoreError>;

    /// Inserts receipts.
    fn insert_receipts(&mut self, receipts: &[NewReceipt]) -> Result<(), StoreError>;

    /// Lists the receipts of POSTs to an endpoint that were refused after `since`, newest first, up to `limit`.
    fn list_refused_receipts(
        &mut self,
        endpoint: IntegrationId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<ReceiptId>, StoreError>;

    /// Counts one more refusal in the receipt of a refused POST. Does nothing to the receipt of a stored POST or of
    /// another project.
    fn count_refusal(&mut self, project: ProjectId, receipt: ReceiptId) -> Result<(), StoreError>;

    /// Stores the index built by [`AlertQueries::find_search_part`], or adds it to that of a part that is indexed already,
    /// if it is about [revised](SearchPart::revised) alerts. Search results are the same before and after.
    /// Returns `false` if it was not stored because another process indexed the same alerts in the meantime.
    fn insert_search_part(&mut self, part: &SearchPart) -> Result<bool, StoreError>;

    /// Stores responses under their keys and replaces existing ones. No two have the same key of the same endpoint.
    fn put_idempotency_records(&mut self, answers: &[IdempotencyRecord]) -> Result<(), StoreError>;

    /// Deletes at most `limit` responses to POSTs received before this time, and returns how many.
    fn delete_idempotency_records(
        &mut self,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` rows of a project that is being deleted: alerts first, then receipts, the search index,
    /// and endpoints with their heartbeats and the responses kept for retries. Returns how many were deleted; 0 if none were left.
    fn delete_alerts_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError>;

    /// Deletes those of these alerts of a project that are resolved, and returns how many. The caller has locked the
    /// alerts of the project and deleted what refers to them. Searches find the same other alerts as before.
    fn delete_resolved_alerts(
        &mut self,
        project: ProjectId,
        ids: &[AlertId],
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` rows of the search index of a project that are about deleted alerts only, and returns how
    /// many. Fewer than `limit` are the last.
    fn delete_unused_search_parts(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Examines the first `limit` receipts of a project in the order of their arrival, deletes those of POSTs received
    /// before this time, and returns how many.
    fn delete_receipts_before(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Stores the heartbeat of an endpoint and replaces an existing one.
    fn put_heartbeat(&mut self, heartbeat: &Heartbeat) -> Result<(), StoreError>;

    /// Gives every heartbeat its whole [patience](Heartbeat::patience) from `start` on, unless it is due later or reported
    /// as missing.
    fn postpone_heartbeats(&mut self, start: Timestamp) -> Result<(), StoreError>;

    /// Deletes the heartbeat of an endpoint of a project, if there is one.
    fn delete_heartbeat(
        &mut self,
        project: ProjectId,
        endpoint: IntegrationId,
    ) -> Result<(), StoreError>;

    /// Inserts an endpoint unless its identifier is taken in the project.
    fn insert_integration(
        &mut self,
        integration: &NewIntegration,
    ) -> Result<InsertIntegration, StoreError>;

    /// Updates the endpoint of a project with this identifier and returns the updated one; `None` if there is none.
    fn update_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
        change: IntegrationChange,
    ) -> Result<Option<Integration>, StoreError>;

    /// Deletes the endpoint of a project with this identifier, and its heartbeat. Its alerts, its receipts and the responses kept for retries
    /// stay. Returns `false` if there is none.
    fn delete_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
    ) -> Result<bool, StoreError>;
}

storage::dyn_store! {
    /// A store of alerts, endpoints and receipts, for use behind `dyn`. Every [`Store`](storage::Store) whose
    /// transactions have these repository traits implements it.
    pub trait AlertStore {
        /// Transaction that a read closure of an [`AlertStore`] gets.
        type Read: AlertReadTx = AlertQueries;
        /// Transaction that a write closure of an [`AlertStore`] gets.
        type Write: AlertWriteTx = AlertRepository;
    }
}
