//! Applications in API responses to those who manage them.

use serde::Serialize;

use crate::model::{Application, ClientType};
use crate::rules::redirect_uri::RedirectUri;

/// An application in API responses. The secret is included only once, right after it was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate member that clients read"
)]
pub struct ApplicationResponse {
    /// Id used by the API to manage the application.
    pub id: i64,
    /// Public name, the `client_id`.
    pub application_id: String,
    /// Name shown to users.
    pub application_name: String,
    /// Redirect URIs, one per line.
    pub callback_url: String,
    /// Redirect URIs after sign-out.
    pub post_logout_redirect_uris: Vec<String>,
    /// True if the application can keep a secret.
    pub confidential: bool,
    /// True if authorization responses name the issuer in `iss`.
    pub issuer_in_response: bool,
    /// True if a request for scopes that the application does not hold gets those that it holds.
    pub reduce_scopes: bool,
    /// True if every sign-in requests `groups`, and id tokens list all groups of the user.
    pub groups_claim: bool,
    /// Lifetime of id tokens in seconds; `null` for the server's default.
    pub id_token_seconds: Option<u32>,
    /// Lifetime of access tokens in seconds; `null` for the server's default.
    pub access_token_seconds: Option<u32>,
}

/// An application with its secret, right after the secret was created.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewApplicationResponse<'s> {
    /// Application.
    #[serde(flatten)]
    pub application: ApplicationResponse,
    /// Client secret, in the clear.
    pub secret: &'s str,
}

impl From<&Application> for ApplicationResponse {
    fn from(application: &Application) -> Self {
        let uris = application.redirect_uris.iter().map(RedirectUri::as_str);
        let after_sign_out = application.post_logout_redirect_uris.iter();
        Self {
            id: application.id.get(),
            application_id: application.uid.as_str().to_owned(),
            application_name: application.name.clone(),
            callback_url: uris.collect::<Vec<_>>().join("\n"),
            post_logout_redirect_uris: after_sign_out.map(ToString::to_string).collect(),
            confidential: application.client_type == ClientType::Confidential,
            issuer_in_response: application.options.issuer_in_response,
            reduce_scopes: application.options.reduce_scopes,
            groups_claim: application.options.groups_claim,
            id_token_seconds: application.options.id_token_seconds,
            access_token_seconds: application.options.access_token_seconds,
        }
    }
}

impl std::fmt::Debug for NewApplicationResponse<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewApplicationResponse")
            .field("application", &self.application)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::ApplicationId;
    use api_conventions::scope::ScopeSet;
    use api_conventions::secret::SecretDigest;
    use api_conventions::time::Timestamp;

    use super::*;
    use crate::model::{ApplicationOptions, ApplicationUid};

    #[test]
    fn the_secret_is_the_last_field_and_only_in_the_new_application_response() {
        let uri = |text| RedirectUri::register(text, false).unwrap();
        let application = Application {
            id: ApplicationId::new(7),
            uid: ApplicationUid::parse("app").unwrap(),
            secret: SecretDigest::of("s"),
            name: "Shop".to_owned(),
            redirect_uris: vec![uri("https://a.example/"), uri("https://b.example/")],
            post_logout_redirect_uris: vec![uri("https://c.example/")],
            scopes: ScopeSet::parse("api").unwrap(),
            client_type: ClientType::Public,
            trusted: false,
            options: ApplicationOptions::of(ClientType::Public),
            owner_id: None,
            created_at: Timestamp::MIN,
        };
        let response = ApplicationResponse::from(&application);
        let fixed = r#""id":7,"application_id":"app","application_name":"Shop","callback_url":"https://a.example/\nhttps://b.example/","post_logout_redirect_uris":["https://c.example/"],"confidential":false,"issuer_in_response":true,"reduce_scopes":true,"groups_claim":false,"id_token_seconds":null,"access_token_seconds":null"#;
        assert_eq!(
            serde_json::to_string(&response).unwrap(),
            format!("{{{fixed}}}")
        );
        let new = NewApplicationResponse {
            application: response,
            secret: "s3cret",
        };
        let json = serde_json::to_string(&new).unwrap();
        assert_eq!(json, format!(r#"{{{fixed},"secret":"s3cret"}}"#));
        assert!(!format!("{new:?}").contains("s3cret"));
    }
}
