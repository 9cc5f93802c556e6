//! Rows of applications.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOptions, ApplicationUid, AuthorizedApplication,
    ClientType, NewApplication,
};
use storage::StoreError;

use crate::entity::entity;
use crate::rows::{DomainRow, RowReader};

entity! {
    oauth_applications: ApplicationRow, NewApplicationRow, ChangedApplicationRow;
    fixed {
        uid: Text,
        secret_digest: Binary,
        owner_id: Nullable<BigInt>,
        created_at: BigInt,
    }
    changing {
        name: Text,
        redirect_uris: Text,
        post_logout_redirect_uris: Text,
        scopes: Text,
        client_type: SmallInt,
        trusted: Bool,
        issuer_in_response: Bool,
        reduce_scopes: Bool,
        groups_claim: Bool,
        id_token_seconds: Nullable<BigInt>,
        access_token_seconds: Nullable<BigInt>,
    }
}

/// Returns the number of a client type.
fn client_type_number(client_type: ClientType) -> i16 {
    match client_type {
        ClientType::Confidential => 0,
        ClientType::Public => 1,
    }
}

/// Formats a list of redirect URIs as a JSON array.
fn uri_list(uris: &[RedirectUri]) -> String {
    let texts: Vec<&str> = uris.iter().map(RedirectUri::as_str).collect();
    serde_json::json!(texts).to_string()
}

impl DomainRow for ApplicationRow {
    type Value = Application;

    fn read(self) -> Result<Application, StoreError> {
        let row = self.reader();
        let client_type = match self.client_type {
            0 => ClientType::Confidential,
            1 => ClientType::Public,
            _ => return Err(row.inconsistent("unknown client type")),
        };
        let uris = |list: &str| {
            let texts: Result<Vec<String>, _> = serde_json::from_str(list);
            let texts =
                texts.map_err(|_| row.inconsistent("redirect URIs are not a list of strings"))?;
            let uris = texts.into_iter().map(RedirectUri::from_stored);
            Ok::<Vec<RedirectUri>, StoreError>(uris.collect())
        };
        let seconds = |stored: Option<i64>| {
            let read = stored.map(u32::try_from).transpose();
            read.map_err(|_| row.inconsistent("invalid token lifetime"))
        };
        let options = ApplicationOptions {
            issuer_in_response: self.issuer_in_response,
            reduce_scopes: self.reduce_scopes,
            groups_claim: self.groups_claim,
            id_token_seconds: seconds(self.id_token_seconds)?,
            access_token_seconds: seconds(self.access_token_seconds)?,
        };
        Ok(Application {
            id: ApplicationId::new(self.id),
            uid: row.require(ApplicationUid::parse(&self.uid), "invalid uid")?,
            secret: SecretDigest::from_bytes(row.digest(self.secret_digest)?),
            name: self.name,
            redirect_uris: uris(&self.redirect_uris)?,
            post_logout_redirect_uris: uris(&self.post_logout_redirect_uris)?,
            scopes: row.scopes(&self.scopes)?,
            client_type,
            trusted: self.trusted,
            options,
            owner_id: self.owner_id.map(UserId::new),
            created_at: row.timestamp(self.created_at)?,
        })
    }
}

impl<'v> From<&'v ApplicationChange> for ChangedApplicationRow<'v> {
    fn from(change: &'v ApplicationChange) -> Self {
        Self {
            name: change.name.as_str().into(),
            redirect_uris: uri_list(&change.redirect_uris).into(),
            post_logout_redirect_uris: uri_list(&change.post_logout_redirect_uris).into(),
            scopes: change.scopes.to_string().into(),
            client_type: client_type_number(change.client_type),
            trusted: change.trusted,
            issuer_in_response: change.options.issuer_in_response,
            reduce_scopes: change.options.reduce_scopes,
            groups_claim: change.options.groups_claim,
            id_token_seconds: change.options.id_token_seconds.map(Into::into),
            access_token_seconds: change.options.access_token_seconds.map(Into::into),
        }
    }
}

impl<'v> From<&'v NewApplication> for NewApplicationRow<'v> {
    fn from(new: &'v NewApplication) -> Self {
        Self {
            uid: new.uid.as_str().into(),
            secret_digest: new.secret.as_bytes()[..].into(),
            owner_id: new.owner_id.map(UserId::get),
            created_at: new.created_at.as_micros(),
            changing: ChangedApplicationRow {
                name: new.name.as_str().into(),
                redirect_uris: uri_list(&new.redirect_uris).into(),
                post_logout_redirect_uris: uri_list(&new.post_logout_redirect_uris).into(),
                scopes: new.scopes.to_string().into(),
                client_type: client_type_number(new.client_type),
                trusted: new.trusted,
                issuer_in_response: new.options.issuer_in_response,
                reduce_scopes: new.options.reduce_scopes,
                groups_claim: new.options.groups_claim,
                id_token_seconds: new.options.id_token_seconds.map(Into::into),
                access_token_seconds: new.options.access_token_seconds.map(Into::into),
            },
        }
    }
}

/// Scopes that live grants permit to each application, by its id, with the time of the newest grant.
pub(crate) type PermittedScopes = BTreeMap<i64, (ScopeSet, Timestamp)>;

/// Combines the scopes that several grants permit to the same application.
pub(crate) fn read_permitted(rows: Vec<(i64, String, i64)>) -> Result<PermittedScopes, StoreError> {
    let mut permitted = PermittedScopes::new();
    for (application, scopes, given_at) in rows {
        let row = RowReader::new("oauth_grants of an application", application);
        let (scopes, given_at) = (row.scopes(&scopes)?, row.timestamp(given_at)?);
        let (all, newest) = permitted
            .entry(application)
            .or_insert((ScopeSet::default(), given_at));
        *all = all.union(&scopes);
        *newest = given_at.max(*newest);
    }
    Ok(permitted)
}

/// Joins applications with their permitted scopes, the most recently authorized one first.
pub(crate) fn read_authorized(
    rows: Vec<ApplicationRow>,
    permitted: &PermittedScopes,
) -> Result<Vec<AuthorizedApplication>, StoreError> {
    let mut authorized = Vec::with_capacity(rows.len());
    for row in rows {
        let Some((scopes, authorized_at)) = permitted.get(&row.id).cloned() else {
            continue;
        };
        authorized.push(AuthorizedApplication {
            application: row.read()?,
            scopes,
            authorized_at,
        });
    }
    authorized.sort_by_key(|one| Reverse((one.authorized_at, one.application.id)));
    Ok(authorized)
}
