//! Settings page of a group for Owners: content, transfer and deletion.

use actix_web::HttpResponse;
use api_conventions::access::Visibility;
use api_conventions::error::ValidationFailures;
use askama::Template;
use projects::{GroupContent, ProjectCreation, SubgroupCreation};

use super::form::{GroupFormErrors, GroupFormValues, status, visibilities};
use crate::frame::form::PageForm;
use crate::frame::group::Groups;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::group::{GroupContext, GroupPage};
use crate::frame::page::list::Choice;
use crate::frame::page::place::PlacePage;
use crate::frame::page::project::{Need, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Owner;

/// Submitted values of the page's forms, with their validation failures.
#[derive(Debug, Default)]
pub(super) struct SubmittedGroupForms {
    /// Entered values; `None` for the stored ones.
    pub(super) fields: Option<GroupSettingsValues>,
    /// Path of the group to move to.
    pub(super) to: String,
    /// Full path that the user typed to confirm the deletion.
    pub(super) confirm: String,
    /// Validation failures by field.
    pub(super) failures: ValidationFailures,
}

/// Values of the group's form.
#[derive(Debug, Clone)]
pub(super) struct GroupSettingsValues {
    pub(super) written: GroupFormValues,
    /// Minimum role for creating projects.
    pub(super) projects: String,
    /// Minimum role for creating subgroups.
    pub(super) subgroups: String,
    /// True if projects in the group cannot be shared with other groups.
    pub(super) is_locked: bool,
}

#[derive(Template)]
#[template(path = "areas/groups/group_settings.html")]
struct GroupSettingsPage {
    shell: Shell,
    path: String,
    full_path: String,
    fields: GroupSettingsValues,
    visibilities: Vec<Choice>,
    project_makers: Vec<Choice>,
    subgroup_makers: Vec<Choice>,
    wrong: GroupFormErrors,
    to: String,
    wrong_to: Vec<String>,
    confirm: String,
    wrong_confirm: Vec<String>,
    is_wrong: bool,
    /// Delay before a deletion becomes final, in words.
    delay: String,
}

/// Answers with the settings of a group.
pub(super) async fn show(
    page: GroupPage<RoleOrNotFound<Owner>>,
) -> Result<HttpResponse, PageFailure> {
    let ((), found) = page.read(|_, _| Ok(())).await?;
    answer(&page, &found, SubmittedGroupForms::default())
}

/// Answers with the settings, and with the validation failures of one of the forms.
pub(super) fn answer<N: Need>(
    page: &PlacePage<Groups, N>,
    found: &GroupContext,
    submitted: SubmittedGroupForms,
) -> Result<HttpResponse, PageFailure> {
    let failures = &submitted.failures;
    let fields = submitted.fields;
    let fields = fields.unwrap_or_else(|| GroupSettingsValues::of(&found.group.content));
    let widest = found.above.last().map(|parent| parent.visibility);
    let delay = page.state().settings.projects.deletion_delay_seconds;
    page.show_with(
        status(failures),
        &GroupSettingsPage {
            shell: page.shell(found, Section::GroupSettings, "Settings"),
            path: found.path(),
            full_path: found.group.full_path.as_str().to_owned(),
            visibilities: visibilities(widest.unwrap_or(Visibility::Public), &fields.written),
            project_makers: makers(ProjectCreation::NAMES, &fields.projects),
            subgroup_makers: makers(SubgroupCreation::NAMES, &fields.subgroups),
            fields,
            wrong: GroupFormErrors::new(failures),
            to: submitted.to,
            wrong_to: sentences("The group", failures.of("to")),
            confirm: submitted.confirm,
            wrong_confirm: sentences("The full path", failures.of("confirm")),
            is_wrong: !failures.is_empty(),
            delay: in_words(delay),
        },
    )
}

/// Choices for a creation level, with readable labels.
fn makers(words: &'static [&'static str], chosen: &str) -> Vec<Choice> {
    let mut choices = Choice::all(words, chosen);
    for choice in &mut choices {
        let name = match choice.value {
            "noone" => "Administrators only",
            "developer" => "Developers, Maintainers and Owners",
            "maintainer" => "Maintainers and Owners",
            _ => "Owners",
        };
        name.clone_into(&mut choice.name);
    }
    choices
}

/// Formats the delay of a deletion.
fn in_words(seconds: i64) -> String {
    match seconds / 86_400 {
        0 => "within a minute".to_owned(),
        1 => "after 1 day".to_owned(),
        days => format!("after {days} days"),
    }
}

impl GroupSettingsValues {
    /// Reads the values of a form.
    pub(super) fn from_form(form: &PageForm) -> Self {
        let word = |name| form.text(name).trim().to_owned();
        Self {
            written: GroupFormValues::from_form(form),
            projects: word("project_creation_level"),
            subgroups: word("subgroup_creation_level"),
            is_locked: form.is_ticked("share_with_group_lock"),
        }
    }

    fn of(content: &GroupContent) -> Self {
        Self {
            written: GroupFormValues::of(content),
            projects: content.project_creation_level.as_str().to_owned(),
            subgroups: content.subgroup_creation_level.as_str().to_owned(),
            is_locked: content.share_with_group_lock,
        }
    }
}
