//! What an edition answers and takes, for services that embed this crate and have what this server does not have: runners, merge
//! requests, releases, packages, jobs, approvals and a GraphQL API.
//!
//! A service builds each answer in one form only, the newest and complete one, and hands it to a [`Shaper`], which gives the form
//! of its edition. For a request it is the other way round: the shaper takes what a client of the edition sends, and gives it with
//! the newest names, so that a handler knows these only.
//!
//! ```
//! use api_conventions::release::Release;
//! use deprecations::shaping::Shaper;
//! use deprecations::{Edition, published};
//! use serde_json::json;
//!
//! let newest = json!({ "iid": 3, "merge_user": { "username": "ann" } });
//! let shaper = Shaper::new(published(), Edition::of(Release(15, 9)));
//! let answer = shaper.merge_request(newest.clone());
//! assert_eq!(answer["merged_by"], answer["merge_user"]);
//! let shaper = Shaper::new(published(), Edition::preview(Release::LATEST));
//! assert_eq!(shaper.merge_request(newest.clone()), newest);
//! ```
//!
//! # Invariants
//! * No release is written here. From when on something is gone, or there, is what the records of the schedule say; [`ids`] has
//!   their names. Where a schedule lacks a record, nothing goes.
//! * A field that is gone is absent, and not `null`. A deprecated one comes beside its replacement, with the same meaning.
//! * What a shaper does not know stays as it is. To shape an answer twice gives what shaping it once gives.
//! * Lists are shaped item by item; only a runner and a job, each of which has times of its own, are shaped one by one.

mod approval;
mod contact;
mod graphql;
pub mod ids;
mod job;
mod merge_request;
mod package;
mod release;
mod runner;

use serde_json::{Map, Value};

use crate::model::Edition;
use crate::schedule::Schedule;

pub use self::contact::{Contact, ContactStatus};
pub use self::runner::{LegacyMode, NoLegacyMode, RunnerFilter};

/// Gives answers and requests the form of one edition.
#[derive(Debug, Clone, Copy)]
pub struct Shaper<'s> {
    schedule: &'s Schedule,
    at: Edition,
}

impl<'s> Shaper<'s> {
    /// A shaper for an edition, by what a schedule says of it.
    pub const fn new(schedule: &'s Schedule, at: Edition) -> Self {
        Self { schedule, at }
    }

    /// The edition.
    pub const fn edition(&self) -> Edition {
        self.at
    }

    /// Whether the edition has what a record is about: it is not gone yet, or for what is introduced, it has come. What no record
    /// is about is there (specification, Versioning 4).
    pub fn has(&self, record: &str) -> bool {
        let record = self.schedule.find(record);
        record.is_none_or(|record| !record.counts(self.at))
    }
}

/// A name in JSON, and whether an edition has it.
#[derive(Debug, Clone, Copy)]
struct Name<'n> {
    name: &'n str,
    is_there: bool,
}

impl<'n> Name<'n> {
    const fn new(name: &'n str, is_there: bool) -> Self {
        Self { name, is_there }
    }

    /// A name that every edition has.
    const fn lasting(name: &'n str) -> Self {
        Self::new(name, true)
    }

    /// Writes a value under the name, or takes the name away where the edition does not have it.
    fn write(self, fields: &mut Map<String, Value>, value: Value) {
        if self.is_there {
            fields.insert(self.name.to_owned(), value);
        } else {
            fields.remove(self.name);
        }
    }
}

/// Changes an object, or every object of a list. Anything else stays as it is.
fn each(mut value: Value, change: &impl Fn(&mut Map<String, Value>)) -> Value {
    change_each(&mut value, change);
    value
}

fn change_each(value: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    match value {
        Value::Object(fields) => change(fields),
        Value::Array(items) => items.iter_mut().for_each(|item| change_each(item, change)),
        _ => {}
    }
}

/// Answers one value under both an old and a new name, as far as the edition has them. Where both are given, the new one wins.
fn answer_both(fields: &mut Map<String, Value>, old: Name<'_>, new: Name<'_>) {
    let given = fields.get(new.name).or_else(|| fields.get(old.name));
    if let Some(value) = given.cloned() {
        new.write(fields, value.clone());
        old.write(fields, value);
    }
}

/// Answers under an old name what is given there, or what stands in for it; or nothing, where the edition does not have the name.
fn answer_given_or(fields: &mut Map<String, Value>, old: Name<'_>, stand_in: Option<Value>) {
    let given = fields.get(old.name).cloned();
    if let Some(value) = given.or(stand_in) {
        old.write(fields, value);
    }
}

/// Takes a parameter under an old and a new name, as far as the edition has them, and leaves the new name. Where both are sent, the
/// new one wins.
fn take_either(parameters: &mut Map<String, Value>, old: Name<'_>, new: Name<'_>) {
    let of_new = parameters.remove(new.name).filter(|_| new.is_there);
    let of_old = parameters.remove(old.name).filter(|_| old.is_there);
    if let Some(value) = of_new.or(of_old) {
        parameters.insert(new.name.to_owned(), value);
    }
}
