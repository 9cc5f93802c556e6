//! An operation: its declaration and its handler.

use std::rc::Rc;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Responder};
use futures_util::future::LocalBoxFuture;

use super::access::Access;
use super::declaration::{Body, Declaration, Pages, RateClass, ResponseSpec};
use super::deletion::{Conditional, MODIFIED, UNMODIFIED_SINCE};
use super::parameter::Parameter;
use super::validation::UnsupportedFilter;

/// Argument of a handler that identifies the caller. Its extraction checks the caller's access, so a handler that has
/// one was called by someone who may call it.
///
/// The type defines the access, and the declaration takes it from the type, so that the declared access is the checked
/// one.
pub trait Caller: FromRequest {
    /// Access that the caller needs.
    const ACCESS: Access;
}

/// Arguments of a handler. The last one is its [`Caller`], so a handler without an access check is no operation. A
/// handler of the API has no other argument, so that it cannot bypass the check: all its input comes from its caller.
pub trait Arguments: FromRequest + 'static {
    /// Access that the caller needs.
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

/// Returns the access of a caller that is not the only argument. Does not compile for callers of the API.
const fn beside_others(access: Access) -> Access {
    assert!(
        !matches!(access, Access::Api { .. }),
        "an API handler must take its caller as its only argument"
    );
    access
}

type Run = dyn Fn(HttpRequest, Payload) -> LocalBoxFuture<'static, ServiceResponse<BoxBody>>;

/// A handler with its declaration.
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

/// Creates an operation for `GET` and `HEAD`. Every operation starts with its id, path and handler.
pub fn get<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    operation(Method::GET, id, path, handler)
}

/// Creates an operation for `POST`.
pub fn post<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    operation(Method::POST, id, path, handler)
}

/// Creates an operation for `PUT`.
pub fn put<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    operation(Method::PUT, id, path, handler)
}

/// Creates an operation for `PATCH`.
pub fn patch<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    operation(Method::PATCH, id, path, handler)
}

/// Creates an operation for `DELETE`, with the condition `If-Unmodified-Since`: see [`Deletion`](super::Deletion).
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
        .response(MODIFIED)
}

/// Creates an operation for `DELETE` without a condition, for a page or another protocol. Does not compile for
/// operations of the API.
pub fn unconditional_delete<F, A>(id: &'static str, path: &'static str, handler: F) -> Operation
where
    F: Handler<A>,
    A: Arguments,
    F::Output: Responder + 'static,
{
    const {
        assert!(
            !matches!(A::ACCESS, Access::Api { .. }),
            "an API deletion must be conditional: declare it with `delete`"
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
        unsupported_filters: Vec::new(),
        body: None,
        responses: Vec::new(),
        refusal: None,
        pages: Pages::None,
        rate,
        limit: None,
        has_secrets: false,
        is_compressible_page: false,
    };
    Operation {
        declaration: Arc::new(declaration),
        run: Rc::new(move |request, payload| answer(handler.clone(), request, payload)),
    }
}

/// Extracts the arguments, which checks the caller's access, and calls the handler.
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
    /// Returns the declaration.
    pub fn declaration(&self) -> &Arc<Declaration> {
        &self.declaration
    }

    /// Calls the operation.
    pub(super) fn call(
        &self,
        request: ServiceRequest,
    ) -> LocalBoxFuture<'static, ServiceResponse<BoxBody>> {
        let (request, payload) = request.into_parts();
        (self.run)(request, payload)
    }

    /// Adds the operation to the API document, in an area of the product.
    #[must_use]
    pub fn documented(self, tag: &'static str, summary: &'static str) -> Self {
        self.with(|declaration| {
            declaration.tag = Some(tag);
            declaration.summary = summary;
        })
    }

    /// Adds further paths.
    #[must_use]
    pub fn also_at(self, aliases: &'static [&'static str]) -> Self {
        self.with(|declaration| declaration.aliases = aliases)
    }

    /// Adds parameters.
    #[must_use]
    pub fn takes(self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.with(|declaration| declaration.parameters.extend(parameters))
    }

    /// Adds filters that the API has for such lists, and that this operation refuses.
    #[must_use]
    pub fn without_filters(self, filters: impl IntoIterator<Item = UnsupportedFilter>) -> Self {
        self.with(|declaration| declaration.unsupported_filters.extend(filters))
    }

    /// Sets the required body, which is not a set of parameters.
    #[must_use]
    pub fn reads(self, body: Body) -> Self {
        self.with(|declaration| declaration.body = Some(body))
    }

    /// Adds a response.
    #[must_use]
    pub fn response(self, response: ResponseSpec) -> Self {
        self.with(|declaration| declaration.responses.push(response))
    }

    /// Sets the body of refusals, for another protocol.
    #[must_use]
    pub fn refuses_with(self, body: Body) -> Self {
        self.with(|declaration| declaration.refusal = Some(body))
    }

    /// Marks the operation as a list with these kinds of paging.
    #[must_use]
    pub fn paged(self, pages: Pages) -> Self {
        self.with(|declaration| declaration.pages = pages)
    }

    /// Marks the response as secret. It is never compressed.
    #[must_use]
    pub fn with_secrets(self) -> Self {
        self.with(|declaration| declaration.has_secrets = true)
    }

    /// Marks the page as free of secrets, except for the token of its forms, which must differ in each response. It is
    /// compressed.
    #[must_use]
    pub fn compressible_page(self) -> Self {
        self.with(|declaration| declaration.is_compressible_page = true)
    }

    /// Sets the cost class of calls.
    #[must_use]
    pub fn rated(self, rate: RateClass) -> Self {
        self.with(|declaration| declaration.rate = rate)
    }

    /// Sets the name of the rate limit that calls count towards, in addition to the limits of all calls.
    #[must_use]
    pub fn limited(self, limit: &'static str) -> Self {
        self.with(|declaration| declaration.limit = Some(limit))
    }

    fn with(mut self, change: impl FnOnce(&mut Declaration)) -> Self {
        change(Arc::make_mut(&mut self.declaration));
        self
    }
}
