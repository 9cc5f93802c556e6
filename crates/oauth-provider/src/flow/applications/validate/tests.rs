//! Tests of the validation of client metadata.

use api_conventions::error::ApiError;
use serde_json::{Value, json};

use super::*;
use crate::scopes::samples::registry;

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
        options: ApplicationOptions::of(ClientType::Confidential),
    }
}

fn validated(
    metadata: &ClientMetadata,
    registrar: Registrar,
) -> Result<ApplicationChange, ValidationFailures> {
    validate(metadata, registrar, &Policy::new(registry()))
}

fn refusal(metadata: &ClientMetadata, registrar: Registrar) -> Value {
    let failures = validated(metadata, registrar).unwrap_err();
    ApiError::validation(&failures).body()["message"].clone()
}

#[test]
fn valid_metadata_is_normalized() {
    let metadata = ClientMetadata {
        name: "  Shop ".to_owned(),
        redirect_uris: "https://a.example/cb\r\n\thttps://b.example/cb https://a.example/cb"
            .to_owned(),
        scopes: "read_user  api".to_owned(),
        ..metadata()
    };
    let taken = validated(&metadata, USER).unwrap();
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
fn everything_that_is_wrong_is_reported_at_once() {
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

/// AUTH-08. Git over HTTP is not built, so its scopes are not available.
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
fn each_kind_of_wrong_address_is_reported_once() {
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
        validated(&metadata(), USER)
            .unwrap()
            .post_logout_redirect_uris,
        []
    );
    let two = ClientMetadata {
        post_logout_redirect_uris: "https://a.example/bye https://b.example/ https://a.example/bye"
            .to_owned(),
        ..metadata()
    };
    let taken = validated(&two, USER).unwrap().post_logout_redirect_uris;
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
    assert!(validated(&metadata, USER).is_err());
    let lenient = Registrar {
        allow_insecure_redirects: true,
        ..USER
    };
    assert!(validated(&metadata, lenient).is_ok());
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
    assert!(validated(&edge, USER).is_ok());
    let beyond = ClientMetadata {
        name: format!("{name}x"),
        redirect_uris: addresses(MAX_REDIRECT_URIS + 1),
        ..metadata()
    };
    assert_eq!(
        refusal(&beyond, USER),
        json!({
            "name": ["is too long (maximum is 255 characters)"],
            "redirect_uri": ["has too many entries (maximum is 20)"],
        })
    );
}

#[test]
fn unreadable_and_blank_names_are_refused() {
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
    assert!(validated(&named("متجر\u{200f} 👩\u{200d}💻"), USER).is_ok());
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
    assert!(validated(&metadata, admin).is_ok_and(|taken| taken.trusted));
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

#[test]
fn lifetimes_have_the_bounds_of_the_server() {
    let with = |id_token_seconds, access_token_seconds| ClientMetadata {
        options: ApplicationOptions {
            id_token_seconds,
            access_token_seconds,
            ..ApplicationOptions::of(ClientType::Confidential)
        },
        ..metadata()
    };
    for good in [(None, None), (Some(60), Some(86_400)), (Some(86_400), None)] {
        assert!(validated(&with(good.0, good.1), USER).is_ok(), "{good:?}");
    }
    assert_eq!(
        refusal(&with(Some(59), Some(86_401)), USER),
        json!({
            "access_token_seconds": ["must be between 60 and 86400"],
            "id_token_seconds": ["must be between 60 and 86400"],
        })
    );
}

#[test]
fn groups_in_id_tokens_need_the_scopes_that_release_them() {
    let with = |scopes: &str| ClientMetadata {
        scopes: scopes.to_owned(),
        options: ApplicationOptions {
            groups_claim: true,
            ..ApplicationOptions::of(ClientType::Confidential)
        },
        ..metadata()
    };
    assert!(validated(&with("openid groups"), USER).is_ok());
    for scopes in ["openid", "groups", "api"] {
        assert_eq!(
            refusal(&with(scopes), USER),
            json!({"groups_claim": ["requires the scopes openid and groups"]}),
            "{scopes}"
        );
    }
}
