//! `DELETE /api/v4/projects/:id/registry/repositories/:repository_id/tags`: deletion of tags by a rule.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::registry_access::request_cleanup;
use projects::TagRule;
use projects::rules::image_tags::{TagSelector, parse_age};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Parameter, ParameterKind, ResponseSpec, delete,
};

use super::shared::{REPOSITORY, TAG, find_to_change, registry, repository_id};
use super::tags::TAGS;
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{Images, InFeature};
use crate::frame::scopes::{Maintainer, WriteApi};

const PATTERN: ParameterKind = ParameterKind::Text { min: 1, max: 255 };

const NAME_REGEX_DELETE: Parameter = Parameter::query(
    "name_regex_delete",
    PATTERN,
    "Regular expression for the whole name of the tags to delete: `.*` for all. Required, unless `name_regex` is given. \
     It cannot look ahead or behind.",
)
.example(".*-dev");
const NAME_REGEX: Parameter = Parameter::query(
    "name_regex",
    PATTERN,
    "Older name of `name_regex_delete`, which takes precedence.",
);
const NAME_REGEX_KEEP: Parameter = Parameter::query(
    "name_regex_keep",
    PATTERN,
    "Regular expression for the whole name of tags to keep.",
);
const KEEP_N: Parameter = Parameter::query(
    "keep_n",
    ParameterKind::Integer {
        min: 0,
        max: u32::MAX as i64,
    },
    "Number of the newest matching tags to keep.",
);
const OLDER_THAN: Parameter = Parameter::query(
    "older_than",
    ParameterKind::Text { min: 1, max: 64 },
    "Minimum age of the tags to delete, such as `1h`, `1d` or `1month`.",
)
.example("1month");

/// Refusal of a further request.
const TOO_EARLY: &str =
    "tags of this image repository were deleted by a rule less than an hour ago: try again later";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        delete("deleteRegistryTags", TAGS, remove)
            .documented(TAG, "Delete tags of an image repository by a rule")
            .takes([PROJECT, REPOSITORY])
            .takes([
                NAME_REGEX_DELETE,
                NAME_REGEX,
                NAME_REGEX_KEEP,
                KEEP_N,
                OLDER_THAN,
            ])
            .response(ResponseSpec::empty(
                202,
                "Accepted: a job deletes the tags. The tag `latest` is never deleted.",
            ))
            .response(ResponseSpec::refusal(
                400,
                "A parameter is invalid, or the last such request is less than an hour ago.",
            )),
    ]
}

async fn remove(request: InFeature<Images, Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, rule) = (repository_id(&request)?, read_rule(&request)?);
    let registry = registry(&request)?;
    let (condition, now) = (request.precondition(), request.now());
    let stored = request.write(move |tx, project| {
        let images = find_to_change(tx, project, id)?;
        let proof = condition.check(images.created_at)?;
        if request_cleanup(tx, &images.name, rule.clone(), now)? {
            Ok(proof)
        } else {
            Err(ApiError::bad_request(TOO_EARLY).into())
        }
    });
    let (proof, _) = stored.await?;
    registry.wake_cleanup();
    Ok(Deletion::with(proof, HttpResponse::Accepted().finish()))
}

/// Parses the rule.
///
/// # Errors
/// 400 for invalid values.
fn read_rule(request: &ApiRequest) -> Result<TagRule, ApiError> {
    let mut read = request.params().reader();
    let names = [NAME_REGEX_DELETE.name, NAME_REGEX.name];
    read.demand_one_of(&names);
    let is_missing = !names.iter().any(|name| read.is_given(name));
    let delete = read.text(NAME_REGEX_DELETE.name);
    let older = read.text(NAME_REGEX.name);
    let keep = read.text(NAME_REGEX_KEEP.name);
    let keep_newest = read.integer_within(KEEP_N.name, 0..=i64::from(u32::MAX));
    let rule = TagRule {
        delete_pattern: delete.or(older).unwrap_or_default(),
        keep_pattern: keep.filter(|pattern| !pattern.is_empty()),
        keep_newest: keep_newest.and_then(|number| u32::try_from(number).ok()),
        older_than_seconds: read.word(OLDER_THAN.name, parse_age),
    };
    for (name, pattern) in [
        (NAME_REGEX_DELETE.name, Some(&rule.delete_pattern)),
        (NAME_REGEX_KEEP.name, rule.keep_pattern.as_ref()),
    ] {
        let is_wrong = |pattern: &String| pattern.is_empty() || !TagSelector::is_pattern(pattern);
        if pattern.is_some_and(is_wrong) && !is_missing {
            read.fault(
                name,
                "must be a regular expression without look-ahead and look-behind",
            );
        }
    }
    read.finish()?;
    Ok(rule)
}
