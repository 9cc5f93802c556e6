//! Handlers of the milestone forms.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::MilestoneIid;
use gatehouse_core::flows::records_in_feed;
use projects::{Milestone, MilestoneContent, MilestoneEdit, MilestoneState};
use records::{NewRecord, RecordError};

use super::form::{self as milestone_form, Written};
use super::{find, path_of, show};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::{check_name, of_record};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Allowed, Found, ProjectForm};
use crate::frame::scopes::Reporter;

type Form = ProjectForm<Allowed<Reporter>>;

/// Field that shows a refusal without a field of its own.
const MAIN: &str = "title";

/// Creates a milestone and redirects to its page.
pub(super) async fn create(form: Form) -> Result<HttpResponse, PageFailure> {
    let written = Written::from_form(&form.form);
    let edit = match written.edit() {
        Ok(edit) => edit,
        Err(failures) => return refuse(&form, None, &written, failures).await,
    };
    let (actor, now) = (form.actor()?, form.now());
    let made = form.write(move |tx, found| {
        let content = edit.apply(MilestoneContent::default());
        let new = NewRecord::new(found.project.id, content, now);
        records_in_feed::create(tx, new, actor)
    });
    match made.await? {
        (Ok(milestone), found) => {
            let path = path_of(&found, &milestone);
            Ok(form.lead_to(&path, Notice::MilestoneCreated))
        }
        (Err(error), found) => {
            let failures = of_record(error, MAIN)?;
            milestone_form::show(&form, (&found, None), &written, &failures)
        }
    }
}

/// Updates, closes, reopens or deletes a milestone.
pub(super) async fn change(form: Form) -> Result<HttpResponse, PageFailure> {
    let iid = MilestoneIid::new(form.number("iid")?);
    match (&*form.form.method(), form.form.text("state_event")) {
        ("delete", _) => delete(&form, iid).await,
        ("put", "") => save(&form, iid).await,
        ("put", "close") => set_state(&form, iid, MilestoneState::Closed).await,
        ("put", "activate") => set_state(&form, iid, MilestoneState::Active).await,
        _ => Err(PageFailure::bad_request(
            "The form does not say what to do with the milestone.",
        )),
    }
}

async fn save(form: &Form, iid: MilestoneIid) -> Result<HttpResponse, PageFailure> {
    let written = Written::from_form(&form.form);
    let edit = match written.edit() {
        Ok(edit) => edit,
        Err(failures) => return refuse(form, Some(iid), &written, failures).await,
    };
    match update(form, iid, edit).await? {
        (Ok(milestone), found) => {
            Ok(form.lead_to(&path_of(&found, &milestone), Notice::MilestoneSaved))
        }
        (Err(error), found) => {
            let failures = of_record(error, MAIN)?;
            milestone_form::show(form, (&found, Some(iid)), &written, &failures)
        }
    }
}

async fn set_state(
    form: &Form,
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
    Ok(form.lead_to(&path_of(&found, &milestone), notice))
}

async fn update(
    form: &Form,
    iid: MilestoneIid,
    edit: MilestoneEdit,
) -> Result<(Result<Milestone, RecordError>, Found), PageFailure> {
    let by = (form.actor()?, form.now());
    let (milestone, _) = form.read(move |tx, found| find(tx, found, iid)).await?;
    let id = milestone.id;
    let changed = form.write(move |tx, found| {
        let place = (found.project.id, id);
        records_in_feed::update::<MilestoneContent, _>(tx, place, &edit, by)
    });
    changed.await
}

async fn delete(form: &Form, iid: MilestoneIid) -> Result<HttpResponse, PageFailure> {
    let (milestone, found) = form.read(move |tx, found| find(tx, found, iid)).await?;
    let mut failures = ValidationFailures::default();
    let typed = form.form.text("confirm").to_owned();
    check_name(&mut failures, &typed, &milestone.content.title);
    if !failures.is_empty() {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return show::answer(form, status, (&found, milestone), (&typed, &failures)).await;
    }
    let (id, by) = (milestone.id, (form.actor()?, form.now()));
    let (deleted, found) = form
        .write(move |tx, found| {
            let milestone = (found.project.id, id);
            records_in_feed::delete::<MilestoneContent, _>(tx, milestone, None, by)
        })
        .await?;
    deleted.map_err(web_conventions::failure::Failure::from)?;
    let list = format!("{}/-/milestones", found.path());
    Ok(form.lead_to(&list, Notice::MilestoneDeleted))
}

/// Responds with the form and its parse errors, to users who may change the project.
async fn refuse(
    form: &Form,
    iid: Option<MilestoneIid>,
    written: &Written,
    failures: ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let ((), found) = form.read(|_, _| Ok(())).await?;
    milestone_form::show(form, (&found, iid), written, &failures)
}
