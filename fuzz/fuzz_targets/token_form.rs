//! Parsing of the forms that applications send to the token endpoint and its neighbours.
#![no_main]

use api_conventions::scope::Scope;
use gatehouse_fuzz::oauth::check_refusal;
use libfuzzer_sys::fuzz_target;
use oauth_provider::wire::form::MAX_VALUE_BYTES;
use oauth_provider::wire::{ClientCredentials, FormParameters, TokenRequest};
use oauth_provider::{ScopeEntry, ScopeRegistry};

fuzz_target!(|body: &[u8]| {
    let mut form = match FormParameters::from_body(body) {
        Ok(form) => form,
        Err(error) => return check_refusal(&error),
    };
    assert_eq!(
        format!("{form:?}").matches("PlainSecret").count(),
        form.len()
    );
    match TokenRequest::read(&mut form, &registry()) {
        Err(error) => check_refusal(&error),
        Ok(request) => {
            for value in values(&request) {
                assert!(!value.is_empty() && value.len() <= MAX_VALUE_BYTES);
                assert!(!value.contains(['\0', char::REPLACEMENT_CHARACTER]));
            }
            let twice = [body, b"&grant_type=password"].concat();
            assert!(
                FormParameters::from_body(&twice).is_err(),
                "no parameter comes twice"
            );
        }
    }
    match ClientCredentials::read(None, &mut form) {
        Err(error) => check_refusal(&error),
        Ok(found) => {
            assert!(found.is_none_or(|found| !found.client_id.is_empty() && !found.by_header));
        }
    }
});

/// Scopes of a host, one of them with unusual characters.
fn registry() -> ScopeRegistry {
    let entry = |name| ScopeEntry::new(Scope::from_static(name), name, name);
    ScopeRegistry::new(["openid", "invoices:read", "#[~]!"].map(entry)).unwrap()
}

fn values(request: &TokenRequest) -> Vec<&str> {
    match request {
        TokenRequest::AuthorizationCode(request) => {
            vec![request.code.reveal(), &request.redirect_uri]
        }
        TokenRequest::RefreshToken(request) => vec![request.refresh_token.reveal()],
        TokenRequest::Password(request) => vec![&request.username, request.password.reveal()],
    }
}
