//! Projects and groups with a page of their runners.

use ::pipelines::model::RunnerPlace;

use crate::frame::group::Groups;
use crate::frame::page::group::GroupContext;
use crate::frame::page::list::Tab;
use crate::frame::page::place::PagePlace;
use crate::frame::page::project::ProjectContext;
use crate::frame::page::settings_tabs::{SettingsTab, tabs};
use crate::frame::page::side::Section;
use crate::frame::place::PlaceKind;
use crate::frame::project::Projects;
use crate::frame::scopes::{Maintainer, Owner, Role};

/// A kind of place with a page of its runners.
pub(super) trait HasRunnersPage: PlaceKind + PagePlace {
    /// Minimum role that sees and manages them.
    type Manager: Role;
    /// Section of the page in the navigation beside it.
    const SECTION: Section;

    /// Converts the place of a page to the owner of its runners.
    fn owner_on(context: &Self::Context) -> RunnerPlace;

    /// Path of the place, below the root of the server.
    fn path(context: &Self::Context) -> String;

    /// Tabs of the settings, with this page as the current one; none if the kind has no tabs.
    fn tabs(_: &Self::Context) -> Vec<Tab> {
        Vec::new()
    }
}

impl HasRunnersPage for Projects {
    type Manager = Maintainer;
    const SECTION: Section = Section::Settings;

    fn owner_on(context: &ProjectContext) -> RunnerPlace {
        RunnerPlace::Project(context.project.id)
    }

    fn path(context: &ProjectContext) -> String {
        context.path()
    }

    fn tabs(context: &ProjectContext) -> Vec<Tab> {
        tabs(context, SettingsTab::Runners)
    }
}

impl HasRunnersPage for Groups {
    type Manager = Owner;
    const SECTION: Section = Section::GroupSettings;

    fn owner_on(context: &GroupContext) -> RunnerPlace {
        RunnerPlace::Group(context.group.id)
    }

    fn path(context: &GroupContext) -> String {
        context.path()
    }
}
