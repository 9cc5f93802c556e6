//! Operations whose callers are not checked by the frame, each with the reason in its type.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{Error, FromRequest, HttpRequest};
use web_conventions::operations::{Access, Caller};

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
    Sender = Access::Own("the key of the project's alert endpoint");
    /// An application, which proves itself by its secret or, when it is public, by what it holds.
    Client = Access::Own("the credentials of an application (RFC 6749, section 2.3)");
    /// Anyone who brings an access token of an application, as the provider's own endpoints take it.
    Bearer = Access::Own("an access token of an application (RFC 6750)");
}
