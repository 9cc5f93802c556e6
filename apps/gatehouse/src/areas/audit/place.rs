//! Projects and groups as owners of audit logs. The operations are the same for both.

use accounts::AuditEntity;
use projects::{Group, Project};
use web_conventions::operations::Parameter;

use crate::frame::group::{GROUP, Groups};
use crate::frame::page::group::GroupContext;
use crate::frame::page::list::Tab;
use crate::frame::page::place::PagePlace;
use crate::frame::page::project::ProjectContext;
use crate::frame::page::settings_tabs::{SettingsTab, tabs};
use crate::frame::page::side::Section;
use crate::frame::place::PlaceKind;
use crate::frame::project::{PROJECT, Projects};
use crate::frame::scopes::{Maintainer, Owner, Role};

/// A kind of place that has an audit log.
pub(super) trait HasAuditLog: PlaceKind + PagePlace {
    /// Minimum role that reads all entries. Developers read their own over the API.
    type Manager: Role;
    /// Path parameter for the place.
    const ID: Parameter;
    /// Name of the kind in paths of the API.
    const COLLECTION: &str;
    /// Section of the page in the navigation beside it.
    const SECTION: Section;

    /// Converts the place to the owner of its log.
    fn entity(place: &Self::Place) -> AuditEntity;

    /// Converts the place of a page to the owner of its log.
    fn entity_on(context: &Self::Context) -> AuditEntity;

    /// Path of the place, below the root of the server.
    fn path(context: &Self::Context) -> String;

    /// Path of the export, below the root of the server.
    fn export(context: &Self::Context) -> String {
        let (_, id) = Self::entity_on(context).numbers();
        format!("/api/v4/{}/{id}/audit_events/export", Self::COLLECTION)
    }

    /// Tabs of the settings, with this page as the current one; none if the kind has no tabs.
    fn tabs(_: &Self::Context) -> Vec<Tab> {
        Vec::new()
    }
}

impl HasAuditLog for Projects {
    type Manager = Maintainer;
    const ID: Parameter = PROJECT;
    const COLLECTION: &str = "projects";
    const SECTION: Section = Section::Settings;

    fn entity(project: &Project) -> AuditEntity {
        AuditEntity::Project(project.id)
    }

    fn entity_on(context: &ProjectContext) -> AuditEntity {
        Self::entity(&context.project)
    }

    fn path(context: &ProjectContext) -> String {
        context.path()
    }

    fn tabs(context: &ProjectContext) -> Vec<Tab> {
        tabs(context, SettingsTab::AuditEvents)
    }
}

impl HasAuditLog for Groups {
    type Manager = Owner;
    const ID: Parameter = GROUP;
    const COLLECTION: &str = "groups";
    const SECTION: Section = Section::GroupSettings;

    fn entity(group: &Group) -> AuditEntity {
        AuditEntity::Group(group.id)
    }

    fn entity_on(context: &GroupContext) -> AuditEntity {
        Self::entity(&context.group)
    }

    fn path(context: &GroupContext) -> String {
        context.path()
    }
}
