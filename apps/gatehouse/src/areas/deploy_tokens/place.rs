//! Projects and groups as owners of deploy tokens. The operations are the same for both.

use accounts::TokenPlace;
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

/// A kind of place that has deploy tokens.
pub(super) trait HasDeployTokens: PlaceKind + PagePlace {
    /// Minimum role that creates and deletes them. Maintainers see them.
    type Manager: Role;
    /// Path parameter for the place.
    const ID: Parameter;
    /// Section of the page in the navigation beside it.
    const SECTION: Section;

    /// Converts the place to the owner of its tokens.
    fn owner(place: &Self::Place) -> TokenPlace;

    /// Converts the place of a page to the owner of its tokens.
    fn owner_on(context: &Self::Context) -> TokenPlace;

    /// Path of the place, below the root of the server.
    fn path(context: &Self::Context) -> String;

    /// Tabs of the settings, with this page as the current one; none if the kind has no tabs.
    fn tabs(_: &Self::Context) -> Vec<Tab> {
        Vec::new()
    }
}

impl HasDeployTokens for Projects {
    type Manager = Maintainer;
    const ID: Parameter = PROJECT;
    const SECTION: Section = Section::Settings;

    fn owner(project: &Project) -> TokenPlace {
        TokenPlace::Project(project.id)
    }

    fn owner_on(context: &ProjectContext) -> TokenPlace {
        Self::owner(&context.project)
    }

    fn path(context: &ProjectContext) -> String {
        context.path()
    }

    fn tabs(context: &ProjectContext) -> Vec<Tab> {
        tabs(context, SettingsTab::DeployTokens)
    }
}

impl HasDeployTokens for Groups {
    type Manager = Owner;
    const ID: Parameter = GROUP;
    const SECTION: Section = Section::GroupSettings;

    fn owner(group: &Group) -> TokenPlace {
        TokenPlace::Group(group.id)
    }

    fn owner_on(context: &GroupContext) -> TokenPlace {
        Self::owner(&context.group)
    }

    fn path(context: &GroupContext) -> String {
        context.path()
    }
}
