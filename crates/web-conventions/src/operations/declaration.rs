//! What an operation says about itself.

use std::fmt;

use actix_web::http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::access::Access;
use super::fitting::Unbuilt;
use super::parameter::Parameter;

/// Which kinds of paging a list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pages {
    /// It is no list.
    #[default]
    None,
    /// By number: `page` and `per_page`.
    Offset,
    /// By number, or by the key of the last row: `pagination=keyset` and the link to the next page.
    OffsetAndKeyset,
}

/// What a call costs the server, for limits on how often somebody may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateClass {
    /// It reads.
    Read,
    /// It changes something.
    Write,
    /// It stores what monitoring systems and programs send.
    Intake,
    /// It checks a secret that can be guessed. After too many wrong ones the answer is 429.
    Guess,
}

impl RateClass {
    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Intake => "intake",
            Self::Guess => "guess",
        }
    }
}

/// An answer that an operation gives.
#[derive(Clone, Copy)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// What it means, as a sentence.
    pub about: &'static str,
    /// The body.
    pub content: Content,
}

/// What the body of an answer is.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    /// There is none.
    Empty,
    /// This body.
    Of(Body),
    /// The body that all refusals of the operation have: see [`Declaration::refusal`].
    Refusal,
}

/// The body of an answer, or of a request.
#[derive(Clone, Copy)]
pub struct Body {
    /// The media type.
    pub media_type: &'static str,
    /// Makes the schema.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Answer {
    /// An answer without a body.
    pub const fn empty(status: u16, about: &'static str) -> Self {
        Self {
            status,
            about,
            content: Content::Empty,
        }
    }

    /// A refusal that does not follow from the rest of the declaration, with the body that all refusals have.
    pub const fn refusal(status: u16, about: &'static str) -> Self {
        Self {
            status,
            about,
            content: Content::Refusal,
        }
    }

    /// An answer with JSON of this type.
    pub const fn json<T: JsonSchema>(status: u16, about: &'static str) -> Self {
        Self {
            status,
            about,
            content: Content::Of(Body::json::<T>()),
        }
    }
}

impl Body {
    /// JSON of this type.
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

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
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

/// All that an operation says about itself. The route, the check of who may call it, the refusal of other methods, the
/// name in logs, the row of the authorization matrix and the document of the API come from this.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Its name, which no other has; in logs, metrics and documents.
    pub id: &'static str,
    /// The method. `HEAD` is answered wherever `GET` is.
    pub method: Method,
    /// The path, with its parameters in braces: see [`super::router`].
    pub path: &'static str,
    /// Further paths that do the same.
    pub aliases: &'static [&'static str],
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The area of the product, for documents. Operations without one stand in no document: pages, and what no client of
    /// the API calls.
    pub tag: Option<&'static str>,
    /// Who may call it.
    pub access: Access,
    /// The parameters. Those of paging are not among them: see [`Self::pages`].
    pub parameters: Vec<Parameter>,
    /// The filters that the API knows for such a list and that this one does not have: they are refused by name.
    pub unbuilt: Vec<Unbuilt>,
    /// The body as a whole, where it is no set of parameters.
    pub body: Option<Body>,
    /// The answers that are special to it. Those that follow from the rest of the declaration are not among them.
    pub answers: Vec<Answer>,
    /// The body of its refusals, where a protocol of its own gives it; otherwise it is that of all refusals.
    pub refusal: Option<Body>,
    /// How the list is paged.
    pub pages: Pages,
    /// What a call costs.
    pub rate: RateClass,
    /// True if the answer holds a secret, so that it is never compressed.
    pub has_secrets: bool,
    /// True if it is a page that holds nothing secret but the token of its forms, so that it may be compressed.
    pub is_open_page: bool,
}

impl Declaration {
    /// True if the answer may be compressed: it is one that is read, of the API or the same for everybody, and holds no secret.
    /// Pages may hold secrets of the visitor, and protocols of their own those of their callers.
    pub fn is_compressible(&self) -> bool {
        let is_open = match self.access {
            Access::Public(_) | Access::Api { .. } => true,
            Access::Page(_) => self.is_open_page,
            Access::Own(_) => false,
        };
        self.method == Method::GET && is_open && !self.has_secrets
    }
}
