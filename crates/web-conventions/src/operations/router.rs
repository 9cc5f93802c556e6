//! Routing of requests to operations.
//!
//! Paths are looked up in a tree by their segments, so the cost of a request does not depend on the number of
//! operations. Paths have three forms:
//! * `/api/v4/projects/{id}`: a parameter is one segment, never an empty one;
//! * `/static/{*rest}`: the last parameter may be the whole rest of the path;
//! * `/{*project}/alerts/notify/{slug}/{endpoint}`: the first parameter may be everything before the tail.
//!
//! A trailing slash in a request's path is ignored, because a redirect would make some clients turn a POST into a GET.
//! Percent-encoded slashes do not separate segments.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse, fn_service};
use actix_web::http::Method;
use actix_web::http::header::{ALLOW, IF_NONE_MATCH};
use actix_web::{Error, HttpMessage as _, HttpRequest, HttpResponse};
use api_conventions::params::DeclaredNames;
use api_conventions::release::Edition;
use futures_util::future::LocalBoxFuture;

use super::access::Access;
use super::admission::{Admission, AdmissionStep};
use super::declaration::Declaration;
use super::operation::Operation;
use super::releases::{OperationAdapter, OtherEdition, Releases, RequestAdaptation};
use super::rewrite::rewrite;
use super::tail::Tail;
use super::validation::ResponseFields;

/// Responses to requests without an operation.
pub trait Fallback: 'static {
    /// Returns the response if no path matches.
    fn no_path(&self, request: HttpRequest)
    -> LocalBoxFuture<'static, Result<HttpResponse, Error>>;

    /// Returns the refusal if the path answers other methods only.
    fn no_method(&self, request: &HttpRequest, allowed: &str) -> Error;
}

/// Reason why operations cannot be served together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the operation {id} at {path} cannot be served: {reason}")]
pub struct RoutingError {
    /// Operation id.
    pub id: &'static str,
    /// Path of the operation.
    pub path: String,
    /// Reason.
    pub reason: String,
}

/// The operations of one path.
#[derive(Debug)]
struct PathEntry {
    path: &'static str,
    operations: Vec<MountedOperation>,
}

/// An operation, with its adaptation to other releases.
#[derive(Debug)]
struct MountedOperation {
    operation: Operation,
    names: Option<DeclaredNames>,
    response_fields: Rc<ResponseFields>,
    adapter: Option<Rc<dyn OperationAdapter>>,
}

/// Operations of all releases, by path and method. A request is answered in one of the releases.
pub struct Router {
    tree: matchit::Router<usize>,
    /// Path forms whose beginning may be anything, with their entries.
    tails: Vec<(Tail, usize)>,
    paths: Vec<PathEntry>,
    releases: Box<dyn Releases>,
    /// Edition for requests that ask for no other one.
    own: Edition,
    fallback: Box<dyn Fallback>,
    admission: Option<Box<dyn Admission>>,
}

impl std::fmt::Debug for Router {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.paths).finish()
    }
}

/// Match of a request, in the request's extensions.
#[derive(Debug, Clone)]
pub(super) struct RouteMatch {
    path: &'static str,
    pub(super) declaration: Option<Arc<Declaration>>,
    /// Names of the parameters that the handler may read.
    pub(super) names: Option<DeclaredNames>,
    /// Names of the fields of its response.
    pub(super) response_fields: Rc<ResponseFields>,
}

/// Returns the declaration of the operation that answers a request; `None` if no operation was found.
pub fn declaration_of(request: &HttpRequest) -> Option<Arc<Declaration>> {
    let extensions = request.extensions();
    extensions.get::<RouteMatch>()?.declaration.clone()
}

/// Returns the declared path that a request matches, even if none of its operations has the request's method; `None` if
/// no path was found.
pub fn path_of(request: &HttpRequest) -> Option<&'static str> {
    let extensions = request.extensions();
    extensions.get::<RouteMatch>().map(|found| found.path)
}

impl Router {
    /// Creates a router for `operations`, each in the releases that have it.
    ///
    /// # Errors
    /// If two have the same path and method, or the same id, or paths that cannot be distinguished.
    pub fn new(
        operations: impl IntoIterator<Item = Operation>,
        releases: impl Releases,
        fallback: impl Fallback,
    ) -> Result<Self, RoutingError> {
        let mut router = Self {
            tree: matchit::Router::new(),
            tails: Vec::new(),
            paths: Vec::new(),
            own: releases.own(),
            releases: Box::new(releases),
            fallback: Box::new(fallback),
            admission: None,
        };
        let mut known = HashMap::new();
        let mut ids = HashSet::new();
        for operation in operations {
            let declaration = Arc::clone(operation.declaration());
            if !ids.insert(declaration.id) {
                return Err(routing_error(
                    &declaration,
                    declaration.path,
                    "the id is already in use",
                ));
            }
            let paths =
                std::iter::once(declaration.path).chain(declaration.aliases.iter().copied());
            for path in paths {
                let at = match known.get(path) {
                    Some(at) => *at,
                    None => *known
                        .entry(path)
                        .or_insert(router.open(&declaration, path)?),
                };
                router.add(at, path, operation.clone())?;
            }
        }
        Ok(router)
    }

    /// Sets the check of every call, which runs before the caller is authenticated and the body is read.
    #[must_use]
    pub fn admitting(mut self, admission: impl Admission) -> Self {
        self.admission = Some(Box::new(admission));
        self
    }

    /// Adds an entry for a path.
    fn open(
        &mut self,
        declaration: &Declaration,
        path: &'static str,
    ) -> Result<usize, RoutingError> {
        let at = self.paths.len();
        if let Some(tail) = Tail::of(path) {
            self.tails.push((tail, at));
        } else {
            let inserted = self.tree.insert(path, at);
            inserted.map_err(|error| routing_error(declaration, path, &error.to_string()))?;
        }
        self.paths.push(PathEntry {
            path,
            operations: Vec::new(),
        });
        Ok(at)
    }

    fn add(&mut self, at: usize, path: &str, operation: Operation) -> Result<(), RoutingError> {
        let declaration = Arc::clone(operation.declaration());
        let adapter = self.releases.adapter(&declaration);
        let Some(there) = self.paths.get_mut(at) else {
            return Err(routing_error(&declaration, path, "the path has no entry"));
        };
        if there.has(&declaration.method) {
            return Err(routing_error(
                &declaration,
                path,
                "the method is already in use",
            ));
        }
        there.operations.push(MountedOperation {
            names: declaration.names(),
            response_fields: Rc::default(),
            operation,
            adapter,
        });
        Ok(())
    }

    /// Returns the service for all requests that no earlier service accepts: the default service of an application, or
    /// of a scope in it.
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
        let (there, edition) = match self.find(&mut request) {
            Ok(found) => found,
            Err(refusal) => return request.into_response(HttpResponse::from_error(refusal)),
        };
        let is_read = [Method::GET, Method::HEAD].contains(request.method());
        let is_there = |there: &&PathEntry| {
            there.is_available(edition) && !(is_read && there.is_form(edition))
        };
        let Some(there) = there.filter(is_there) else {
            let (request, _payload) = request.into_parts();
            let answer = self.fallback.no_path(request.clone()).await;
            return ServiceResponse::new(request, answer.unwrap_or_else(HttpResponse::from_error));
        };
        let mounted = there.find(request.method(), edition);
        let declaration = mounted.map(|it| Arc::clone(it.operation.declaration()));
        request.extensions_mut().insert(RouteMatch {
            path: there.path,
            declaration,
            names: mounted.and_then(|it| it.names.clone()),
            response_fields: mounted
                .map(|it| Rc::clone(&it.response_fields))
                .unwrap_or_default(),
        });
        let Some(mounted) = mounted else {
            return self.without_method(request, there, edition);
        };
        match self.admit(&request, mounted).await {
            Ok(()) => mounted.call(request, edition).await,
            Err(refusal) => request.into_response(HttpResponse::from_error(refusal)),
        }
    }

    async fn admit(
        &self,
        request: &ServiceRequest,
        mounted: &MountedOperation,
    ) -> Result<(), Error> {
        let Some(admission) = &self.admission else {
            return Ok(());
        };
        match admission.admit(request.request(), mounted.operation.declaration()) {
            AdmissionStep::Decided(decision) => decision,
            AdmissionStep::Pending(decision) => decision.await,
        }
    }

    fn without_method(
        &self,
        request: ServiceRequest,
        there: &PathEntry,
        edition: Edition,
    ) -> ServiceResponse<BoxBody> {
        let allowed = there.allowed(edition);
        let answer = if *request.method() == Method::OPTIONS {
            let mut answer = HttpResponse::NoContent();
            answer.insert_header((ALLOW, allowed)).finish()
        } else {
            let refusal = self.fallback.no_method(request.request(), &allowed);
            HttpResponse::from_error(refusal)
        };
        request.into_response(answer)
    }

    /// Finds the entry for the path of a request, and the edition of the request. The path parameters are added to the
    /// request, and so is an edition other than the server's.
    fn find(&self, request: &mut ServiceRequest) -> Result<(Option<&PathEntry>, Edition), Error> {
        let path = request.match_info().unprocessed();
        let (located, other) = match self.releases.other_version(path) {
            Some((path, edition)) => (self.locate(&path), Some(edition)),
            None => (
                self.locate(path),
                self.releases.requested_edition(request.request())?,
            ),
        };
        if let Some(other) = other {
            request.extensions_mut().insert(OtherEdition(other));
        }
        let edition = other.unwrap_or(self.own);
        let Some((there, values)) = located else {
            return Ok((None, edition));
        };
        for (name, value) in values {
            let parameters = request.match_info_mut();
            parameters.add_static(Cow::Borrowed(name), Cow::Owned(value));
        }
        Ok((Some(there), edition))
    }

    /// Returns the entry for a path, and the values of its parameters.
    fn locate(&self, path: &str) -> Option<(&PathEntry, Vec<(&'static str, String)>)> {
        let path = path
            .strip_suffix('/')
            .filter(|path| !path.is_empty())
            .unwrap_or(path);
        let mut tails = self.tails.iter();
        let tail = tails.find_map(|(tail, at)| Some((*at, tail.match_path(path)?)));
        if let Some((at, values)) = tail {
            return Some((self.paths.get(at)?, values));
        }
        let matched = self.tree.at(path).ok()?;
        let there = self.paths.get(*matched.value)?;
        let values = matched.params.iter().map(|(_, value)| value.to_owned());
        Some((there, parameters(there.path).zip(values).collect()))
    }
}

impl PathEntry {
    fn has(&self, method: &Method) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|mounted| mounted.method() == method)
    }

    /// True if an edition has an operation at this path.
    fn is_available(&self, at: Edition) -> bool {
        self.operations
            .iter()
            .any(|mounted| mounted.is_available(at))
    }

    /// True if the path only accepts forms and has no page: a browser that opens it gets "not found".
    fn is_form(&self, at: Edition) -> bool {
        let mut alive = self.operations.iter().filter(|it| it.is_available(at));
        alive.all(|it| {
            let declaration = it.operation.declaration();
            matches!(declaration.access, Access::Page(_)) && declaration.method != Method::GET
        })
    }

    fn find(&self, method: &Method, at: Edition) -> Option<&MountedOperation> {
        let method = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let found = self.operations.iter().find(|it| it.method() == method)?;
        found.is_available(at).then_some(found)
    }

    /// Returns the methods that an edition answers at this path.
    fn allowed(&self, at: Edition) -> String {
        let mut methods = vec!["OPTIONS"];
        for mounted in self.operations.iter().filter(|it| it.is_available(at)) {
            methods.push(mounted.method().as_str());
            if *mounted.method() == Method::GET {
                methods.push("HEAD");
            }
        }
        methods.join(", ")
    }
}

impl MountedOperation {
    fn method(&self) -> &Method {
        &self.operation.declaration().method
    }

    fn is_available(&self, at: Edition) -> bool {
        let adapter = self.adapter.as_ref();
        adapter.is_none_or(|adapter| adapter.is_available(at))
    }

    /// Calls the operation, and adapts request and response to the edition.
    async fn call(
        &self,
        mut request: ServiceRequest,
        edition: Edition,
    ) -> ServiceResponse<BoxBody> {
        let Some(adapter) = &self.adapter else {
            return self.operation.call(request).await;
        };
        let adaptation = RequestAdaptation {
            edition,
            adapter: Rc::clone(adapter),
        };
        request.extensions_mut().insert(adaptation.clone());
        let changes = adapter.changes_responses(edition);
        // The handler knows the entity tags of its own responses, the client those of the edition.
        let known = changes.then(|| request.headers_mut().remove(IF_NONE_MATCH).next());
        let mut answer = self.operation.call(request).await;
        if let Some(known) = known {
            answer = rewrite(answer, &adaptation, known).await;
        }
        adapter.finish(edition, &mut answer);
        answer
    }
}

fn routing_error(declaration: &Declaration, path: &str, reason: &str) -> RoutingError {
    RoutingError {
        id: declaration.id,
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Returns the names of the parameters of a path, in their order.
pub(super) fn parameters(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('{').skip(1).filter_map(|rest| {
        let name = rest.split('}').next()?;
        Some(name.trim_start_matches('*'))
    })
}
