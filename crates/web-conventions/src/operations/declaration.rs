//! Declaration of an operation.

use std::fmt;

use actix_web::http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::access::Access;
use super::parameter::Parameter;
use super::validation::UnsupportedFilter;

/// Kinds of paging that a list supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pages {
    /// Not a list.
    #[default]
    None,
    /// Paging by number: `page` and `per_page`.
    Offset,
    /// Paging by number, or by the key of the last row: `pagination=keyset` and the link to the next page.
    OffsetAndKeyset,
}

/// Cost class of a call, for rate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateClass {
    /// Read access.
    Read,
    /// Changes.
    Write,
    /// Intake of data from monitoring systems and programs.
    Intake,
    /// Verification of a secret that can be guessed. After too many wrong ones the response is 429.
    Guess,
}

impl RateClass {
    /// Returns the name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Intake => "intake",
            Self::Guess => "guess",
        }
    }
}

/// A response of an operation.
#[derive(Clone, Copy)]
pub struct ResponseSpec {
    /// HTTP status.
    pub status: u16,
    /// Description, as a sentence.
    pub about: &'static str,
    /// Response body.
    pub content: Content,
}

/// Body of a response.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    /// No body.
    Empty,
    /// Body with this schema.
    Of(Body),
    /// Body that all refusals of the operation share: see [`Declaration::refusal`].
    Refusal,
}

/// Body of a response, or of a request.
#[derive(Clone, Copy)]
pub struct Body {
    /// Media type.
    pub media_type: &'static str,
    /// Generator of the schema.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl ResponseSpec {
    /// Creates a response without a body.
    pub const fn empty(status: u16, about: &'static str) -> Self {
        Self {
            status,
            about,
            content: Content::Empty,
        }
    }

    /// Creates a refusal that does not follow from the rest of the declaration, with the shared body of refusals.
    pub const fn refusal(status: u16, about: &'static str) -> Self {
        Self {
            status,
            about,
            content: Content::Refusal,
        }
    }

    /// Creates a response with JSON of this type.
    pub const fn json<T: JsonSchema>(status: u16, about: &'static str) -> Self {
        Self {
            status,
            about,
            content: Content::Of(Body::json::<T>()),
        }
    }
}

impl Body {
    /// Creates a JSON body of this type.
    pub const fn json<T: JsonSchema>() -> Self {
        Self {
            media_type: "application/json",
            schema: subschema::<T>,
        }
    }
}

fn subschema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl fmt::Debug for ResponseSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseSpec")
            .field("status", &self.status)
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.media_type)
    }
}

/// Declaration of an operation. The route, the access check, the refusal of other methods, the name in logs, the row of
/// the authorization matrix and the API document are all derived from it.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Unique id in logs, metrics and documents.
    pub id: &'static str,
    /// HTTP method. `HEAD` is answered wherever `GET` is.
    pub method: Method,
    /// Path, with its parameters in braces: see [`super::router`].
    pub path: &'static str,
    /// Further paths of the same operation.
    pub aliases: &'static [&'static str],
    /// Summary, in a few words.
    pub summary: &'static str,
    /// Area of the product, for documents. Operations without one are in no document: pages, and operations that no
    /// client of the API calls.
    pub tag: Option<&'static str>,
    /// Callers who may use the operation.
    pub access: Access,
    /// Parameters, except those of paging: see [`Self::pages`].
    pub parameters: Vec<Parameter>,
    /// Filters that the API has for such lists but this operation does not support: they are refused by name.
    pub unsupported_filters: Vec<UnsupportedFilter>,
    /// Body as a whole, if it is not a set of parameters.
    pub body: Option<Body>,
    /// Responses specific to the operation, without those that follow from the rest of the declaration.
    pub responses: Vec<ResponseSpec>,
    /// Body of its refusals, if its own protocol defines one; otherwise the shared body of refusals.
    pub refusal: Option<Body>,
    /// Paging of the list.
    pub pages: Pages,
    /// Cost class of a call.
    pub rate: RateClass,
    /// Name of the rate limit that its calls share with those of similar operations, in addition to the limits of all
    /// calls.
    pub limit: Option<&'static str>,
    /// True if the response holds a secret, so that it is never compressed.
    pub has_secrets: bool,
    /// True for a page with no secret except the token of its forms, so that it may be compressed.
    pub is_compressible_page: bool,
}

impl Declaration {
    /// True if the response may be compressed: it answers a GET, belongs to the API or is the same for everyone, and
    /// holds no secret. Pages may hold secrets of the visitor, and other protocols those of their callers.
    pub fn is_compressible(&self) -> bool {
        let is_open = match self.access {
            Access::Public(_) | Access::Api { .. } => true,
            Access::Page(_) => self.is_compressible_page,
            Access::Protocol(_) => false,
        };
        self.method == Method::GET && is_open && !self.has_secrets
    }
}
