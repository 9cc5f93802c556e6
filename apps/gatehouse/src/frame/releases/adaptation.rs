//! Requests and responses of an operation, adapted to a release.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::paging::NO_KEYSET;
use api_conventions::params::Params;
use api_conventions::release::Edition;
use deprecations::adapt::{Adaptation as Records, Reason, Refusal};
use serde_json::Value;
use web_conventions::operations::{Adaptation, Declaration, Pages};

use super::headers::{Said, say};
use super::used::{Used, keep, kept};

/// Parameter that selects the kind of pagination.
const PAGINATION: &str = "pagination";

/// Deprecation records of one operation.
#[derive(Debug)]
pub(super) struct OfOperation {
    records: Records,
    /// True if clients detect the end of a list by a missing `Link` header (specification, Pagination).
    /// The header must then contain nothing else.
    is_paged_by_key: bool,
    base_url: Arc<str>,
}

impl OfOperation {
    pub(super) fn new(records: Records, declaration: &Declaration, base_url: Arc<str>) -> Self {
        Self {
            records,
            is_paged_by_key: declaration.pages == Pages::OffsetAndKeyset,
            base_url,
        }
    }
}

impl Adaptation for OfOperation {
    fn is_alive(&self, at: Edition) -> bool {
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
                keep(
                    request,
                    Used {
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
                keep(
                    request,
                    Used {
                        records,
                        refused_by,
                    },
                );
                Err(answer)
            }
        }
    }

    fn changes_answers(&self, at: Edition) -> bool {
        self.records.changes_answers(at)
    }

    fn adapt_answer(&self, at: Edition, body: &mut Value) {
        self.records.adapt_answer(at, body);
    }

    fn finish(&self, at: Edition, answer: &mut ServiceResponse<BoxBody>) {
        let mut used = kept(answer.request());
        let of_operation = self.records.of_operation();
        for note in of_operation.filter(|note| note.is_deprecated(at)) {
            if !used.records.contains(&note.id) {
                used.records.push(note.id.clone());
            }
        }
        let is_success = answer.status().is_success();
        let fields = self.records.deprecated_fields(at).map(|note| &note.id);
        let said = Said {
            used: &used.records,
            fields: fields.filter(|_| is_success).collect(),
            refused_by: used.refused_by.as_deref(),
            has_links: !self.is_paged_by_key,
            base_url: &self.base_url,
        };
        say(&said, answer.headers_mut());
    }
}

/// Converts a refusal to an API error.
fn answer(refusal: &Refusal) -> ApiError {
    match &refusal.reason {
        Reason::Attribute { name, problem } => {
            let mut failures = ValidationFailures::default();
            failures.add(name, problem.clone());
            ApiError::validation(&failures)
        }
        Reason::Value(name) if name == PAGINATION => ApiError::paging_not_allowed(NO_KEYSET),
        reason @ Reason::Value(_) => ApiError::invalid_parameters(&[reason.to_string()]),
        reason => ApiError::bad_request(&reason.to_string()),
    }
}
