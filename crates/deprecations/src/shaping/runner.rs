//! Runners: how they are reached, whether they are paused, and how they are registered.

use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::time::Timestamp;
use serde_json::{Map, Value};

use super::contact::{Contact, ContactStatus};
use super::{Name, Shaper, answer_given_or, ids};

/// The one value of the GraphQL argument `legacyMode` that asks for the old statuses. It is also what the argument is when it is
/// left out.
const LEGACY_MODE: &str = "14.5";

/// Which runners a list is limited to by `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunnerFilter {
    /// Those that are not paused.
    Active,
    /// Those that are paused.
    Paused,
    /// Those with this contact status, paused or not.
    Contact(ContactStatus),
}

/// What a GraphQL query gives as `legacyMode` of the status of a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegacyMode<'q> {
    /// Nothing.
    Omitted,
    /// `null`.
    Null,
    /// A text.
    Given(&'q str),
}

/// The argument `legacyMode` is given where it is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Field 'status' doesn't accept argument 'legacyMode'")]
pub struct NoLegacyMode;

impl Shaper<'_> {
    /// One runner as the edition answers it (specification, Versioning 4):
    ///
    /// * `active` is in v4 always the negation of `paused`, and absent in v5.
    /// * `paused` is there from 14.8 on.
    /// * `status` is what [`Self::runner_status`] says.
    ///
    /// The newest form has `paused`; where that is `null`, it counts as false. Where it is missing or no boolean at all, `active`
    /// decides and stays as it is.
    #[must_use]
    pub fn runner(&self, newest: Value, contact: &Contact, now: Timestamp) -> Value {
        let Value::Object(mut fields) = newest else {
            return newest;
        };
        let [active, paused] = self.pause_names();
        let is_paused = is_paused(&fields);
        if let Some(is_paused) = is_paused {
            fields.insert(active.name.to_owned(), (!is_paused).into());
        }
        answer_given_or(&mut fields, active, None);
        answer_given_or(&mut fields, paused, is_paused.map(Value::from));
        let status = self.runner_status(contact, is_paused.unwrap_or(false), now);
        fields.insert("status".to_owned(), status.into());
        Value::Object(fields)
    }

    /// The status of a runner in the REST API. In v4 it is `paused` for a runner that is paused, made contact and is not stale,
    /// and else the contact status, `stale` among them. In v5 only `online`, `offline` and `not_connected` remain (specification,
    /// States and transitions). No edition answers `active`, which would hide whether the runner is online.
    #[must_use]
    pub fn runner_status(
        &self,
        contact: &Contact,
        is_paused: bool,
        now: Timestamp,
    ) -> &'static str {
        if self.has(ids::RUNNER_STATUS_VALUES) {
            old_status(contact, is_paused, now)
        } else {
            contact.status_of_three(now).as_str()
        }
    }

    /// The status of a runner in the GraphQL API, as a value of its enumeration. Before 16.0 the argument `legacyMode` chooses
    /// between the statuses with `PAUSED`, when it is `14.5` or left out, and the contact status alone. From 16.0 on it makes no
    /// difference, and only `ONLINE`, `OFFLINE` and `NOT_CONNECTED` remain (specification, Versioning 4).
    ///
    /// # Errors
    /// When the argument is given from 17.0 on, where it is not there.
    pub fn graphql_runner_status(
        &self,
        contact: &Contact,
        is_paused: bool,
        mode: LegacyMode<'_>,
        now: Timestamp,
    ) -> Result<String, NoLegacyMode> {
        if mode != LegacyMode::Omitted && !self.has(ids::LEGACY_MODE) {
            return Err(NoLegacyMode);
        }
        let is_legacy = matches!(mode, LegacyMode::Omitted | LegacyMode::Given(LEGACY_MODE));
        let status = match (self.has(ids::RUNNER_STATUS_VALUES_IN_GRAPHQL), is_legacy) {
            (true, true) => old_status(contact, is_paused, now),
            (true, false) => contact.status(now).as_str(),
            (false, _) => contact.status_of_three(now).as_str(),
        };
        Ok(status.to_ascii_uppercase())
    }

    /// What a client of the edition sends to `PUT /runners/:id`, with `paused` as the only name. v4 takes `active`, whose negation
    /// it is, and every edition from 14.8 on takes `paused`; what the edition does not take is ignored. Where both are sent,
    /// `paused` wins.
    ///
    /// # Errors
    /// When `active` decides and is no boolean.
    pub fn runner_parameters(
        &self,
        mut sent: Map<String, Value>,
    ) -> Result<Map<String, Value>, ApiError> {
        let [active, paused] = self.pause_names();
        let of_active = sent.remove(active.name).filter(|_| active.is_there);
        let of_paused = sent.remove(paused.name).filter(|_| paused.is_there);
        let value = match (of_paused, of_active) {
            (Some(paused), _) => Some(paused),
            (None, Some(value)) => {
                boolean(active.name, value)?.map(|is_active| (!is_active).into())
            }
            (None, None) => None,
        };
        if let Some(value) = value {
            sent.insert(paused.name.to_owned(), value);
        }
        Ok(sent)
    }

    /// Which runners the edition lists for a value of the parameter `status`: v4 takes `active`, `paused`, `stale` and the three
    /// that v5 takes, which are `online`, `offline` and `not_connected` (specification, Versioning 4).
    ///
    /// # Errors
    /// 400 for any other value.
    pub fn runner_filter(&self, value: &str) -> Result<RunnerFilter, ApiError> {
        let is_old = self.has(ids::RUNNER_STATUS_VALUES);
        match value {
            "online" => Ok(RunnerFilter::Contact(ContactStatus::Online)),
            "offline" => Ok(RunnerFilter::Contact(ContactStatus::Offline)),
            "not_connected" => Ok(RunnerFilter::Contact(ContactStatus::NotConnected)),
            "stale" if is_old => Ok(RunnerFilter::Contact(ContactStatus::Stale)),
            "active" if is_old => Ok(RunnerFilter::Active),
            "paused" if is_old => Ok(RunnerFilter::Paused),
            _ => {
                let problem = "status does not have a valid value".to_owned();
                Err(ApiError::invalid_parameters(&[problem]))
            }
        }
    }

    /// Whether a filter keeps a runner. A contact status is compared with the one that the edition would answer if the runner were
    /// not paused.
    #[must_use]
    pub fn keeps_runner(
        &self,
        filter: RunnerFilter,
        contact: &Contact,
        is_paused: bool,
        now: Timestamp,
    ) -> bool {
        match filter {
            RunnerFilter::Active => !is_paused,
            RunnerFilter::Paused => is_paused,
            RunnerFilter::Contact(wanted) => {
                wanted.as_str() == self.runner_status(contact, false, now)
            }
        }
    }

    /// Whether `POST /runners` takes a registration token, which it does until 17.0 (specification, Versioning 4).
    #[must_use]
    pub fn has_registration_tokens(&self) -> bool {
        self.has(ids::REGISTRATION_TOKENS)
    }

    /// Whether the three `POST` operations that end in `/runners/reset_registration_token` are there, for the whole service, a
    /// project and a group; they are until 17.0 (specification, Versioning 4).
    #[must_use]
    pub fn has_resets_of_registration_tokens(&self) -> bool {
        self.has(ids::RESETS_OF_REGISTRATION_TOKENS)
    }

    /// The old and the new name for whether a runner takes jobs.
    fn pause_names(&self) -> [Name<'static>; 2] {
        [
            Name::new("active", self.has(ids::RUNNER_ACTIVE)),
            Name::new("paused", self.has(ids::RUNNER_PAUSED)),
        ]
    }
}

/// The status as it was while a paused runner had one of its own.
fn old_status(contact: &Contact, is_paused: bool, now: Timestamp) -> &'static str {
    match contact.status(now) {
        ContactStatus::Online | ContactStatus::Offline if is_paused => "paused",
        status => status.as_str(),
    }
}

/// Whether a runner is paused: what `paused` says, or else `active`. `null` for `paused` counts as false (specification, Boolean
/// null).
fn is_paused(fields: &Map<String, Value>) -> Option<bool> {
    match (fields.get("paused"), fields.get("active")) {
        (Some(Value::Bool(is_paused)), _) => Some(*is_paused),
        (Some(Value::Null), _) => Some(false),
        (_, Some(Value::Bool(is_active))) => Some(!is_active),
        _ => None,
    }
}

/// Reads a boolean in any of the spellings that clients use. An empty text is none.
fn boolean(name: &str, value: Value) -> Result<Option<bool>, ApiError> {
    let mut only = Map::new();
    only.insert(name.to_owned(), value);
    let parameters = Params::from_json(Value::Object(only).to_string().as_bytes())?;
    let mut reader = parameters.reader();
    let value = reader.boolean(name);
    reader.finish().map(|()| value)
}
