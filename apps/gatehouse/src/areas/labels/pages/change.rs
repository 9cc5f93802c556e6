//! Handlers of the label forms.

use actix_web::HttpResponse;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::LabelId;
use projects::{Label, LabelContent};
use records::NewRecord;
use web_conventions::failure::Failure;

use super::form::{self as label_form, Written};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::{check_name, of_record};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Allowed, Found, ProjectForm};
use crate::frame::scopes::Reporter;

type Form = ProjectForm<Allowed<Reporter>>;

/// Field that shows a refusal without a field of its own.
const MAIN: &str = "name";

/// Creates a label and redirects to the list.
pub(super) async fn create(form: Form) -> Result<HttpResponse, PageFailure> {
    let written = Written::from_form(&form.form);
    let edit = match written.edit() {
        Ok(edit) => edit,
        Err(failures) => {
            let ((), found) = form.read(|_, _| Ok(())).await?;
            return label_form::show(&form, (&found, None), &written, &failures);
        }
    };
    let now = form.now();
    let made = form.write(move |tx, found| {
        let content = edit.apply(LabelContent::default());
        Label::create(tx, NewRecord::new(found.project.id, content, now))
    });
    match made.await? {
        (Ok(_), found) => Ok(lead(&form, &found, Notice::LabelCreated)),
        (Err(error), found) => {
            let failures = of_record(error, MAIN)?;
            label_form::show(&form, (&found, None), &written, &failures)
        }
    }
}

/// Updates or deletes a label.
pub(super) async fn change(form: Form) -> Result<HttpResponse, PageFailure> {
    let id = LabelId::new(form.number("label")?);
    let read = form.read(move |tx, found| Ok(Label::find(tx, found.project.id, id)?));
    let (label, found) = read.await?;
    match &*form.form.method() {
        "delete" => delete(&form, (&found, &label)).await,
        "put" => save(&form, (&found, &label)).await,
        _ => Err(PageFailure::bad_request(
            "The form does not say what to do with the label.",
        )),
    }
}

async fn save(form: &Form, (found, label): (&Found, &Label)) -> Result<HttpResponse, PageFailure> {
    let written = Written::from_form(&form.form);
    let edit = match written.edit() {
        Ok(edit) => edit,
        Err(failures) => return label_form::show(form, (found, Some(label)), &written, &failures),
    };
    let (id, now) = (label.id, form.now());
    let saved = form.write(move |tx, found| Label::update(tx, (found.project.id, id), &edit, now));
    match saved.await? {
        (Ok(_), found) => Ok(lead(form, &found, Notice::LabelSaved)),
        (Err(error), found) => {
            let failures = of_record(error, MAIN)?;
            label_form::show(form, (&found, Some(label)), &written, &failures)
        }
    }
}

async fn delete(
    form: &Form,
    (found, label): (&Found, &Label),
) -> Result<HttpResponse, PageFailure> {
    let mut failures = ValidationFailures::default();
    let typed = form.form.text("confirm").to_owned();
    check_name(&mut failures, &typed, &label.content.title);
    if !failures.is_empty() {
        let mut written = Written::of(label);
        written.confirm = typed;
        return label_form::show(form, (found, Some(label)), &written, &failures);
    }
    let id = label.id;
    let (deleted, found) = form
        .write(move |tx, found| Label::delete(tx, found.project.id, id, None))
        .await?;
    deleted.map_err(Failure::from)?;
    Ok(lead(form, &found, Notice::LabelDeleted))
}

fn lead(form: &Form, found: &Found, notice: Notice) -> HttpResponse {
    form.lead_to(&format!("{}/-/labels", found.path()), notice)
}
