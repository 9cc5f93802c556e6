//! An operation: its declaration and what it does.

use std::rc::Rc;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Responder};
use futures_util::future::LocalBoxFuture;

use super::access::Access;
use super::declaration::{Answer, Body, Declaration, Pages, RateClass};
use super::deletion::{Conditional, MODIFIED, UNMODIFIED_SINCE};
use super::fitting::Unbuilt;
use super::parameter::Parameter;

/// What a handler is given that says who called. Extracting it checks that: a handler that has one was called by
/// somebody who may.
///
/// The type says who may call, and the declaration takes it from there. So what is declared is what is checked.
pub trait Caller: FromRequest {
    /// Who may call.
    const ACCESS: Access;
}

/// The arguments of a handler. The last one is its [`Caller`], so a handler that says nothing of who may call it is no
/// operation. A handler of the API has no other one, so that nothing passes the check by: what it needs, its caller gives.
pub trait Arguments: FromRequest + 'static {
    /// Who may call.
    const ACCESS: Access;
}

impl<C: Caller + 'static> Arguments for (C,) {
    const ACCESS: Access = C::ACCESS;
}

impl<A: FromRequest + 'static, C: Caller + 'static> Arguments for (A, C) {
    const ACCESS: Access = beside_others(C::ACCESS);
}

impl<A: FromRequest + 'static, B: FromRequest + 'static, C: Caller + 'static> Arguments
    for (A, B, C)
{
    const ACCESS: Access = beside_others(C::ACCESS);
}

impl<A, B, D, C> Arguments for (A, B, D, C)
where
    A: FromRequest + 'static,
    B: FromRequest + 'static,
    D: FromRequest + 'static,
    C: Caller + 'static,
{
    const ACCESS: Access = beside_others(C::ACCESS);
}

/// The access of a caller that is not the only argument. It does not compile for callers of the API.
const fn beside_others(access: Access) -> Access {
    assert!(
        !matches!(access, Access::Api { .. }),
        "a handler of the API has its caller as its only argument"
    );
    access
}

type Run = dyn Fn(HttpRequest, Payload) -> LocalBoxFuture<'static, ServiceResponse<BoxBody>>;

/// A declaration and the handler that it belongs to.
#[derive(Clone)]
pub struct Operation {
    declaration: Arc<Declaration>,
    run: Rc<Run>,
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.declaration.fmt(f)
    }
}

/// Begins an operation that answers `GET` and `HEAD`. Every operation begins with its id, path and handler.
pub fn get<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    operation(Method::GET, id, path, handler)
}

/// Begins an operation that answers `POST`.
pub fn post<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    operation(Method::POST, id, path, handler)
}

/// Begins an operation that answers `PUT`.
pub fn put<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    operation(Method::PUT, id, path, handler)
}

/// Begins an operation that answers `PATCH`.
pub fn patch<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    operation(Method::PATCH, id, path, handler)
}

/// Begins an operation that answers `DELETE`, on the condition of `If-Unmodified-Since`: see [`Deletion`](super::Deletion).
pub fn delete<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Conditional + 'static,
{
    let handler = move |request: HttpRequest, arguments: A| {
        let output = handler.call(arguments);
        async move { output.await.respond(&request) }
    };
    declare::<A>(Method::DELETE, id, path, handler)
        .takes([UNMODIFIED_SINCE])
        .answers(MODIFIED)
}

/// Begins an operation of a page or of another protocol that answers `DELETE`, whatever the time of the last change. It does not
/// compile for operations of the API.
pub fn unconditional_delete<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    const {
        assert!(
            !matches!(A::ACCESS, Access::Api { .. }),
            "a deletion of the API has a condition: begin it with `delete`"
        );
    }
    operation(Method::DELETE, id, path, handler)
}

fn operation<F, A>(method: Method, id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    let handler = move |request: HttpRequest, arguments: A| {
        let output = handler.call(arguments);
        async move { output.await.respond_to(&request).map_into_boxed_body() }
    };
    declare::<A>(method, id, path, handler)
}

fn declare<A: Arguments>(
    method: Method,
    id: &'static str,
    path: &'static str,
    handler: impl AsyncFn(HttpRequest, A) -> HttpResponse<BoxBody> + Clone + 'static,
) -> Operation {
    let rate = match method {
        Method::GET => RateClass::Read,
        _ => RateClass::Write,
    };
    let declaration = Declaration {
        id,
        method,
        path,
        aliases: &[],
        summary: "",
        tag: None,
        access: A::ACCESS,
        parameters: Vec::new(),
        unbuilt: Vec::new(),
        body: None,
        answers: Vec::new(),
        refusal: None,
        pages: Pages::None,
        rate,
        has_secrets: false,
        is_open_page: false,
    };
    Operation {
        declaration: Arc::new(declaration),
        run: Rc::new(move |request, payload| answer(handler.clone(), request, payload)),
    }
}

/// Extracts the arguments, which checks who called, and calls the handler.
fn answer<A: Arguments>(
    handler: impl AsyncFn(HttpRequest, A) -> HttpResponse<BoxBody> + 'static,
    request: HttpRequest,
    mut payload: Payload,
) -> LocalBoxFuture<'static, ServiceResponse<BoxBody>> {
    Box::pin(async move {
        let response = match A::from_request(&request, &mut payload).await {
            Ok(arguments) => handler(request.clone(), arguments).await,
            Err(refusal) => HttpResponse::from_error(refusal),
        };
        ServiceResponse::new(request, response)
    })
}

impl Operation {
    /// What it says about itself.
    pub fn declaration(&self) -> &Arc<Declaration> {
        &self.declaration
    }

    /// Calls it.
    pub(super) fn call(
        &self,
        request: ServiceRequest,
    ) -> LocalBoxFuture<'static, ServiceResponse<BoxBody>> {
        let (request, payload) = request.into_parts();
        (self.run)(request, payload)
    }

    /// Puts it into the document of the API, in an area of the product.
    #[must_use]
    pub fn documented(self, tag: &'static str, summary: &'static str) -> Self {
        self.with(|declaration| {
            declaration.tag = Some(tag);
            declaration.summary = summary;
        })
    }

    /// Answers at further paths, too.
    #[must_use]
    pub fn also_at(self, aliases: &'static [&'static str]) -> Self {
        self.with(|declaration| declaration.aliases = aliases)
    }

    /// Takes these parameters, besides those that were given before.
    #[must_use]
    pub fn takes(self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.with(|declaration| declaration.parameters.extend(parameters))
    }

    /// Refuses these filters, which the API knows for such a list.
    #[must_use]
    pub fn lacks(self, filters: impl IntoIterator<Item = Unbuilt>) -> Self {
        self.with(|declaration| declaration.unbuilt.extend(filters))
    }

    /// Needs this body, which is no set of parameters.
    #[must_use]
    pub fn reads(self, body: Body) -> Self {
        self.with(|declaration| declaration.body = Some(body))
    }

    /// Gives this answer, too.
    #[must_use]
    pub fn answers(self, answer: Answer) -> Self {
        self.with(|declaration| declaration.answers.push(answer))
    }

    /// Refuses with this body, as a protocol of its own has it.
    #[must_use]
    pub fn refuses_with(self, body: Body) -> Self {
        self.with(|declaration| declaration.refusal = Some(body))
    }

    /// Is a list, with these kinds of paging.
    #[must_use]
    pub fn paged(self, pages: Pages) -> Self {
        self.with(|declaration| declaration.pages = pages)
    }

    /// Says that the answer holds a secret. It is never compressed.
    #[must_use]
    pub fn with_secrets(self) -> Self {
        self.with(|declaration| declaration.has_secrets = true)
    }

    /// Says that the page holds nothing secret but the token of its forms, which must differ in each answer. It is compressed.
    #[must_use]
    pub fn open_page(self) -> Self {
        self.with(|declaration| declaration.is_open_page = true)
    }

    /// Costs what calls of another class do.
    #[must_use]
    pub fn rated(self, rate: RateClass) -> Self {
        self.with(|declaration| declaration.rate = rate)
    }

    fn with(mut self, change: impl FnOnce(&mut Declaration)) -> Self {
        change(Arc::make_mut(&mut self.declaration));
        self
    }
}
