//! Deprecated features used by a request, stored with the request until the response.

use actix_web::{HttpMessage as _, HttpRequest};

/// Records of the features used by a request, and the record that refused it.
#[derive(Debug, Clone, Default)]
pub(super) struct DeprecationUse {
    pub(super) records: Vec<String>,
    pub(super) refused_by: Option<String>,
}

/// Ids of the records of deprecated features used by a request.
pub fn used_in(request: &HttpRequest) -> Vec<String> {
    let extensions = request.extensions();
    let used = extensions.get::<DeprecationUse>();
    used.map_or_else(Vec::new, |used| used.records.clone())
}

pub(super) fn store_use(request: &HttpRequest, used: DeprecationUse) {
    request.extensions_mut().insert(used);
}

pub(super) fn stored_use(request: &HttpRequest) -> DeprecationUse {
    let extensions = request.extensions();
    extensions
        .get::<DeprecationUse>()
        .cloned()
        .unwrap_or_default()
}
