//! What an application may be (`OAUTH-12`, `OAUTH-13`).

use api_conventions::error::ValidationFailures;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::validation::{self, failure};
use validator::{Validate, ValidationError};

use crate::model::{ApplicationChange, ClientType};
use crate::rules::name;
use crate::rules::redirect_uri::{RedirectUri, RedirectUriError};

/// The longest name, in characters.
pub const MAX_NAME: usize = 255;
/// The most redirect URIs of each kind.
pub const MAX_REDIRECT_URIS: usize = 20;

const UNREADABLE_NAME: &str =
    "can't contain line breaks, control characters or characters that change the direction of text";

/// What somebody wants an application to be, as they wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
#[non_exhaustive]
pub struct ClientMetadata {
    /// The name that users see.
    #[validate(custom(function = "shows_something"), custom(function = "is_short"))]
    pub name: String,
    /// Where users may be sent back to, separated by white space.
    pub redirect_uris: String,
    /// Where users may be sent back to after they signed out, separated by white space.
    pub post_logout_redirect_uris: String,
    /// What it may ask for at most, separated by white space.
    pub scopes: String,
    /// Whether it can keep a secret.
    pub client_type: ClientType,
    /// Whether users are not asked for consent.
    pub trusted: bool,
}

impl ClientMetadata {
    /// An application to which nobody is sent back after signing out, and for which users are asked for consent. The
    /// addresses and the scopes are each separated by white space.
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
        }
    }
}

/// What the one who registers may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registrar {
    /// Whether it is an administrator. Others may not have applications that act as other users, nor trusted ones.
    pub is_admin: bool,
    /// Whether plain `http` addresses of other machines may be registered.
    pub allow_insecure_redirects: bool,
}

impl Registrar {
    /// Somebody who may not register plain `http` addresses of other machines.
    pub const fn new(is_admin: bool) -> Self {
        Self {
            is_admin,
            allow_insecure_redirects: false,
        }
    }
}

/// Validates client metadata. The texts of failures are those that existing clients show.
///
/// # Errors
/// Everything that is wrong, by attribute.
pub fn validate(
    metadata: &ClientMetadata,
    registrar: Registrar,
) -> Result<ApplicationChange, ValidationFailures> {
    let mut failures = validation::check(metadata);
    if metadata.trusted && !registrar.is_admin {
        failures.add("trusted", "can be set by administrators only");
    }
    let redirect_uris = redirect_uris(metadata, registrar, &mut failures);
    let post_logout_redirect_uris = post_logout_redirect_uris(metadata, registrar, &mut failures);
    let scopes = scopes(metadata, registrar, &mut failures);
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
    })
}

/// A name that shows nothing is as good as none.
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

/// White space around the name is left out, so it does not count.
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

/// The addresses, each once, in the order in which they were written. Each kind of error is added once.
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
        let text = format!("is one of too many (maximum is {MAX_REDIRECT_URIS})");
        failures.add(attribute, text);
    }
    read
}

fn scopes(
    metadata: &ClientMetadata,
    registrar: Registrar,
    failures: &mut ValidationFailures,
) -> ScopeSet {
    let read = ScopeSet::parse_offered(&metadata.scopes);
    let scopes = read.as_ref().copied().unwrap_or_default();
    if read.is_err() || scopes.contains(Scope::Sudo) && !registrar.is_admin {
        failures.add("scopes", "doesn't match configured on the server.");
    } else if scopes.is_empty() {
        failures.add("scopes", "can't be blank");
    }
    scopes
}

#[cfg(test)]
mod tests {
    use api_conventions::error::ApiError;
    use serde_json::{Value, json};

    use super::*;

    const USER: Registrar = Registrar {
        is_admin: false,
        allow_insecure_redirects: false,
    };

    fn metadata() -> ClientMetadata {
        ClientMetadata {
            name: "Shop".to_owned(),
            redirect_uris: "https://shop.example/cb".to_owned(),
            post_logout_redirect_uris: String::new(),
            scopes: "api".to_owned(),
            client_type: ClientType::Confidential,
            trusted: false,
        }
    }

    fn refusal(metadata: &ClientMetadata, registrar: Registrar) -> Value {
        let failures = validate(metadata, registrar).unwrap_err();
        ApiError::validation(&failures).body()["message"].clone()
    }

    #[test]
    fn sound_metadata_are_taken_as_it_is_meant() {
        let metadata = ClientMetadata {
            name: "  Shop ".to_owned(),
            redirect_uris: "https://a.example/cb\r\n\thttps://b.example/cb https://a.example/cb"
                .to_owned(),
            scopes: "read_user  api".to_owned(),
            ..metadata()
        };
        let taken = validate(&metadata, USER).unwrap();
        let uris: Vec<&str> = taken
            .redirect_uris
            .iter()
            .map(RedirectUri::as_str)
            .collect();
        assert_eq!(uris, ["https://a.example/cb", "https://b.example/cb"]);
        assert_eq!(
            (taken.name.as_str(), taken.scopes.to_string()),
            ("Shop", "api read_user".to_owned())
        );
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let metadata = ClientMetadata {
            name: " ".to_owned(),
            redirect_uris: " \n".to_owned(),
            scopes: String::new(),
            trusted: true,
            ..metadata()
        };
        assert_eq!(
            refusal(&metadata, USER),
            json!({
                "name": ["can't be blank"],
                "redirect_uri": ["can't be blank"],
                "scopes": ["can't be blank"],
                "trusted": ["can be set by administrators only"],
            })
        );
    }

    /// AUTH-08. Git over HTTP is not built, so nobody can be promised it.
    #[test]
    fn a_scope_that_nothing_implements_cannot_be_registered() {
        for word in ["read_repository", "write_repository"] {
            let metadata = ClientMetadata {
                scopes: format!("api {word}"),
                ..metadata()
            };
            let failures = json!(["doesn't match configured on the server."]);
            let registrar = Registrar {
                is_admin: true,
                ..USER
            };
            assert_eq!(refusal(&metadata, registrar)["scopes"], failures, "{word}");
        }
    }

    #[test]
    fn each_kind_of_wrong_address_is_told_once() {
        let redirect_uris =
            "javascript:alert(1) https://a.example/#x data:x https://ok.example/ http://a.example/";
        let metadata = ClientMetadata {
            redirect_uris: redirect_uris.to_owned(),
            ..metadata()
        };
        assert_eq!(
            refusal(&metadata, USER)["redirect_uri"],
            json!([
                "is forbidden by the server.",
                "cannot contain a fragment.",
                "must be an HTTPS/SSL URI.",
            ])
        );
    }

    #[test]
    fn addresses_for_signing_out_are_held_to_the_same_rules_and_may_be_none() {
        assert_eq!(
            validate(&metadata(), USER)
                .unwrap()
                .post_logout_redirect_uris,
            []
        );
        let two = ClientMetadata {
            post_logout_redirect_uris:
                "https://a.example/bye https://b.example/ https://a.example/bye".to_owned(),
            ..metadata()
        };
        let taken = validate(&two, USER).unwrap().post_logout_redirect_uris;
        let taken: Vec<&str> = taken.iter().map(RedirectUri::as_str).collect();
        assert_eq!(taken, ["https://a.example/bye", "https://b.example/"]);
        let wrong = ClientMetadata {
            post_logout_redirect_uris: "javascript:x urn:ietf:wg:oauth:2.0:oob http://a.example/"
                .to_owned(),
            ..metadata()
        };
        assert_eq!(
            refusal(&wrong, USER),
            json!({ "post_logout_redirect_uris": [
                "is forbidden by the server.",
                "must be an absolute URI.",
                "must be an HTTPS/SSL URI.",
            ] })
        );
    }

    #[test]
    fn plain_http_needs_the_setting_of_the_server() {
        let metadata = ClientMetadata {
            redirect_uris: "http://shop.test/cb".to_owned(),
            ..metadata()
        };
        assert!(validate(&metadata, USER).is_err());
        let lenient = Registrar {
            allow_insecure_redirects: true,
            ..USER
        };
        assert!(validate(&metadata, lenient).is_ok());
    }

    #[test]
    fn twenty_addresses_and_255_characters_are_the_most() {
        let addresses = |count: usize| {
            let one = |number: usize| format!("https://a.example/{number} ");
            (0..count).map(one).collect::<String>()
        };
        let name = "\u{e9}".repeat(MAX_NAME);
        let edge = ClientMetadata {
            name: name.clone(),
            redirect_uris: addresses(MAX_REDIRECT_URIS),
            ..metadata()
        };
        assert!(validate(&edge, USER).is_ok());
        let beyond = ClientMetadata {
            name: format!("{name}x"),
            redirect_uris: addresses(MAX_REDIRECT_URIS + 1),
            ..metadata()
        };
        assert_eq!(
            refusal(&beyond, USER),
            json!({
                "name": ["is too long (maximum is 255 characters)"],
                "redirect_uri": ["is one of too many (maximum is 20)"],
            })
        );
    }

    #[test]
    fn a_name_shows_what_it_says_on_one_line() {
        let named = |name: &str| ClientMetadata {
            name: name.to_owned(),
            ..metadata()
        };
        for name in [
            "a\nb",
            "a\r\nb",
            "\u{202e}pohS",
            "\u{2067}Shop\u{2069}",
            "a\0b",
        ] {
            let failures = json!({ "name": [UNREADABLE_NAME] });
            assert_eq!(refusal(&named(name), USER), failures, "{name:?}");
        }
        for name in ["\u{200b}\u{2060}", "\u{3164}", " \u{a0} "] {
            let failures = json!({ "name": ["can't be blank"] });
            assert_eq!(refusal(&named(name), USER), failures, "{name:?}");
        }
        assert!(validate(&named("متجر\u{200f} 👩\u{200d}💻"), USER).is_ok());
    }

    #[test]
    fn acting_as_others_and_trust_are_for_administrators() {
        let admin = Registrar {
            is_admin: true,
            ..USER
        };
        let metadata = ClientMetadata {
            scopes: "api sudo".to_owned(),
            trusted: true,
            ..metadata()
        };
        assert!(validate(&metadata, admin).is_ok_and(|taken| taken.trusted));
        let failures = refusal(&metadata, USER);
        assert_eq!(
            failures["scopes"],
            json!(["doesn't match configured on the server."])
        );
        let unknown = ClientMetadata {
            scopes: "api mystery".to_owned(),
            ..self::metadata()
        };
        assert_eq!(
            refusal(&unknown, admin),
            json!({ "scopes": ["doesn't match configured on the server."] })
        );
    }
}
