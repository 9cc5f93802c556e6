//! Operations whose callers are not checked by the frame, with the reason in each type.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{Error, FromRequest, HttpRequest};
use web_conventions::operations::{Access, Caller, ProtocolCredentials, Scheme};

/// Key of a project's alert endpoint.
pub const ALERT_KEY: &ProtocolCredentials = &ProtocolCredentials {
    name: "alertKey",
    about: "the key of the project's alert endpoint",
    schemes: &[
        Scheme::Bearer,
        Scheme::Basic(
            "The key of the project's alert endpoint as the password. The username is ignored.",
        ),
    ],
    is_header_optional: false,
};

/// Access token or key of an alert endpoint, as clients of Alertmanager send them.
pub const ALERTMANAGER_TOKEN: &ProtocolCredentials = &ProtocolCredentials {
    name: "alertmanagerToken",
    about: "an access token of a member of the project, or the key of the alert endpoint if it may do more than send",
    schemes: &[
        Scheme::Bearer,
        Scheme::Basic(
            "An access token with the scope api, or read_api for reading, as the password; or the key of the alert endpoint. \
             The username is ignored.",
        ),
    ],
    is_header_optional: false,
};

/// Client key of a project, as tracker SDKs send it.
pub const CLIENT_KEY: &ProtocolCredentials = &ProtocolCredentials {
    name: "clientKey",
    about: "the public key of a DSN: as `sentry_key` in the X-Sentry-Auth header or in the URL, or in the DSN of an envelope",
    schemes: &[],
    is_header_optional: true,
};

/// Client authentication of an application.
pub const APPLICATION: &ProtocolCredentials = &ProtocolCredentials {
    name: "application",
    about: "the credentials of an application (RFC 6749, section 2.3)",
    schemes: &[Scheme::Basic(
        "The client ID as the username and the client secret as the password, both form-encoded (RFC 6749, section 2.3.1). \
         A client may send both in the form instead, as client_id and client_secret; a public client sends only its \
         client_id.",
    )],
    is_header_optional: true,
};

/// Token that Git sends as a password.
pub const GIT_TOKEN: &ProtocolCredentials = &ProtocolCredentials {
    name: "gitToken",
    about: "the credentials of a Git client: an access token or a deploy token",
    schemes: &[Scheme::Basic(
        "The username oauth2 with an access token that has the scope read_repository or write_repository, or the username \
         of a deploy token with the token.",
    )],
    is_header_optional: true,
};

/// Token that a client of a container registry sends as a password.
pub const REGISTRY_TOKEN: &ProtocolCredentials = &ProtocolCredentials {
    name: "registryToken",
    about: "the credentials of a client of the container registry: an access token or a deploy token",
    schemes: &[Scheme::Basic(
        "Any username with a personal, project or group access token that has the scope read_registry or write_registry, or \
         the username of a deploy token with the token. Tokens of applications are refused.",
    )],
    is_header_optional: true,
};

/// Access token of an application, for the provider's own endpoints.
pub const APPLICATION_TOKEN: &ProtocolCredentials = &ProtocolCredentials {
    name: "applicationToken",
    about: "an access token of an application (RFC 6750)",
    schemes: &[Scheme::Bearer],
    is_header_optional: true,
};

/// Token of the configuration that reads the metrics.
pub const METRICS_TOKEN: &ProtocolCredentials = &ProtocolCredentials {
    name: "metricsToken",
    about: "the token that `metrics.token` sets",
    schemes: &[
        Scheme::Bearer,
        Scheme::Basic("The token as the password. The username is ignored."),
    ],
    is_header_optional: false,
};

macro_rules! callers {
    ($($(#[doc = $about:literal])+ $name:ident = $access:expr;)*) => {$(
        $(#[doc = $about])+
        #[derive(Debug)]
        pub struct $name;

        impl Caller for $name {
            const ACCESS: Access = $access;
        }

        impl FromRequest for $name {
            type Error = Error;
            type Future = Ready<Result<Self, Error>>;

            fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
                ready(Ok(Self))
            }
        }
    )*};
}

callers! {
    /// Monitoring of the server.
    Monitor = Access::Public("reports only whether the server works");
    /// Monitoring system with the token for metrics.
    /// The handler checks the token.
    MetricsReader = Access::Protocol(METRICS_TOKEN);
    /// Reader of public server information.
    Reader = Access::Public("the same for everybody, without user data");
    /// Browser that loads a file of a page.
    Browser = Access::Public("the files of pages are the same for everybody");
    /// Monitoring system with the key of its endpoint.
    /// The handler checks the key before it reads the body.
    Sender = Access::Protocol(ALERT_KEY);
    /// Client of Alertmanager's API.
    /// The handler checks the token or the key.
    AlertmanagerClient = Access::Protocol(ALERTMANAGER_TOKEN);
    /// Program that reports its errors with a client key.
    /// The handler checks the key before it reads the body, unless the key is in the body.
    Program = Access::Protocol(CLIENT_KEY);
    /// Git server, or a proxy in front of it, with the credentials of a Git client.
    GitServer = Access::Protocol(GIT_TOKEN);
    /// Client of a container registry, with its credentials.
    ImageClient = Access::Protocol(REGISTRY_TOKEN);
    /// Caller with an application's access token, for the provider's own endpoints.
    Bearer = Access::Protocol(APPLICATION_TOKEN);
}
