//! What Owners change of a group: what it says, where it is, and whether it is there.

use actix_web::HttpResponse;
use api_conventions::access::Visibility;
use api_conventions::error::ValidationFailures;
use askama::Template;
use projects::{GroupContent, ProjectCreation, SubgroupCreation};

use super::form::{Written, Wrong, status, visibilities};
use crate::frame::form::Form;
use crate::frame::group::Groups;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::group::{FoundGroup, GroupPage};
use crate::frame::page::list::Choice;
use crate::frame::page::place::PlacePage;
use crate::frame::page::project::{Hidden, Need};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Owner;

/// What somebody filled into the forms of the page, and what is wrong with it.
#[derive(Debug, Default)]
pub(super) struct Attempt {
    /// What the group is to say; what it says where nobody wrote anything.
    pub(super) fields: Option<Fields>,
    /// The path of the group to move it to.
    pub(super) to: String,
    /// What was repeated of the full path.
    pub(super) confirm: String,
    /// What is wrong, by the fields.
    pub(super) failures: ValidationFailures,
}

/// What the form says about the group.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub(super) written: Written,
    /// Who makes projects in it.
    pub(super) projects: String,
    /// Who makes subgroups in it.
    pub(super) subgroups: String,
    /// Whether its projects are shared with no other group.
    pub(super) is_locked: bool,
}

#[derive(Template)]
#[template(path = "areas/groups/group_settings.html")]
struct SettingsPage {
    shell: Shell,
    path: String,
    full_path: String,
    fields: Fields,
    visibilities: Vec<Choice>,
    project_makers: Vec<Choice>,
    subgroup_makers: Vec<Choice>,
    wrong: Wrong,
    to: String,
    wrong_to: Vec<String>,
    confirm: String,
    wrong_confirm: Vec<String>,
    is_wrong: bool,
    /// How long a deletion can be cancelled, in words.
    delay: String,
}

/// Answers with the settings of a group.
pub(super) async fn show(page: GroupPage<Hidden<Owner>>) -> Result<HttpResponse, PageFailure> {
    let ((), found) = page.read(|_, _| Ok(())).await?;
    answer(&page, &found, Attempt::default())
}

/// Answers with the settings, and with what was wrong with one of the forms.
pub(super) fn answer<N: Need>(
    page: &PlacePage<Groups, N>,
    found: &FoundGroup,
    attempt: Attempt,
) -> Result<HttpResponse, PageFailure> {
    let failures = &attempt.failures;
    let fields = attempt.fields;
    let fields = fields.unwrap_or_else(|| Fields::of(&found.group.content));
    let widest = found.above.last().map(|parent| parent.visibility);
    let delay = page.state().settings.projects.deletion_delay_seconds;
    page.show_with(
        status(failures),
        &SettingsPage {
            shell: page.shell(found, Section::GroupSettings, "Settings"),
            path: found.path(),
            full_path: found.group.full_path.as_str().to_owned(),
            visibilities: visibilities(widest.unwrap_or(Visibility::Public), &fields.written),
            project_makers: makers(ProjectCreation::NAMES, &fields.projects),
            subgroup_makers: makers(SubgroupCreation::NAMES, &fields.subgroups),
            fields,
            wrong: Wrong::new(failures),
            to: attempt.to,
            wrong_to: sentences("The group", failures.of("to")),
            confirm: attempt.confirm,
            wrong_confirm: sentences("The full path", failures.of("confirm")),
            is_wrong: !failures.is_empty(),
            delay: in_words(delay),
        },
    )
}

/// The words for those who make things in a group, as people read them.
fn makers(words: &'static [&'static str], chosen: &str) -> Vec<Choice> {
    let mut choices = Choice::all(words, chosen);
    for choice in &mut choices {
        let name = match choice.value {
            "noone" => "Nobody but administrators",
            "developer" => "Developers and up",
            "maintainer" => "Maintainers and Owners",
            _ => "Owners",
        };
        name.clone_into(&mut choice.name);
    }
    choices
}

/// How long a deletion waits, in words.
fn in_words(seconds: i64) -> String {
    match seconds / 86_400 {
        0 => "within a minute".to_owned(),
        1 => "after 1 day".to_owned(),
        days => format!("after {days} days"),
    }
}

impl Fields {
    /// What a form says.
    pub(super) fn from_form(form: &Form) -> Self {
        let word = |name| form.text(name).trim().to_owned();
        Self {
            written: Written::from_form(form),
            projects: word("project_creation_level"),
            subgroups: word("subgroup_creation_level"),
            is_locked: form.is_ticked("share_with_group_lock"),
        }
    }

    fn of(content: &GroupContent) -> Self {
        Self {
            written: Written::of(content),
            projects: content.project_creation_level.as_str().to_owned(),
            subgroups: content.subgroup_creation_level.as_str().to_owned(),
            is_locked: content.share_with_group_lock,
        }
    }
}
