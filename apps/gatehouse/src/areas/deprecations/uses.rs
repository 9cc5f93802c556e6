//! Who still uses what will go, and until when it works.

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

/// How many uses of one user are shown, the last used first.
pub(super) const OF_USER: usize = 100;

/// How many holders of one record are shown, the last used first. The others are in the sum.
const OF_RECORD: usize = 10;

/// What was used, with what, and when.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UseJson {
    /// The name of the record.
    record: String,
    /// What the record is about, in a line of Markdown.
    title: String,
    /// The first release without it, a version of the API such as `v5`, or `undated`.
    removal: Option<String>,
    /// The last day before that release.
    works_until: Option<CalendarDate>,
    /// The user; null for those of whom no more is known than that they used it.
    user_id: Option<i64>,
    /// What the user used it with: `session`, `token`, `application` or `others`.
    holder: &'static str,
    /// The number of the token or of the application.
    holder_id: Option<i64>,
    /// The name of the token or of the application, where it is still there.
    holder_name: Option<String>,
    /// How many requests used it.
    uses: u64,
    /// When the first of them came.
    first_at: Timestamp,
    /// When the last of them came.
    last_at: Timestamp,
}

/// By whom a record is used.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecordUsesJson {
    /// The name of the record.
    record: String,
    /// What the record is about, in a line of Markdown.
    title: String,
    /// The first release without it, a version of the API such as `v5`, or `undated`.
    removal: Option<String>,
    /// The last day before that release.
    works_until: Option<CalendarDate>,
    /// How many users, tokens and applications used it within 90 days; null for more than 10,000.
    holders: Option<usize>,
    /// How many requests of theirs used it.
    uses: u64,
    /// When the last of them came.
    last_at: Timestamp,
    /// The last ten of them.
    last: Vec<UseJson>,
}

/// The uses of one record.
pub(super) struct RecordUses {
    pub(super) record: &'static Record,
    pub(super) sum: UseSum,
    pub(super) last: Vec<NamedUse>,
    /// The users of these uses that are still there.
    pub(super) users: Vec<User>,
}

/// What a user used.
///
/// # Errors
/// Failures of the store.
pub(super) fn of_user(
    tx: &mut dyn ReadTransaction,
    user: UserId,
) -> Result<Vec<NamedUse>, StoreError> {
    report_of_user(tx, user, OF_USER)
}

/// What is used of all that goes and that the server enforces, what goes first first.
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

/// The last day on which what a record is about works, where its removal has a day.
pub(super) fn works_until(record: &Record) -> Option<CalendarDate> {
    let Some(Milestone::Release(release)) = record.removal() else {
        return None;
    };
    let day = calendar::last_day_before(release)?;
    CalendarDate::parse(&day.to_string())
}

/// The word for a holder, and its number.
pub(super) fn holder(holder: Holder) -> (&'static str, Option<i64>) {
    match holder {
        Holder::Session => ("session", None),
        Holder::Token(id) => ("token", Some(id.get())),
        Holder::Application(id) => ("application", Some(id.get())),
        Holder::Others => ("others", None),
    }
}

impl UseJson {
    /// The JSON of a use. The record may be of an older program, whose schedule had it.
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
