//! Operations whose callers are not checked by the frame, each with the reason in its type.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{Error, FromRequest, HttpRequest};
use web_conventions::operations::{Access, Caller, Credentials, Scheme};

/// The key of a project's alert endpoint.
pub const ALERT_KEY: &Credentials = &Credentials {
    name: "alertKey",
    about: "the key of the project's alert endpoint",
    schemes: &[
        Scheme::Bearer,
        Scheme::Basic(
            "The key of the project's alert endpoint as the password. The name does not matter.",
        ),
    ],
    is_header_optional: false,
};

/// The client key of a project, as SDKs of the tracker send it.
pub const CLIENT_KEY: &Credentials = &Credentials {
    name: "clientKey",
    about: "the public key of a DSN: as `sentry_key` in the header X-Sentry-Auth or in the address, or in the DSN that an envelope \
            names",
    schemes: &[],
    is_header_optional: true,
};

/// What an application proves itself by.
pub const APPLICATION: &Credentials = &Credentials {
    name: "application",
    about: "the credentials of an application (RFC 6749, section 2.3)",
    schemes: &[Scheme::Basic(
        "The client id as the name and the client secret as the password, both encoded as the values of forms are (RFC \
         6749, section 2.3.1). Both may stand in the form instead, as client_id and client_secret; a public client sends \
         its client_id alone.",
    )],
    is_header_optional: true,
};

/// An access token of an application, as the provider's own endpoints take it.
pub const APPLICATION_TOKEN: &Credentials = &Credentials {
    name: "applicationToken",
    about: "an access token of an application (RFC 6750)",
    schemes: &[Scheme::Bearer],
    is_header_optional: true,
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
    /// Anyone who watches the server.
    Monitor = Access::Public("it says only whether the server works");
    /// Anyone who wants to know what the server can do.
    Reader = Access::Public("it is the same for everybody and holds no data of users");
    /// A browser that fetches a file of a page.
    Browser = Access::Public("the files of pages are the same for everybody");
    /// A monitoring system, which brings the key of its endpoint. The handler checks it before it reads the body.
    Sender = Access::Own(ALERT_KEY);
    /// A program that reports its errors, which brings a client key. The handler checks it before it reads the body, unless the key
    /// stands in there.
    Program = Access::Own(CLIENT_KEY);
    /// Anyone who brings an access token of an application, as the provider's own endpoints take it.
    Bearer = Access::Own(APPLICATION_TOKEN);
}
