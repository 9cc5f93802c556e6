//! One path of the API and the methods that it answers.

use actix_web::dev::HttpServiceFactory;
use actix_web::http::Method;
use actix_web::web;
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder, Route};
use api_conventions::error::ApiError;

use super::failure::Failure;
use crate::pages::failure::{PageFailure, prefers_page};

/// A path and its methods. `HEAD` answers wherever `GET` does, `OPTIONS` lists the methods, and every other
/// method is refused with 405 and the same list (`API-09`).
#[derive(Debug)]
pub struct Endpoint {
    pattern: String,
    routes: Vec<(Method, RouteBox)>,
}

/// `Route` has no `Debug` of its own.
struct RouteBox(Route);

impl std::fmt::Debug for RouteBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Route")
    }
}

/// Starts an endpoint at `pattern`, in the syntax of the router. A slash at the end of a request's path is
/// accepted too, because a redirect would turn a POST into a GET at some clients.
pub fn at(pattern: &str) -> Endpoint {
    Endpoint {
        pattern: format!("{pattern}{{_slash:/?}}"),
        routes: Vec::new(),
    }
}

impl Endpoint {
    /// Answers `GET` and `HEAD`.
    #[must_use]
    pub fn get<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.method(Method::GET, handler.clone())
            .method(Method::HEAD, handler)
    }

    /// Answers `POST`.
    #[must_use]
    pub fn post<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.method(Method::POST, handler)
    }

    /// Answers `PUT`.
    #[must_use]
    pub fn put<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.method(Method::PUT, handler)
    }

    /// Answers `PATCH`.
    #[must_use]
    pub fn patch<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.method(Method::PATCH, handler)
    }

    /// Answers `DELETE`.
    #[must_use]
    pub fn delete<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.method(Method::DELETE, handler)
    }

    fn method<F, Args>(mut self, method: Method, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let route = web::method(method.clone()).to(handler);
        self.routes.push((method, RouteBox(route)));
        self
    }

    /// The finished resource, to be registered.
    pub fn build(self) -> impl HttpServiceFactory + use<> {
        let methods: Vec<&str> = self
            .routes
            .iter()
            .map(|(method, _)| method.as_str())
            .collect();
        let allowed = format!("OPTIONS, {}", methods.join(", "));
        let listed = allowed.clone();
        let options = web::method(Method::OPTIONS).to(move || {
            let answer = HttpResponse::NoContent()
                .insert_header(("Allow", listed.as_str()))
                .finish();
            std::future::ready(answer)
        });
        let refuse = web::to(move |request: HttpRequest| {
            let refusal: actix_web::Error = if prefers_page(&request) {
                PageFailure::method_not_allowed(&allowed).into()
            } else {
                Failure::from(ApiError::method_not_allowed(&allowed)).into()
            };
            std::future::ready(Err::<HttpResponse, actix_web::Error>(refusal))
        });
        let start: Resource = web::resource(self.pattern)
            .route(options)
            .default_service(refuse);
        self.routes
            .into_iter()
            .fold(start, |resource, (_, route)| resource.route(route.0))
    }
}

/// The answer where no path matches (`API-09`).
///
/// # Errors
/// Always: 404 is the answer.
pub async fn unknown_route(request: HttpRequest) -> Result<HttpResponse, actix_web::Error> {
    if prefers_page(&request) {
        Err(PageFailure::not_found().into())
    } else {
        Err(Failure::from(ApiError::unknown_route()).into())
    }
}
