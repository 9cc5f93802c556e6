//! Handlers of the milestone forms.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::MilestoneIid;
use gatehouse_core::flows::records_in_feed;
use projects::{MilestoneContent, MilestoneEdit, MilestoneState, ProjectMilestone};
use records::{NewRecord, RecordError};

use super::form::{self as milestone_form, MilestoneFormValues};
use super::{find, path_of, show};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::{check_name, of_record};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectContext, ProjectForm, RoleOrForbidden};
use crate::frame::scopes::Reporter;

type MilestoneForm = ProjectForm<RoleOrForbidden<Reporter>>;

/// Field that shows a refusal without a field of its own.
const FALLBACK_FIELD: &str = "title";

/// Creates a milestone and redirects to its page.
pub(super) async fn create(form: MilestoneForm) -> Result<HttpResponse, PageFailure> {
    let values = MilestoneFormValues::from_form(&form.form);
    let edit = match values.edit() {
        Ok(edit) => edit,
        Err(failures) => return refuse(&form, None, &values, failures).await,
    };
    let (actor, now) = (form.actor_id()?, form.now());
    let created = form.write(move |tx, found| {
        let content = edit.apply(MilestoneContent::default());
        let new = NewRecord::new(found.project.id, content, now);
        records_in_feed::create(tx, new, actor)
    });
    match created.await? {
        (Ok(milestone), found) => {
            let path = path_of(&found, &milestone);
            Ok(form.redirect_with_notice(&path, Notice::MilestoneCreated))
        }
        (Err(error), found) => {
            let failures = of_record(error, FALLBACK_FIELD)?;
            milestone_form::show(&form, &found, None, &values, &failures)
        }
    }
}

/// Updates, closes, reopens or deletes a milestone.
pub(super) async fn change(form: MilestoneForm) -> Result<HttpResponse, PageFailure> {
    let iid = MilestoneIid::new(form.number("iid")?);
    match (&*form.form.method(), form.form.text("state_event")) {
        ("delete", _) => delete(&form, iid).await,
        ("put", "") => save(&form, iid).await,
        ("put", "close") => set_state(&form, iid, MilestoneState::Closed).await,
        ("put", "activate") => set_state(&form, iid, MilestoneState::Active).await,
        _ => Err(PageFailure::bad_request(
            "Choose what to do with the milestone.",
        )),
    }
}

async fn save(form: &MilestoneForm, iid: MilestoneIid) -> Result<HttpResponse, PageFailure> {
    let values = MilestoneFormValues::from_form(&form.form);
    let edit = match values.edit() {
        Ok(edit) => edit,
        Err(failures) => return refuse(form, Some(iid), &values, failures).await,
    };
    match update(form, iid, edit).await? {
        (Ok(milestone), found) => {
            Ok(form.redirect_with_notice(&path_of(&found, &milestone), Notice::MilestoneSaved))
        }
        (Err(error), found) => {
            let failures = of_record(error, FALLBACK_FIELD)?;
            milestone_form::show(form, &found, Some(iid), &values, &failures)
        }
    }
}

async fn set_state(
    form: &MilestoneForm,
    iid: MilestoneIid,
    state: MilestoneState,
) -> Result<HttpResponse, PageFailure> {
    let edit = MilestoneEdit {
        state: Some(state),
        ..MilestoneEdit::default()
    };
    let notice = match state {
        MilestoneState::Active => Notice::MilestoneReopened,
        MilestoneState::Closed => Notice::MilestoneClosed,
    };
    let (changed, found) = update(form, iid, edit).await?;
    let milestone = changed.map_err(web_conventions::failure::Failure::from)?;
    Ok(form.redirect_with_notice(&path_of(&found, &milestone), notice))
}

async fn update(
    form: &MilestoneForm,
    iid: MilestoneIid,
    edit: MilestoneEdit,
) -> Result<(Result<ProjectMilestone, RecordError>, ProjectContext), PageFailure> {
    let (actor, now) = (form.actor_id()?, form.now());
    let (milestone, _) = form.read(move |tx, found| find(tx, found, iid)).await?;
    let id = milestone.id;
    let changed = form.write(move |tx, found| {
        let project = found.project.id;
        records_in_feed::update::<MilestoneContent, _>(tx, project, id, &edit, actor, now)
    });
    changed.await
}

async fn delete(form: &MilestoneForm, iid: MilestoneIid) -> Result<HttpResponse, PageFailure> {
    let (milestone, found) = form.read(move |tx, found| find(tx, found, iid)).await?;
    let mut failures = ValidationFailures::default();
    let typed = form.form.text("confirm").to_owned();
    check_name(&mut failures, &typed, &milestone.content.title);
    if !failures.is_empty() {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return show::answer(form, status, &found, milestone, &typed, &failures).await;
    }
    let (id, actor, now) = (milestone.id, form.actor_id()?, form.now());
    let (deleted, found) = form
        .write(move |tx, found| {
            let project = found.project.id;
            records_in_feed::delete::<MilestoneContent, _>(tx, project, id, None, actor, now)
        })
        .await?;
    deleted.map_err(web_conventions::failure::Failure::from)?;
    let list = format!("{}/-/milestones", found.path());
    Ok(form.redirect_with_notice(&list, Notice::MilestoneDeleted))
}

/// Responds with the form and its parse errors, to users who may change the project.
async fn refuse(
    form: &MilestoneForm,
    iid: Option<MilestoneIid>,
    values: &MilestoneFormValues,
    failures: ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let ((), found) = form.read(|_, _| Ok(())).await?;
    milestone_form::show(form, &found, iid, values, &failures)
}
