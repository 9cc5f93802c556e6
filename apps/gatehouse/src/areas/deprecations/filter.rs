//! Filter of deprecation lists, for the API and the pages.

use api_conventions::error::ApiError;
use api_conventions::params::Params;
use deprecations::{Filter, RecordStatus, SubjectKind};
use web_conventions::operations::{Parameter, ParameterKind};

const STATUSES: [&str; 4] = ["current", "deprecated", "removed", "absent"];
const KINDS: [&str; 6] = [
    "field",
    "endpoint",
    "parameter",
    "value",
    "behaviour",
    "graphql",
];

/// Query parameters of a list.
pub(super) fn parameters() -> [Parameter; 5] {
    [
        Parameter::query(
            "search",
            ParameterKind::ANY_TEXT,
            "Words to search for; records must contain all of them.",
        ),
        Parameter::query(
            "breaking",
            ParameterKind::Boolean,
            "True for breaking changes only, false for all others.",
        ),
        Parameter::query(
            "rest",
            ParameterKind::Boolean,
            "True for the REST API only.",
        ),
        Parameter::query("kind", ParameterKind::Word(&KINDS), "Filter by kind."),
        Parameter::query(
            "status",
            ParameterKind::Word(&STATUSES),
            "Filter by status at the release that processes the request.",
        ),
    ]
}

/// Parses the filter of a request.
///
/// # Errors
/// 400 for invalid values.
pub(super) fn read_filter(params: &Params) -> Result<Filter, ApiError> {
    let mut read = params.reader();
    let filter = Filter {
        breaking: read.boolean("breaking"),
        is_rest: read.boolean("rest").unwrap_or_default(),
        kind: read.word("kind", kind),
        status: read.word("status", status),
        search: read.text("search").unwrap_or_default(),
    };
    read.finish()?;
    Ok(filter)
}

fn kind(word: &str) -> Option<SubjectKind> {
    let mut kinds = SubjectKind::ALL.into_iter();
    kinds.find(|kind| kind.as_str() == word)
}

fn status(word: &str) -> Option<RecordStatus> {
    let all = [
        RecordStatus::Current,
        RecordStatus::Deprecated,
        RecordStatus::Removed,
        RecordStatus::Absent,
    ];
    all.into_iter().find(|status| status.as_str() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_one_of_the_schedule() {
        assert!(KINDS.iter().all(|word| kind(word).is_some()));
        assert_eq!(KINDS.len(), SubjectKind::ALL.len());
        assert!(STATUSES.iter().all(|word| status(word).is_some()));
    }
}
