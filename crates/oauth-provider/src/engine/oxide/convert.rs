//! Conversions between our values and oxide-auth's.

use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;
use chrono::{DateTime, Utc};
use oxide_auth::primitives::grant::{Extensions, Grant as OxideGrant};
use oxide_auth::primitives::scope::Scope;

use crate::model::{Grant, TokenSubject};
use crate::scopes::ScopeRegistry;

/// Error type of oxide-auth's traits, which carries no details.
pub(super) type ConversionError = ();

pub(super) fn read_scopes(
    scope: &Scope,
    registry: &ScopeRegistry,
) -> Result<ScopeSet, ConversionError> {
    registry.parse(&scope.to_string()).map_err(drop)
}

pub(super) fn to_timestamp(time: DateTime<Utc>) -> Result<Timestamp, ConversionError> {
    Timestamp::from_micros(time.timestamp_micros()).ok_or(())
}

pub(super) fn from_timestamp(timestamp: Timestamp) -> Result<DateTime<Utc>, ConversionError> {
    DateTime::from_timestamp_micros(timestamp.as_micros()).ok_or(())
}

pub(super) fn of_grant(
    grant: &Grant,
    client_id: &str,
    scopes: &ScopeSet,
    until: Timestamp,
) -> Result<OxideGrant, ConversionError> {
    // In oxide-auth an owner is a user, so a grant without one has no counterpart.
    let TokenSubject::User { user_id, .. } = grant.subject else {
        return Err(());
    };
    let redirect_uri = grant.redirect_uri.as_deref().ok_or(())?;
    Ok(OxideGrant {
        owner_id: user_id.to_string(),
        client_id: client_id.to_owned(),
        scope: scopes.to_string().parse().map_err(drop)?,
        redirect_uri: redirect_uri.parse().map_err(drop)?,
        until: from_timestamp(until)?,
        extensions: Extensions::new(),
    })
}
