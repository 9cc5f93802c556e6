//! Requests and responses of an operation, adapted to a release.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::paging::NO_KEYSET;
use api_conventions::params::Params;
use api_conventions::release::Edition;
use deprecations::adapt::{Adaptation as Records, EditionRefusal, EditionRefusalReason};
use serde_json::Value;
use web_conventions::operations::{Declaration, OperationAdapter, Pages};

use super::headers::{HeaderFacts, write_headers};
use super::uses::{DeprecationUse, store_use, stored_use};

/// Parameter that selects the kind of pagination.
const PAGINATION: &str = "pagination";

/// Deprecation records of one operation.
#[derive(Debug)]
pub(super) struct OperationRecords {
    records: Records,
    /// True if clients detect the end of a list by a missing `Link` header (specification, Pagination).
    /// The header must then contain nothing else.
    is_paged_by_key: bool,
    base_url: Arc<str>,
}

impl OperationRecords {
    pub(super) fn new(records: Records, declaration: &Declaration, base_url: Arc<str>) -> Self {
        Self {
            records,
            is_paged_by_key: declaration.pages == Pages::OffsetAndKeyset,
            base_url,
        }
    }
}

impl OperationAdapter for OperationRecords {
    fn is_available(&self, at: Edition) -> bool {
        self.records.is_alive(at)
    }

    fn adapt_request(
        &self,
        request: &HttpRequest,
        at: Edition,
        params: Params,
    ) -> Result<Params, ApiError> {
        let mut params = params.into_map();
        match self.records.adapt_request(at, &mut params) {
            Ok(seen) => {
                let records = seen.notes.iter().map(|note| note.id.clone()).collect();
                let refused_by = None;
                store_use(
                    request,
                    DeprecationUse {
                        records,
                        refused_by,
                    },
                );
                Ok(Params::from_map(params))
            }
            Err(refusal) => {
                let answer = answer(&refusal);
                let refused_by = Some(refusal.record);
                let records = Vec::new();
                store_use(
                    request,
                    DeprecationUse {
                        records,
                        refused_by,
                    },
                );
                Err(answer)
            }
        }
    }

    fn changes_responses(&self, at: Edition) -> bool {
        self.records.changes_responses(at)
    }

    fn adapt_response(&self, at: Edition, body: &mut Value) {
        self.records.adapt_response(at, body);
    }

    fn finish(&self, at: Edition, answer: &mut ServiceResponse<BoxBody>) {
        let mut used = stored_use(answer.request());
        let of_operation = self.records.of_operation();
        for note in of_operation.filter(|note| note.is_deprecated(at)) {
            if !used.records.contains(&note.id) {
                used.records.push(note.id.clone());
            }
        }
        let is_success = answer.status().is_success();
        let fields = self.records.deprecated_fields(at).map(|note| &note.id);
        let facts = HeaderFacts {
            used: &used.records,
            fields: fields.filter(|_| is_success).collect(),
            refused_by: used.refused_by.as_deref(),
            has_links: !self.is_paged_by_key,
            base_url: &self.base_url,
        };
        write_headers(&facts, answer.headers_mut());
    }
}

/// Converts a refusal to an API error.
fn answer(refusal: &EditionRefusal) -> ApiError {
    match &refusal.reason {
        EditionRefusalReason::Attribute { name, problem } => {
            let mut failures = ValidationFailures::default();
            failures.add(name, problem.clone());
            ApiError::validation(&failures)
        }
        EditionRefusalReason::Value(name) if name == PAGINATION => {
            ApiError::paging_not_allowed(NO_KEYSET)
        }
        reason @ EditionRefusalReason::Value(_) => {
            ApiError::invalid_parameters(&[reason.to_string()])
        }
        reason => ApiError::bad_request(&reason.to_string()),
    }
}
