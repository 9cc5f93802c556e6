//! Credentials with which operations are called.

use api_conventions::scope::Scope;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::operations::access::{Access, ProtocolCredentials, Scheme};

/// Returns the security requirements of an operation, of which one is enough.
pub(super) fn of(access: Access) -> Value {
    let (needs, scopes) = match access {
        Access::Api { needs, scopes } => (needs, scopes),
        Access::Protocol(credentials) => return of_protocol(credentials),
        Access::Public(_) | Access::Page(_) => return json!([]),
    };
    let scopes: Vec<&str> = scopes.iter().map(Scope::as_str).collect();
    let mut ways = vec![json!({"accessToken": scopes}), json!({"privateToken": []})];
    if needs.allows_anonymous() {
        ways.push(json!({}));
    }
    Value::Array(ways)
}

/// Returns the security requirements of a protocol. The header is optional if the credentials may be parameters
/// instead, which this list does not describe.
fn of_protocol(credentials: &ProtocolCredentials) -> Value {
    let schemes = credentials.schemes.iter();
    let mut ways: Vec<Value> = schemes
        .map(|scheme| json!({ (name(credentials, *scheme)): [] }))
        .collect();
    if credentials.is_header_optional {
        ways.push(json!({}));
    }
    Value::Array(ways)
}

/// Returns the name of credentials in a scheme: `alertKeyBearer`.
fn name(credentials: &ProtocolCredentials, scheme: Scheme) -> String {
    let suffix = match scheme {
        Scheme::Basic(_) => "Basic",
        Scheme::Bearer => "Bearer",
    };
    format!("{}{suffix}", credentials.name)
}

/// Returns the credentials of an operation's own protocol, by name.
pub(super) fn own_schemes(access: Access) -> BTreeMap<String, Value> {
    let Access::Protocol(credentials) = access else {
        return BTreeMap::new();
    };
    let described = |scheme: &Scheme| {
        let about = match scheme {
            Scheme::Basic(how) => *how,
            Scheme::Bearer => credentials.about,
        };
        json!({"type": "http", "scheme": scheme.as_str(), "description": about})
    };
    let schemes = credentials.schemes.iter();
    schemes
        .map(|scheme| (name(credentials, *scheme), described(scheme)))
        .collect()
}

/// Returns the credentials of the API, by name.
pub(super) fn of_the_api() -> BTreeMap<String, Value> {
    let access_token = json!({
        "type": "http",
        "scheme": "bearer",
        "description": "Personal access token, or access token of an OAuth application (RFC 6750). The token needs at least one of the listed scopes.",
    });
    let private_token = json!({
        "type": "apiKey",
        "in": "header",
        "name": "PRIVATE-TOKEN",
        "description": "Personal access token.",
    });
    BTreeMap::from([
        ("accessToken".to_owned(), access_token),
        ("privateToken".to_owned(), private_token),
    ])
}
