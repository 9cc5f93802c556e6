//! Merge requests.

use serde_json::{Map, Value};

use super::{Name, Shaper, answer_both, answer_given_or, each, ids};

/// What `merge_status` says for each `detailed_merge_status` that says something about the merge itself.
const COARSE: [(&str, &str); 7] = [
    ("unchecked", "unchecked"),
    ("checking", "checking"),
    ("preparing", "checking"),
    ("mergeable", "can_be_merged"),
    ("broken_status", "cannot_be_merged"),
    ("conflict", "cannot_be_merged"),
    ("commits_status", "cannot_be_merged"),
];

/// Each `detailed_merge_status` that names a rule which is not met although the branches can be merged.
const ONLY_HELD_BACK: [&str; 20] = [
    "approvals_syncing",
    "blocked_status",
    "ci_must_pass",
    "ci_still_running",
    "discussions_not_resolved",
    "draft_status",
    "external_status_checks",
    "jira_association_missing",
    "locked_lfs_files",
    "locked_paths",
    "merge_request_blocked",
    "merge_time",
    "need_rebase",
    "not_approved",
    "not_open",
    "policies_denied",
    "requested_changes",
    "security_policy_violations",
    "status_checks_must_pass",
    "title_regex",
];

/// The word of `merge_status` for one of `detailed_merge_status`. The older field says only whether the two branches can be merged;
/// a merge request that lacks an approval has `can_be_merged`. For a word that is not known here it is `unchecked`, which promises
/// nothing.
///
/// The specification names both fields (Versioning 4) and no words; these are the ones that clients know.
pub(super) fn coarse_status(detailed: &str) -> &'static str {
    if ONLY_HELD_BACK.contains(&detailed) {
        return "can_be_merged";
    }
    let known = COARSE.iter().find(|(known, _)| *known == detailed);
    known.map_or("unchecked", |(_, coarse)| coarse)
}

impl Shaper<'_> {
    /// A merge request or a list of them, as the edition answers it. In v4, `merged_by` comes beside `merge_user` and
    /// `merge_status` beside `detailed_merge_status`; in v5 both are absent (specification, Versioning 4).
    ///
    /// A `merge_status` that is given stays as it is, because the service may know more of it than the detailed word says.
    #[must_use]
    pub fn merge_request(&self, newest: Value) -> Value {
        each(newest, &|fields| self.shape_merge_request(fields))
    }

    fn shape_merge_request(&self, fields: &mut Map<String, Value>) {
        let merged_by = Name::new("merged_by", self.has(ids::MERGED_BY));
        answer_both(fields, merged_by, Name::lasting("merge_user"));
        let detailed = fields.get("detailed_merge_status");
        let coarse = detailed.and_then(Value::as_str).map(coarse_status);
        let status = Name::new("merge_status", self.has(ids::MERGE_STATUS));
        answer_given_or(fields, status, coarse.map(Value::from));
    }

    /// Whether `GET /projects/:id/merge_requests/:iid/changes` is there. In v5 it is not, and the list of diffs is used
    /// (specification, Versioning 4).
    #[must_use]
    pub fn has_changes_of_merge_request(&self) -> bool {
        self.has(ids::CHANGES_OF_MERGE_REQUEST)
    }

    /// The answer of `GET /projects/:id/merge_requests/:iid/changes`: the merge request, its diffs under `changes`, and under
    /// `overflow` whether there are more diffs than these. `None` where the edition has no such operation, which is answered
    /// with 404.
    #[must_use]
    pub fn changes_of_merge_request(
        &self,
        mut newest: Map<String, Value>,
        diffs: Vec<Value>,
        has_more: bool,
    ) -> Option<Value> {
        if !self.has_changes_of_merge_request() {
            return None;
        }
        self.shape_merge_request(&mut newest);
        newest.insert("changes".to_owned(), Value::Array(diffs));
        newest.insert("overflow".to_owned(), has_more.into());
        Some(Value::Object(newest))
    }
}
