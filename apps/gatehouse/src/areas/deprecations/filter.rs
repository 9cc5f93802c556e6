//! Filter of deprecation lists, for the API and the pages.

use api_conventions::error::ApiError;
use api_conventions::params::Params;
use deprecations::{Filter, Kind as RecordKind, Status};
use web_conventions::operations::{Kind, Parameter};

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
            Kind::ANY_TEXT,
            "Only records that have all of these words.",
        ),
        Parameter::query(
            "breaking",
            Kind::Boolean,
            "Only what makes clients stop to work that do nothing, or only the rest.",
        ),
        Parameter::query("rest", Kind::Boolean, "Only what is in the REST API."),
        Parameter::query("kind", Kind::Word(&KINDS), "Only things of this kind."),
        Parameter::query(
            "status",
            Kind::Word(&STATUSES),
            "Only what means this at the release as which the request is answered.",
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

fn kind(word: &str) -> Option<RecordKind> {
    let mut kinds = RecordKind::ALL.into_iter();
    kinds.find(|kind| kind.as_str() == word)
}

fn status(word: &str) -> Option<Status> {
    let all = [
        Status::Current,
        Status::Deprecated,
        Status::Removed,
        Status::Absent,
    ];
    all.into_iter().find(|status| status.as_str() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_one_of_the_schedule() {
        assert!(KINDS.iter().all(|word| kind(word).is_some()));
        assert_eq!(KINDS.len(), RecordKind::ALL.len());
        assert!(STATUSES.iter().all(|word| status(word).is_some()));
    }
}
