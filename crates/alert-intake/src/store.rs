//! The repository traits of alerts.
//!
//! The methods that intake uses take many rows at once, because one transaction stores what many requests
//! brought. An adapter that has multi-row statements uses them; one that has none loops.

use api_conventions::ids::{AlertIid, IntegrationId, ProjectId, ReceiptId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertProgress, AlertSummary, ContentDigest,
    Integration, IntegrationChange, KeptAnswer, KnownAlert, NewAlert, NewIntegration, NewReceipt,
    Receipt, StatusChange,
};
use crate::search::SearchPart;

/// What a transaction of either kind can tell about alerts.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
/// A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait AlertQueries {
    /// The alert with this number in this project, with its payload.
    fn find_alert(
        &mut self,
        project: ProjectId,
        iid: AlertIid,
    ) -> Result<Option<Alert>, StoreError>;

    /// One page of a project's alerts. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows, and may be
    /// [`Uncounted`](api_conventions::page::Total::Uncounted) in a search.
    ///
    /// An adapter may limit the rows that it examines for one page of a search. A page that is not full then has what was found, and
    /// its total is [`Unfinished`](api_conventions::page::Total::Unfinished) with the
    /// [position](crate::model::AlertOrder::position) up to which the list was examined: the rest is behind it
    /// ([`AlertFilter::after`]). Lists without a search are never cut short, whatever their order.
    fn list_alerts(
        &mut self,
        filter: &AlertFilter,
        page: OffsetPage,
    ) -> Result<Page<AlertSummary>, StoreError>;

    /// The endpoint of a project with this identifier, active or not.
    fn find_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
    ) -> Result<Option<Integration>, StoreError>;

    /// One page of what a project's endpoints received, the latest first. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    fn list_receipts(
        &mut self,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<Receipt>, StoreError>;

    /// Returns the receipts of a project on one keyset page: beyond `beyond` in the direction of the page, or from its first
    /// row.
    fn list_receipts_after(
        &mut self,
        project: ProjectId,
        beyond: Option<ReceiptId>,
        page: KeysetPage,
    ) -> Result<Stretch<Receipt>, StoreError>;

    /// Finds a receipt of a project.
    fn find_receipt(
        &mut self,
        project: ProjectId,
        id: ReceiptId,
    ) -> Result<Option<Receipt>, StoreError>;

    /// The next alerts that are stored but not prepared for searches, prepared; `None` when all are, but for less
    /// than [`PART`](crate::search::PART) of a project. What it gives is for
    /// [`AlertRepository::insert_search_part`]. An adapter that searches by other means always says `None`.
    fn find_search_part(&mut self) -> Result<Option<SearchPart>, StoreError>;
}

/// What happened to a change of status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetStatus {
    /// The alert has the new status.
    Changed,
    /// There is no such alert.
    NotFound,
    /// The alert cannot be opened again, because another open alert has its identity. Nothing was written.
    IdentityOpen(AlertIid),
}

/// What happened to an endpoint that was to be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertIntegration {
    /// It is there, with this id.
    Inserted(IntegrationId),
    /// The project has an endpoint with this identifier. Nothing was written.
    IdentifierTaken,
}

/// What a write transaction can change about alerts.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(
    revokes(update_integration),
    keeps(
        lock_alerts,
        list_latest_by_identity,
        reserve_alert_numbers,
        insert_alerts,
        advance_alerts,
        set_alert_status,
        insert_receipts,
        list_refused_receipts,
        count_refusal,
        insert_search_part,
        list_kept_answers,
        put_kept_answers,
        delete_kept_answers,
        delete_alerts_of,
        insert_integration
    )
)]
pub trait AlertRepository: AlertQueries {
    /// Keeps other transactions from changing the alerts of these projects until this one ends.
    ///
    /// Intake reads what exists, decides, and writes; the lock is what makes that one step. `projects` has no
    /// repeats; an adapter locks them in the order of their ids, so that two transactions never wait for each
    /// other. An adapter whose write transactions run one after the other has nothing to do.
    fn lock_alerts(&mut self, projects: &[ProjectId]) -> Result<(), StoreError>;

    /// For each identity the alert to apply a delivery to: the open one, else the one stored last. Identities
    /// that no alert has are left out; the order does not matter.
    fn list_latest_by_identity(
        &mut self,
        identities: &[(ProjectId, AlertIdentity)],
    ) -> Result<Vec<KnownAlert>, StoreError>;

    /// Reserves numbers for new alerts: for each project so many ids, and so many iids that follow the last
    /// one given out. `wanted` has no repeats and no zero. Two transactions never get the same number.
    fn reserve_alert_numbers(
        &mut self,
        wanted: &[(ProjectId, i64)],
    ) -> Result<Vec<AlertNumbers>, StoreError>;

    /// Inserts alerts.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) when an open alert has the
    /// identity of an open one among them, or any alert the id or the number of one among them.
    fn insert_alerts(&mut self, alerts: &[NewAlert]) -> Result<(), StoreError>;

    /// Adds to alerts that exist. Each alert is there at most once.
    ///
    /// When the clock stepped back, the counts, the last start and an end are taken as they are given, also where they are
    /// earlier than what is stored. Only the time of the last change never goes back.
    fn advance_alerts(&mut self, progress: &[AlertProgress]) -> Result<(), StoreError>;

    /// Sets an alert's status by hand. Leaving resolved clears the end.
    ///
    /// When the clock stepped back, the change is made all the same, and an end is taken as it is given, also where it is
    /// earlier than the start. An alert that changed later already keeps that time as the time of its last change.
    fn set_alert_status(&mut self, change: &StatusChange) -> Result<SetStatus, StoreError>;

    /// Inserts receipts.
    fn insert_receipts(&mut self, receipts: &[NewReceipt]) -> Result<(), StoreError>;

    /// Lists the receipts of refused POSTs that came to an endpoint after `since`, the latest first, up to `limit`.
    fn list_refused_receipts(
        &mut self,
        endpoint: IntegrationId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<ReceiptId>, StoreError>;

    /// Counts one more refusal in the receipt of a refused POST. A receipt of a POST that was stored, or of another project,
    /// stays as it is.
    fn count_refusal(&mut self, project: ProjectId, receipt: ReceiptId) -> Result<(), StoreError>;

    /// Keeps what [`AlertQueries::find_search_part`] prepared. Searches find the same alerts before and after. Whether
    /// it was kept: another process may have prepared the same alerts in the meantime.
    fn insert_search_part(&mut self, part: &SearchPart) -> Result<bool, StoreError>;

    /// The answers that are kept under these keys of endpoints, however old. Keys under which none is kept are left
    /// out; the order does not matter. `keys` has no repeats.
    fn list_kept_answers(
        &mut self,
        keys: &[(IntegrationId, ContentDigest)],
    ) -> Result<Vec<KeptAnswer>, StoreError>;

    /// Keeps answers under their keys, in the place of any that are kept under them. No two have the same key of the
    /// same endpoint.
    fn put_kept_answers(&mut self, answers: &[KeptAnswer]) -> Result<(), StoreError>;

    /// Deletes answers to POSTs that came before this time, at most `limit`, and gives how many.
    fn delete_kept_answers(&mut self, before: Timestamp, limit: usize)
    -> Result<usize, StoreError>;

    /// Deletes at most `limit` rows of a project that goes: its alerts first, then their receipts, what is prepared for searches, and
    /// its endpoints with the answers that are kept for retries. Gives how many went; 0 when nothing was left.
    fn delete_alerts_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError>;

    /// Inserts an endpoint, unless its identifier is taken in its project.
    fn insert_integration(
        &mut self,
        integration: &NewIntegration,
    ) -> Result<InsertIntegration, StoreError>;

    /// Changes the endpoint of a project with this identifier, and gives it as it is then; `None` when there is none.
    fn update_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
        change: IntegrationChange,
    ) -> Result<Option<Integration>, StoreError>;
}

storage::dyn_store! {
    /// A store of alerts, endpoints and receipts, to be held behind `dyn`. Every [`Store`](storage::Store) is one whose
    /// transactions have these repository traits.
    pub trait AlertStore {
        /// What a read closure of an [`AlertStore`] gets.
        type Read: AlertReadTx = AlertQueries;
        /// What a write closure of an [`AlertStore`] gets.
        type Write: AlertWriteTx = AlertRepository;
    }
}
