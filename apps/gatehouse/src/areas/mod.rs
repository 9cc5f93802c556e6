//! Areas of the product.
//! Each area keeps its operations, its pages and their templates together. Areas depend on [`frame`](crate::frame), and
//! not on each other.

pub mod alerts;
pub mod api_help;
pub mod applications;
pub mod audit;
pub mod container_registry;
pub mod deploy_tokens;
pub mod deprecations;
pub mod error_tracking;
pub mod events;
mod fallback;
pub mod git;
pub mod groups;
pub mod issues;
pub mod labels;
pub mod limits;
pub mod markdown;
pub mod members;
pub mod milestones;
pub mod namespaces;
pub mod notes;
pub mod notifications;
pub mod oauth;
pub mod pipelines;
pub mod profile;
pub mod projects;
pub mod runners;
pub mod sign_in;
pub mod snippets;
pub mod system;
pub mod users;

pub use self::fallback::NotFound;

use web_conventions::operations::Operation;

/// All operations of the program.
pub fn operations() -> Vec<Operation> {
    [
        alerts::operations(),
        deprecations::operations(),
        system::operations(),
        api_help::operations(),
        users::operations(),
        oauth::operations(),
        projects::operations(),
        error_tracking::operations(),
        events::operations(),
        applications::operations(),
        audit::operations(),
        sign_in::operations(),
        profile::operations(),
        members::operations(),
        milestones::operations(),
        crate::frame::page::assets::operations(),
        labels::operations(),
        limits::operations(),
        deploy_tokens::operations(),
        git::operations(),
        container_registry::operations(),
        groups::operations(),
        namespaces::operations(),
        markdown::operations(),
        issues::operations(),
        notes::operations(),
        notifications::operations(),
        pipelines::operations(),
        runners::operations(),
        snippets::operations(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::page::address::is_ours;

    /// Users and groups with such a name would shadow these paths.
    #[test]
    fn the_first_segment_of_every_path_is_ours() {
        for operation in operations() {
            let path = operation.declaration().path;
            let first = path.split('/').nth(1).unwrap_or_default();
            let is_found = first.is_empty() || first.starts_with(['{', '.']) || is_ours(first);
            assert!(is_found, "{path}");
        }
    }
}
