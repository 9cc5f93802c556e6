//! Tests of the scope registry, which decides what is granted, now and later.

use api_conventions::scope::Scope;
use api_conventions::secret::PlainSecret;
use oauth_provider::flow::authorize::{Approval, ApproveOutcome, approve, store_request};
use oauth_provider::flow::exchange::ExchangeOutcome;
use oauth_provider::flow::introspect::introspect;
use oauth_provider::flow::refresh::RefreshOutcome;
use oauth_provider::wire::{Introspection, Issuer};
use oauth_provider::{
    ApplicationRepository as _, ApplicationUid, ClientType, NewApplication, ScopeEntry,
    ScopeRegistry,
};

use crate::support::{TestProvider, ann, application, at, changed, registry, request, scopes};

fn entry(name: &str) -> ScopeEntry {
    ScopeEntry::new(Scope::parse(name).unwrap(), name, name)
}

/// Creates a provider whose host has other scopes, with an application that may have all of them.
fn of_invoices() -> TestProvider {
    let mut provider = TestProvider::new();
    let entries = [entry("invoices:read"), entry("invoices:write")];
    provider.policy.scopes = ScopeRegistry::new(entries).unwrap();
    let of_host = NewApplication {
        scopes: scopes("invoices:read invoices:write"),
        ..application("of-host", ClientType::Confidential)
    };
    provider.confidential = provider.write(move |tx| tx.insert_application(&of_host));
    provider
}

/// Returns the registry without one scope.
fn without(name: &str) -> ScopeRegistry {
    let registry = registry();
    let kept = registry
        .entries()
        .iter()
        .filter(|one| one.scope().as_str() != name);
    ScopeRegistry::new(kept.cloned()).unwrap()
}

fn response(provider: &TestProvider, access: &str) -> Introspection {
    let (digest, caller) = (PlainSecret::new(access).digest(), provider.confidential);
    let found = provider.write(move |tx| introspect(tx, &digest, caller, at(21)));
    let issuer = Issuer {
        url: "https://gate.example",
        scopes: &provider.policy.scopes,
    };
    let uid = ApplicationUid::parse("confidential").unwrap();
    Introspection::active(&found.unwrap(), &uid, Some("ann"), issuer)
}

fn requested_scopes(provider: &TestProvider, scope: Option<&str>) -> Result<String, &'static str> {
    let mut pairs = request("of-host");
    pairs.extend(scope.map(|scope| ("scope", scope)));
    match provider.check(&pairs) {
        Ok(checked) => Ok(checked.scopes.to_string()),
        Err(refusal) => Err(refusal.error()),
    }
}

#[test]
fn the_scopes_of_the_host_are_granted_and_no_others() {
    let provider = of_invoices();
    assert_eq!(
        requested_scopes(&provider, Some("invoices:read")),
        Ok("invoices:read".to_owned())
    );
    assert_eq!(
        requested_scopes(&provider, Some("invoices:read api")),
        Ok("invoices:read".to_owned())
    );
    for unknown in ["invoices:delete", "invoices:delete api", "api", "openid"] {
        assert_eq!(
            requested_scopes(&provider, Some(unknown)),
            Err("invalid_scope"),
            "{unknown}"
        );
    }
    let code = provider.code("of-host", "invoices:read");
    let outcome = provider.exchange(changed(provider.request(code), |exchange| {
        exchange.allowed = scopes("invoices:read invoices:write");
    }));
    assert!(
        matches!(outcome, ExchangeOutcome::Issued(..)),
        "{outcome:?}"
    );
    assert_eq!(
        response(&provider, "access").scope.as_deref(),
        Some("invoices:read")
    );
}

/// Without a default the request fails (RFC 6749, section 3.3).
#[test]
fn without_a_default_a_request_names_its_scopes() {
    let mut provider = of_invoices();
    assert_eq!(requested_scopes(&provider, None), Err("invalid_scope"));
    let entries = [entry("invoices:read").by_default(), entry("invoices:write")];
    provider.policy.scopes = ScopeRegistry::new(entries).unwrap();
    assert_eq!(
        requested_scopes(&provider, None),
        Ok("invoices:read".to_owned())
    );
}

#[test]
fn a_scope_that_left_the_registry_is_reported_and_issued_no_more() {
    let mut provider = TestProvider::new();
    provider.grant("api read_user");
    assert_eq!(
        response(&provider, "access").scope.as_deref(),
        Some("api read_user")
    );
    provider.policy.scopes = without("read_user");
    assert_eq!(response(&provider, "access").scope.as_deref(), Some("api"));
    let request = changed(provider.refreshing("refresh", 1, at(30)), |refresh| {
        refresh.scopes = Some(scopes("read_user"));
    });
    let refused = provider.refresh_with(request);
    assert!(
        matches!(refused, RefreshOutcome::ScopeTooLarge),
        "{refused:?}"
    );
    let RefreshOutcome::Refreshed(next) = provider.refresh("refresh", 1, at(30)) else {
        panic!("the rest of the grant is as good as before");
    };
    assert_eq!(next.scopes, scopes("api"));
}

#[test]
fn a_code_for_removed_scopes_cannot_be_exchanged() {
    let mut provider = TestProvider::new();
    let code = provider.code("confidential", "read_user");
    provider.policy.scopes = without("read_user");
    assert_eq!(
        provider.exchange(provider.request(code)),
        ExchangeOutcome::Refused
    );
}

#[test]
fn scopes_removed_during_consent_cannot_be_approved() {
    let mut provider = TestProvider::new();
    let mut pairs = request("confidential");
    pairs.push(("scope", "read_user"));
    let checked = provider.check(&pairs).unwrap();
    let (handle, policy) = (PlainSecret::new("handle").digest(), provider.policy.clone());
    provider.write(move |tx| store_request(tx, &checked, &ann(), &handle, at(10), &policy));
    provider.policy.scopes = without("read_user");
    let approval = Approval::new(handle, PlainSecret::new("code").digest(), ann(), at(11));
    let policy = provider.policy.clone();
    let outcome = provider.write(move |tx| approve(tx, &approval, &policy));
    assert_eq!(outcome, ApproveOutcome::NotFound);
}
