//! Deprecated features used by a request, stored with the request until the response.

use actix_web::{HttpMessage as _, HttpRequest};

/// Records of the features used by a request, and the record that refused it.
#[derive(Debug, Clone, Default)]
pub(super) struct Used {
    pub(super) records: Vec<String>,
    pub(super) refused_by: Option<String>,
}

/// Ids of the records of deprecated features used by a request.
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
