//! Approvals of merge requests.

use serde_json::{Value, json};

use super::{Name, Shaper, each, ids};

impl Shaper<'_> {
    /// The approval configuration of a project, as the edition answers it: with `approvers` and `approval_groups`, which are empty
    /// arrays, until v5 takes them away (specification, Versioning 4). The rules of a project have their own operation.
    #[must_use]
    pub fn approval_configuration(&self, newest: Value) -> Value {
        let is_there = self.has(ids::APPROVERS);
        each(newest, &|fields| {
            for name in ["approvers", "approval_groups"] {
                Name::new(name, is_there).write(fields, json!([]));
            }
        })
    }

    /// Whether `POST /projects/:id/merge_requests/:iid/approvals` changes the approvals that a merge request needs. From 16.0 on
    /// it is answered with 404, and `/approval_rules` is used (specification, Versioning 4).
    #[must_use]
    pub fn has_changing_of_approvals(&self) -> bool {
        self.has(ids::CHANGING_APPROVALS)
    }
}
