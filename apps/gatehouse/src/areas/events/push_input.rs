//! Body of a push report.

use std::collections::BTreeSet;

use api_conventions::error::ApiError;
use api_conventions::params::Params;
use events::rules::push::commit_title;
use events::{CommitRange, PushData, PushedRef, PushedRefs, RefAction, RefKind};
use serde_json::Value;
use web_conventions::operations::{ObjectField, ParameterKind};

/// Most changes in one report.
pub(super) const MAX_CHANGES: u32 = 1000;
/// Longest name of a ref, in characters.
const MAX_REF: u32 = 1024;
/// Most commits in one change.
const MAX_COMMITS: i64 = 2_147_483_647;

/// Name of the field with the user who pushed.
pub(super) const USER: &str = "user";
/// Name of the field with the changes.
pub(super) const CHANGES: &str = "changes";

const REF: &str = "ref";
const BEFORE: &str = "before";
const AFTER: &str = "after";
const COMMIT_COUNT: &str = "commit_count";
const COMMIT_TITLE: &str = "commit_title";

const COMMIT: ParameterKind = ParameterKind::Matching("^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$");

/// Fields of a change.
pub(super) const CHANGE_FIELDS: [ObjectField; 5] = [
    ObjectField::new(
        REF,
        ParameterKind::Text {
            min: 1,
            max: MAX_REF,
        },
        "Full name of the ref, such as `refs/heads/main`.",
    )
    .required(),
    ObjectField::new(
        BEFORE,
        COMMIT,
        "Full SHA before the push; zeros for a created ref.",
    )
    .required(),
    ObjectField::new(
        AFTER,
        COMMIT,
        "Full SHA after the push; zeros for a deleted ref.",
    )
    .required(),
    ObjectField::new(
        COMMIT_COUNT,
        ParameterKind::Integer {
            min: 0,
            max: MAX_COMMITS,
        },
        "Number of pushed commits (default: 0).",
    ),
    ObjectField::new(
        COMMIT_TITLE,
        ParameterKind::ANY_TEXT,
        "Message of the newest commit. The feed shows at most 70 characters of its first line.",
    ),
];

/// Report of a push.
#[derive(Debug, Clone)]
pub(super) struct ReportedPush {
    /// ID or username of the user who pushed, if the report names one.
    pub(super) user: Option<String>,
    /// Changed branches and tags, in the order of the report.
    pub(super) changes: Vec<PushData>,
    /// Number of changed refs that are neither branches nor tags.
    pub(super) ignored: usize,
}

/// Parses a report.
///
/// # Errors
/// 400 for a missing or invalid value, too many changes, and a ref that the report names twice.
pub(super) fn read_report(params: &Params) -> Result<ReportedPush, ApiError> {
    let mut read = params.reader();
    read.demand(&[CHANGES]);
    let user = read.text(USER).filter(|user| !user.is_empty());
    read.finish()?;
    let Some(Value::Array(items)) = params.get(CHANGES) else {
        return Err(invalid("changes is invalid"));
    };
    if items.is_empty() || items.len() > MAX_CHANGES as usize {
        let text =
            format!("changes must have 1 to {MAX_CHANGES} items: report larger pushes in parts");
        return Err(invalid(&text));
    }
    let mut names = BTreeSet::new();
    let mut changes = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let (name, change) = read_change(item)
            .map_err(|problem| invalid(&format!("changes[{index}]: {problem}")))?;
        if !names.insert(name.clone()) {
            let text = format!("changes[{index}]: {name} is listed twice");
            return Err(invalid(&text));
        }
        changes.extend(change);
    }
    let ignored = items.len() - changes.len();
    Ok(ReportedPush {
        user,
        changes,
        ignored,
    })
}

fn invalid(problem: &str) -> ApiError {
    ApiError::invalid_parameters(&[problem.to_owned()])
}

/// Parses a change: the full name of its ref, and the change itself if the feed shows such refs.
/// A fault is reported as text.
fn read_change(item: &Value) -> Result<(String, Option<PushData>), String> {
    let Value::Object(fields) = item else {
        return Err("must be an object".to_owned());
    };
    let fields = Params::from_map(fields.clone());
    let mut read = fields.reader();
    let full_name = read.word(REF, ref_name);
    let commits = [BEFORE, AFTER].map(|name| read.word(name, commit));
    let commit_count = read.integer_within(COMMIT_COUNT, 0..=MAX_COMMITS);
    let message = read.text(COMMIT_TITLE).unwrap_or_default();
    if let Err(refusal) = read.finish() {
        let text = refusal.body()["error"].as_str().map(str::to_owned);
        return Err(text.unwrap_or_else(|| "is invalid".to_owned()));
    }
    let (Some(full_name), [Some(before), Some(after)]) = (full_name, commits) else {
        return Err("ref, before and after are required".to_owned());
    };
    if before.len() != after.len() {
        return Err("before and after must have the same length".to_owned());
    }
    let existing = |hash: String| (!is_zero(&hash)).then_some(hash);
    let commits = CommitRange::new(existing(before), existing(after))
        .ok_or_else(|| "before and after are both zeros".to_owned())?;
    let Some((ref_kind, name)) = RefKind::split(&full_name) else {
        return Ok((full_name, None));
    };
    let is_removed = commits.action() == RefAction::Removed;
    let refs = PushedRefs::One(PushedRef {
        name: name.to_owned(),
        commit_count: commit_count
            .filter(|_| !is_removed)
            .and_then(|count| count.try_into().ok())
            .unwrap_or_default(),
        commit_title: commit_title(&message).filter(|_| !is_removed),
        commits,
    });
    Ok((full_name, Some(PushData { ref_kind, refs })))
}

/// Parses the full name of a ref. Git allows no control characters and no spaces in it.
fn ref_name(text: &str) -> Option<String> {
    let is_short = text.chars().count() <= MAX_REF as usize;
    let is_plain = !text.contains(|c: char| c.is_control() || c == ' ') && !text.ends_with('/');
    (is_short && is_plain).then(|| text.to_owned())
}

/// Parses a full commit SHA, in any case.
fn commit(text: &str) -> Option<String> {
    let is_hash = [40, 64].contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| text.to_ascii_lowercase())
}

fn is_zero(hash: &str) -> bool {
    hash.bytes().all(|byte| byte == b'0')
}
