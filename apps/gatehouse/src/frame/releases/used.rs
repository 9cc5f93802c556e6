//! What a request uses that will go, kept with the request until it is answered.

use actix_web::{HttpMessage as _, HttpRequest};

/// The records of what a request uses, and of what refused it.
#[derive(Debug, Clone, Default)]
pub(super) struct Used {
    pub(super) records: Vec<String>,
    pub(super) refused_by: Option<String>,
}

/// The names of the records of what a request uses that will go.
pub fn used_in(request: &HttpRequest) -> Vec<String> {
    let extensions = request.extensions();
    let used = extensions.get::<Used>();
    used.map_or_else(Vec::new, |used| used.records.clone())
}

pub(super) fn keep(request: &HttpRequest, used: Used) {
    request.extensions_mut().insert(used);
}

pub(super) fn kept(request: &HttpRequest) -> Used {
    let extensions = request.extensions();
    extensions.get::<Used>().cloned().unwrap_or_default()
}
