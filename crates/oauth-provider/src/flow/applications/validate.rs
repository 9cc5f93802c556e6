//! Validation of client metadata (`OAUTH-12`, `OAUTH-13`).

use api_conventions::error::ValidationFailures;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::validation::{self, failure};
use validator::{Validate, ValidationError};

use crate::model::{ApplicationChange, ApplicationOptions, ClientType};
use crate::policy::{MIN_TOKEN_SECONDS, Policy};
use crate::rules::name;
use crate::rules::redirect_uri::{RedirectUri, RedirectUriError};
use crate::scopes::ScopeRegistry;

/// Longest name, in characters.
pub const MAX_NAME: usize = 255;
/// Maximum number of redirect URIs of each kind.
pub const MAX_REDIRECT_URIS: usize = 20;

const UNREADABLE_NAME: &str =
    "can't contain line breaks, control characters or characters that change the direction of text";

/// Attributes of an application as submitted.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
#[non_exhaustive]
pub struct ClientMetadata {
    /// Name shown to users.
    #[validate(custom(function = "shows_something"), custom(function = "is_short"))]
    pub name: String,
    /// Redirect URIs, separated by white space.
    pub redirect_uris: String,
    /// Redirect URIs after sign-out, separated by white space.
    pub post_logout_redirect_uris: String,
    /// Scopes that it may request at most, separated by white space.
    pub scopes: String,
    /// Client type, confidential or public.
    pub client_type: ClientType,
    /// True if users need not consent.
    pub trusted: bool,
    /// Options for the application's OAuth library.
    pub options: ApplicationOptions,
}

impl ClientMetadata {
    /// Creates metadata without redirect URIs after sign-out, for an application that needs consent. The redirect URIs
    /// and the scopes are each separated by white space.
    pub fn new(
        name: impl Into<String>,
        redirect_uris: impl Into<String>,
        scopes: impl Into<String>,
        client_type: ClientType,
    ) -> Self {
        Self {
            name: name.into(),
            redirect_uris: redirect_uris.into(),
            post_logout_redirect_uris: String::new(),
            scopes: scopes.into(),
            client_type,
            trusted: false,
            options: ApplicationOptions::of(client_type),
        }
    }
}

/// Permissions of the user who registers an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registrar {
    /// True for an administrator. Others may not have applications with scopes for administrators, nor trusted ones.
    pub is_admin: bool,
    /// True if plain `http` addresses of other machines may be registered.
    pub allow_insecure_redirects: bool,
}

impl Registrar {
    /// Creates a registrar who may not register plain `http` addresses of other machines.
    pub const fn new(is_admin: bool) -> Self {
        Self {
            is_admin,
            allow_insecure_redirects: false,
        }
    }
}

/// Validates client metadata against the scopes and the bounds of a server. Error messages are those that existing
/// clients show.
///
/// # Errors
/// All failures, by attribute.
pub fn validate(
    metadata: &ClientMetadata,
    registrar: Registrar,
    policy: &Policy,
) -> Result<ApplicationChange, ValidationFailures> {
    let mut failures = validation::check(metadata);
    if metadata.trusted && !registrar.is_admin {
        failures.add("trusted", "can be set by administrators only");
    }
    let redirect_uris = redirect_uris(metadata, registrar, &mut failures);
    let post_logout_redirect_uris = post_logout_redirect_uris(metadata, registrar, &mut failures);
    let scopes = scopes(metadata, registrar, &policy.scopes, &mut failures);
    check_options(&metadata.options, &scopes, policy, &mut failures);
    if !failures.is_empty() {
        return Err(failures);
    }
    Ok(ApplicationChange {
        name: metadata.name.trim().to_owned(),
        redirect_uris,
        post_logout_redirect_uris,
        scopes,
        client_type: metadata.client_type,
        trusted: metadata.trusted,
        options: metadata.options,
    })
}

/// Refuses names with forbidden characters, and names without a visible one.
fn shows_something(name: &str) -> Result<(), ValidationError> {
    let name = name.trim();
    if name.chars().any(name::is_forbidden) {
        return Err(failure(UNREADABLE_NAME));
    }
    if !name::is_visible(name) {
        return Err(failure("can't be blank"));
    }
    Ok(())
}

/// Refuses long names. White space around the name is trimmed, so it does not count.
fn is_short(name: &str) -> Result<(), ValidationError> {
    if name.trim().chars().count() > MAX_NAME {
        let text = format!("is too long (maximum is {MAX_NAME} characters)");
        return Err(failure(text));
    }
    Ok(())
}

fn redirect_uris(
    metadata: &ClientMetadata,
    registrar: Registrar,
    failures: &mut ValidationFailures,
) -> Vec<RedirectUri> {
    let register = |text: &str| RedirectUri::register(text, registrar.allow_insecure_redirects);
    let attribute = "redirect_uri";
    let read = addresses(&metadata.redirect_uris, attribute, register, failures);
    if read.is_empty() && failures.of(attribute).is_empty() {
        failures.add(attribute, "can't be blank");
    }
    read
}

fn post_logout_redirect_uris(
    metadata: &ClientMetadata,
    registrar: Registrar,
    failures: &mut ValidationFailures,
) -> Vec<RedirectUri> {
    let register =
        |text: &str| RedirectUri::register_post_logout(text, registrar.allow_insecure_redirects);
    let attribute = "post_logout_redirect_uris";
    addresses(
        &metadata.post_logout_redirect_uris,
        attribute,
        register,
        failures,
    )
}

/// Parses the URIs, each once, in the order in which they were written. Each kind of error is added once.
fn addresses(
    texts: &str,
    attribute: &str,
    register: impl Fn(&str) -> Result<RedirectUri, RedirectUriError>,
    failures: &mut ValidationFailures,
) -> Vec<RedirectUri> {
    let mut read = Vec::new();
    let mut errors = Vec::new();
    for text in texts.split_whitespace() {
        match register(text) {
            Ok(uri) if !read.contains(&uri) => read.push(uri),
            Err(error) if !errors.contains(&error) => errors.push(error),
            Ok(_) | Err(_) => {}
        }
    }
    for error in &errors {
        failures.add(attribute, error.to_string());
    }
    if read.len() > MAX_REDIRECT_URIS {
        let text = format!("has too many entries (maximum is {MAX_REDIRECT_URIS})");
        failures.add(attribute, text);
    }
    read
}

fn scopes(
    metadata: &ClientMetadata,
    registrar: Registrar,
    registry: &ScopeRegistry,
    failures: &mut ValidationFailures,
) -> ScopeSet {
    let read = registry.parse_for_application(&metadata.scopes);
    let read = read.ok();
    let may_have = |scopes: &ScopeSet| registrar.is_admin || registry.open_in(scopes) == *scopes;
    let is_known = read.as_ref().is_some_and(may_have);
    let scopes = read.unwrap_or_default();
    if !is_known {
        failures.add("scopes", "doesn't match configured on the server.");
    } else if scopes.is_empty() {
        failures.add("scopes", "can't be blank");
    }
    scopes
}

/// Checks the server's bounds on lifetimes, and that an application with the groups claim has the scopes for it.
fn check_options(
    options: &ApplicationOptions,
    scopes: &ScopeSet,
    policy: &Policy,
    failures: &mut ValidationFailures,
) {
    for (attribute, seconds, most) in [
        (
            "access_token_seconds",
            options.access_token_seconds,
            policy.max_access_seconds,
        ),
        (
            "id_token_seconds",
            options.id_token_seconds,
            policy.max_id_token_seconds,
        ),
    ] {
        let bounds = MIN_TOKEN_SECONDS..=most.max(MIN_TOKEN_SECONDS);
        if seconds.is_some_and(|seconds| !bounds.contains(&seconds)) {
            let text = format!("must be between {} and {}", bounds.start(), bounds.end());
            failures.add(attribute, text);
        }
    }
    let has_groups = scopes.contains(&Scope::OPENID) && policy.scopes.released_by(scopes).groups;
    if options.groups_claim && !has_groups {
        failures.add("groups_claim", "requires the scopes openid and groups");
    }
}

#[cfg(test)]
mod tests;
