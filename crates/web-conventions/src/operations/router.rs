//! Finds the operation that a request means.
//!
//! A path is found in a tree by its segments, so a request costs the same however many operations there are. Three forms
//! of paths exist:
//! * `/api/v4/projects/{id}`: a parameter is one segment, never an empty one;
//! * `/static/{*rest}`: the last parameter may be all that follows;
//! * `/{*project}/alerts/notify.json`: the first parameter may be all that stands before.
//!
//! A slash at the end of a request's path does not count, because a redirect would turn a POST into a GET at some
//! clients. Percent-encoded slashes do not separate segments.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse, fn_service};
use actix_web::http::Method;
use actix_web::http::header::ALLOW;
use actix_web::{Error, HttpMessage as _, HttpRequest, HttpResponse};
use futures_util::future::LocalBoxFuture;

use super::declaration::{Declaration, Release};
use super::operation::Operation;

/// What is answered where no operation is.
pub trait Fallback: 'static {
    /// The answer where no path matches.
    fn no_path(&self, request: HttpRequest)
    -> LocalBoxFuture<'static, Result<HttpResponse, Error>>;

    /// The refusal where the path answers other methods only.
    fn no_method(&self, request: &HttpRequest, allowed: &str) -> Error;
}

/// Why operations cannot be served together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the operation {id} at {path} cannot be served: {reason}")]
pub struct Unroutable {
    /// The operation.
    pub id: &'static str,
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// The operations of one path.
#[derive(Debug)]
struct AtPath {
    path: &'static str,
    operations: Vec<Operation>,
    /// What `Allow` says.
    allowed: String,
}

/// What comes before a path's end may be anything.
#[derive(Debug)]
struct Tail {
    text: &'static str,
    parameter: &'static str,
    at: usize,
}

/// The operations that are alive in a release, by path and method.
pub struct Router {
    tree: matchit::Router<usize>,
    tails: Vec<Tail>,
    paths: Vec<AtPath>,
    fallback: Box<dyn Fallback>,
}

impl std::fmt::Debug for Router {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.paths).finish()
    }
}

/// What was found for a request, in the request's extensions.
#[derive(Debug, Clone)]
struct Matched {
    path: &'static str,
    declaration: Option<Arc<Declaration>>,
}

/// What the operation that answers a request says about itself; `None` where no operation was found.
pub fn declaration_of(request: &HttpRequest) -> Option<Arc<Declaration>> {
    let extensions = request.extensions();
    extensions.get::<Matched>()?.declaration.clone()
}

/// The path that a request means, as its operations declare it, also where none of them has the request's method; `None`
/// where no path was found.
pub fn path_of(request: &HttpRequest) -> Option<&'static str> {
    let extensions = request.extensions();
    extensions.get::<Matched>().map(|found| found.path)
}

impl Router {
    /// Serves those of `operations` that are alive in a release.
    ///
    /// # Errors
    /// When two have the same path and method, or the same id, or paths that cannot be distinguished.
    pub fn new(
        operations: impl IntoIterator<Item = Operation>,
        release: Release,
        fallback: impl Fallback,
    ) -> Result<Self, Unroutable> {
        let mut router = Self {
            tree: matchit::Router::new(),
            tails: Vec::new(),
            paths: Vec::new(),
            fallback: Box::new(fallback),
        };
        let mut known: Vec<(&'static str, usize)> = Vec::new();
        let mut ids: Vec<&'static str> = Vec::new();
        for operation in operations {
            let declaration = Arc::clone(operation.declaration());
            if !declaration.life.includes(release) {
                continue;
            }
            if ids.contains(&declaration.id) {
                return Err(unroutable(
                    &declaration,
                    declaration.path,
                    "the id is taken",
                ));
            }
            ids.push(declaration.id);
            let paths =
                std::iter::once(declaration.path).chain(declaration.aliases.iter().copied());
            for path in paths {
                let at = if let Some((_, at)) = known.iter().find(|(other, _)| *other == path) {
                    *at
                } else {
                    let at = router.open(&declaration, path)?;
                    known.push((path, at));
                    at
                };
                router.add(at, path, operation.clone())?;
            }
        }
        Ok(router)
    }

    /// Makes room for a path.
    fn open(&mut self, declaration: &Declaration, path: &'static str) -> Result<usize, Unroutable> {
        let at = self.paths.len();
        if let Some((parameter, text)) = tail_of(path) {
            self.tails.push(Tail {
                text,
                parameter,
                at,
            });
        } else {
            let inserted = self.tree.insert(path, at);
            inserted.map_err(|error| unroutable(declaration, path, &error.to_string()))?;
        }
        self.paths.push(AtPath {
            path,
            operations: Vec::new(),
            allowed: String::new(),
        });
        Ok(at)
    }

    fn add(&mut self, at: usize, path: &str, operation: Operation) -> Result<(), Unroutable> {
        let declaration = Arc::clone(operation.declaration());
        let Some(there) = self.paths.get_mut(at) else {
            return Err(unroutable(&declaration, path, "the path has no room"));
        };
        if there.find(&declaration.method).is_some() {
            return Err(unroutable(&declaration, path, "the method is taken"));
        }
        there.operations.push(operation);
        there.allowed = there.allowed();
        Ok(())
    }

    /// The service that answers all requests that nothing before it took: the default service of an application, or of
    /// a scope of it.
    pub fn into_factory(
        self,
    ) -> impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
    > + use<> {
        let router = Rc::new(self);
        fn_service(move |request| {
            let router = Rc::clone(&router);
            async move { Ok(router.answer(request).await) }
        })
    }

    async fn answer(&self, mut request: ServiceRequest) -> ServiceResponse<BoxBody> {
        let Some(there) = self.find(&mut request) else {
            let (request, _payload) = request.into_parts();
            let answer = self.fallback.no_path(request.clone()).await;
            return ServiceResponse::new(request, answer.unwrap_or_else(HttpResponse::from_error));
        };
        let operation = there.find(request.method());
        request.extensions_mut().insert(Matched {
            path: there.path,
            declaration: operation.map(|operation| Arc::clone(operation.declaration())),
        });
        if let Some(operation) = operation {
            return operation.call(request).await;
        }
        if *request.method() == Method::OPTIONS {
            let answer = HttpResponse::NoContent()
                .insert_header((ALLOW, there.allowed.as_str()))
                .finish();
            return request.into_response(answer);
        }
        let refusal = self.fallback.no_method(request.request(), &there.allowed);
        request.into_response(HttpResponse::from_error(refusal))
    }

    /// The path of a request, whose parameters become those of the request.
    fn find(&self, request: &mut ServiceRequest) -> Option<&AtPath> {
        let path = request.match_info().unprocessed();
        let path = path
            .strip_suffix('/')
            .filter(|path| !path.is_empty())
            .unwrap_or(path);
        let mut found = Vec::new();
        let at = if let Some((tail, before)) = self.find_tail(path) {
            found.push((tail.parameter, before.to_owned()));
            tail.at
        } else {
            let matched = self.tree.at(path).ok()?;
            let at = *matched.value;
            let names = parameters(self.paths.get(at)?.path);
            let values = matched.params.iter().map(|(_, value)| value.to_owned());
            found.extend(names.zip(values));
            at
        };
        for (name, value) in found {
            let parameters = request.match_info_mut();
            parameters.add_static(Cow::Borrowed(name), Cow::Owned(value));
        }
        self.paths.get(at)
    }

    fn find_tail<'p>(&self, path: &'p str) -> Option<(&Tail, &'p str)> {
        self.tails.iter().find_map(|tail| {
            let before = path.strip_suffix(tail.text)?.strip_prefix('/')?;
            (!before.is_empty()).then_some((tail, before))
        })
    }
}

impl AtPath {
    fn find(&self, method: &Method) -> Option<&Operation> {
        let method = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let is_meant = |operation: &&Operation| operation.declaration().method == *method;
        self.operations.iter().find(is_meant)
    }

    /// The methods that the path answers.
    fn allowed(&self) -> String {
        let mut methods = vec!["OPTIONS"];
        for operation in &self.operations {
            methods.push(operation.declaration().method.as_str());
            if operation.declaration().method == Method::GET {
                methods.push("HEAD");
            }
        }
        methods.join(", ")
    }
}

fn unroutable(declaration: &Declaration, path: &str, reason: &str) -> Unroutable {
    Unroutable {
        id: declaration.id,
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The parameter before a tail and the tail, for a path that begins with all that stands before.
fn tail_of(path: &'static str) -> Option<(&'static str, &'static str)> {
    let (parameter, tail) = path.strip_prefix("/{*")?.split_once('}')?;
    (!tail.is_empty()).then_some((parameter, tail))
}

/// The names of the parameters of a path, in their order.
pub(super) fn parameters(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('{').skip(1).filter_map(|rest| {
        let name = rest.split('}').next()?;
        Some(name.trim_start_matches('*'))
    })
}
