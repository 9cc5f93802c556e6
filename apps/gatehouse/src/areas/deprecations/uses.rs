//! Uses of deprecated features, with the last day on which each feature works.

use accounts::User;
use api_conventions::ids::UserId;
use api_conventions::page::Total;
use api_conventions::time::{CalendarDate, Timestamp};
use deprecations::{Enforcement, Holder, Milestone, Record, Schedule, UseSum, calendar};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::deprecation_uses::{NamedUse, report_of_record, report_of_user};
use schemars::JsonSchema;
use serde::Serialize;
use storage::StoreError;

/// Uses shown of one user, the most recent first.
pub(super) const OF_USER: usize = 100;

/// Holders shown of one record, the most recent first.
/// The sum covers the others.
const OF_RECORD: usize = 10;

/// Use of a deprecated feature.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UseJson {
    /// Id of the record.
    record: String,
    /// Title of the record, as a line of Markdown.
    title: String,
    /// The first release without it, a version of the API such as `v5`, or `undated`.
    removal: Option<String>,
    /// The last day before that release.
    works_until: Option<CalendarDate>,
    /// User id; null for uses that are not attributed to a user.
    user_id: Option<i64>,
    /// Credential of the request: `session`, `token`, `application` or `others`.
    holder: &'static str,
    /// Id of the token or application.
    holder_id: Option<i64>,
    /// Name of the token or application, if it still exists.
    holder_name: Option<String>,
    /// Number of requests.
    uses: u64,
    /// Time of the first request.
    first_at: Timestamp,
    /// Time of the last request.
    last_at: Timestamp,
}

/// Uses of one record by all users.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecordUsesJson {
    /// Id of the record.
    record: String,
    /// Title of the record, as a line of Markdown.
    title: String,
    /// The first release without it, a version of the API such as `v5`, or `undated`.
    removal: Option<String>,
    /// The last day before that release.
    works_until: Option<CalendarDate>,
    /// Number of users, tokens and applications that used it within 90 days; null for more than 10,000.
    holders: Option<usize>,
    /// Number of their requests.
    uses: u64,
    /// Time of the last request.
    last_at: Timestamp,
    /// The ten most recent uses.
    last: Vec<UseJson>,
}

/// Uses of one record.
pub(super) struct RecordUses {
    pub(super) record: &'static Record,
    pub(super) sum: UseSum,
    pub(super) last: Vec<NamedUse>,
    /// Users of these uses who still have an account.
    pub(super) users: Vec<User>,
}

/// Lists the deprecated features that a user used.
///
/// # Errors
/// Failures of the store.
pub(super) fn of_user(
    tx: &mut dyn ReadTransaction,
    user: UserId,
) -> Result<Vec<NamedUse>, StoreError> {
    report_of_user(tx, user, OF_USER)
}

/// Lists the uses of all deprecations that the server enforces, the earliest removal first.
///
/// # Errors
/// Failures of the store.
pub(super) fn of_all(
    tx: &mut dyn ReadTransaction,
    schedule: &'static Schedule,
) -> Result<Vec<RecordUses>, StoreError> {
    let mut found = Vec::new();
    let records = schedule.deprecations().rev();
    for record in records.filter(|record| record.enforcement == Enforcement::Enforced) {
        let Some(sum) = tx.sum_uses_of_record(&record.id)? else {
            continue;
        };
        let last = report_of_record(tx, &record.id, OF_RECORD)?;
        let ids: Vec<UserId> = last.iter().filter_map(|one| one.of.key.user()).collect();
        let users = tx.list_users_by_id(&ids)?;
        found.push(RecordUses {
            record,
            sum,
            last,
            users,
        });
    }
    Ok(found)
}

/// Last day on which the feature of a record works, if its removal has a date.
pub(super) fn works_until(record: &Record) -> Option<CalendarDate> {
    let Some(Milestone::Release(release)) = record.removal() else {
        return None;
    };
    let day = calendar::last_day_before(release)?;
    CalendarDate::parse(&day.to_string())
}

/// Name and id of a holder.
pub(super) fn holder(holder: Holder) -> (&'static str, Option<i64>) {
    match holder {
        Holder::Session => ("session", None),
        Holder::Token(id) => ("token", Some(id.get())),
        Holder::Application(id) => ("application", Some(id.get())),
        Holder::Others => ("others", None),
    }
}

impl UseJson {
    /// Builds the JSON of a use.
    /// The record may be missing from the schedule, if an earlier version of the program stored the use.
    pub(super) fn new(named: NamedUse, schedule: &Schedule) -> Self {
        let (key, count) = (named.of.key, named.of.count);
        let record = schedule.find(key.record());
        let (holder, holder_id) = holder(key.holder());
        Self {
            record: key.record().to_owned(),
            title: record.map_or_else(String::new, |record| record.title.clone()),
            removal: record
                .and_then(Record::removal)
                .map(|removal| removal.to_string()),
            works_until: record.and_then(works_until),
            user_id: key.user().map(UserId::get),
            holder,
            holder_id,
            holder_name: named.holder_name,
            uses: count.uses,
            first_at: count.first_at,
            last_at: count.last_at,
        }
    }
}

impl RecordUsesJson {
    pub(super) fn new(uses: RecordUses, schedule: &Schedule) -> Self {
        let record = uses.record;
        let last = uses.last.into_iter();
        Self {
            record: record.id.clone(),
            title: record.title.clone(),
            removal: record.removal().map(|removal| removal.to_string()),
            works_until: works_until(record),
            holders: match uses.sum.holders {
                Total::Exact(count) => usize::try_from(count).ok(),
                Total::Beyond | Total::Uncounted | Total::Unfinished(_) => None,
            },
            uses: uses.sum.uses,
            last_at: uses.sum.last_at,
            last: last.map(|one| UseJson::new(one, schedule)).collect(),
        }
    }
}
