//! One path of the API and the methods that it answers.

use actix_web::dev::HttpServiceFactory;
use actix_web::http::Method;
use actix_web::web;
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder, Route};
use api_conventions::error::ApiError;

use super::oauth::refuse;
use crate::pages::answer::see_other;
use crate::pages::failure::{PageFailure, prefers_page};
use crate::pages::web_url;
use crate::state::AppState;

/// A path and its methods. `HEAD` answers wherever `GET` does, `OPTIONS` lists the methods, and every other
/// method is refused with 405 and the same list (`API-09`).
#[derive(Debug)]
pub struct Endpoint {
    pattern: String,
    routes: Vec<(Method, RouteBox)>,
}

/// Makes a route, because a path without parameters is mounted twice.
struct RouteBox(Box<dyn Fn() -> Route>);

impl std::fmt::Debug for RouteBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Route")
    }
}

/// Starts an endpoint at `pattern`, in the syntax of the router. A slash at the end of a request's path is
/// accepted too, because a redirect would turn a POST into a GET at some clients.
pub fn at(pattern: &str) -> Endpoint {
    Endpoint {
        pattern: pattern.to_owned(),
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
        let asked = method.clone();
        let route = move || web::method(asked.clone()).to(handler.clone());
        self.routes.push((method, RouteBox(Box::new(route))));
        self
    }

    /// What is finished, to be registered. Every request is compared with the paths that stand before its own, and
    /// a path without parameters is compared as it is, where one with parameters takes a regular expression. So the
    /// slash at the end is such a parameter only where there are others.
    pub fn build(self) -> impl HttpServiceFactory + use<> {
        let patterns = if self.pattern.contains('{') {
            vec![format!("{}{{_slash:/?}}", self.pattern)]
        } else {
            vec![self.pattern.clone(), format!("{}/", self.pattern)]
        };
        let resources = patterns.into_iter().map(|pattern| self.resource(&pattern));
        resources.collect::<Vec<Resource>>()
    }

    fn resource(&self, pattern: &str) -> Resource {
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
                refuse(&request, ApiError::method_not_allowed(&allowed))
            };
            std::future::ready(Err::<HttpResponse, actix_web::Error>(refusal))
        });
        let start: Resource = web::resource(pattern)
            .route(options)
            .default_service(refuse);
        self.routes
            .iter()
            .fold(start, |resource, (_, route)| resource.route((route.0)()))
    }
}

/// The answer where no path matches (`API-09`): the way to a thing whose `web_url` the path is, else 404.
///
/// # Errors
/// 404 where there is no such thing for this visitor; failures of the store.
pub async fn unknown_route(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, actix_web::Error> {
    let closest = web_url::closest(&request, &state).await;
    if let Some(path) = closest.map_err(PageFailure::from)? {
        return Ok(see_other(&path).finish());
    }
    if prefers_page(&request) {
        Err(PageFailure::not_found().into())
    } else {
        Err(refuse(&request, ApiError::unknown_route()))
    }
}
