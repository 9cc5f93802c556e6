//! Handlers of the label forms.

use actix_web::HttpResponse;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::LabelId;
use projects::{Label, LabelContent};
use records::NewRecord;
use web_conventions::failure::Failure;

use super::form::{self as label_form, LabelFormValues};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::{check_name, of_record};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectContext, ProjectForm, RoleOrForbidden};
use crate::frame::scopes::Reporter;

type LabelForm = ProjectForm<RoleOrForbidden<Reporter>>;

/// Field that shows a refusal without a field of its own.
const FALLBACK_FIELD: &str = "name";

/// Creates a label and redirects to the list.
pub(super) async fn create(form: LabelForm) -> Result<HttpResponse, PageFailure> {
    let values = LabelFormValues::from_form(&form.form);
    let edit = match values.edit() {
        Ok(edit) => edit,
        Err(failures) => {
            let ((), found) = form.read(|_, _| Ok(())).await?;
            return label_form::show(&form, &found, None, &values, &failures);
        }
    };
    let now = form.now();
    let created = form.write(move |tx, found| {
        let content = edit.apply(LabelContent::default());
        Label::create(tx, NewRecord::new(found.project.id, content, now))
    });
    match created.await? {
        (Ok(_), found) => Ok(redirect_to_list(&form, &found, Notice::LabelCreated)),
        (Err(error), found) => {
            let failures = of_record(error, FALLBACK_FIELD)?;
            label_form::show(&form, &found, None, &values, &failures)
        }
    }
}

/// Updates or deletes a label.
pub(super) async fn change(form: LabelForm) -> Result<HttpResponse, PageFailure> {
    let id = LabelId::new(form.number("label")?);
    let read = form.read(move |tx, found| Ok(Label::find(tx, found.project.id, id)?));
    let (label, found) = read.await?;
    match &*form.form.method() {
        "delete" => delete(&form, &found, &label).await,
        "put" => save(&form, &found, &label).await,
        _ => Err(PageFailure::bad_request(
            "Choose what to do with the label.",
        )),
    }
}

async fn save(
    form: &LabelForm,
    found: &ProjectContext,
    label: &Label,
) -> Result<HttpResponse, PageFailure> {
    let values = LabelFormValues::from_form(&form.form);
    let edit = match values.edit() {
        Ok(edit) => edit,
        Err(failures) => return label_form::show(form, found, Some(label), &values, &failures),
    };
    let (id, now) = (label.id, form.now());
    let saved = form.write(move |tx, found| Label::update(tx, found.project.id, id, &edit, now));
    match saved.await? {
        (Ok(_), found) => Ok(redirect_to_list(form, &found, Notice::LabelSaved)),
        (Err(error), found) => {
            let failures = of_record(error, FALLBACK_FIELD)?;
            label_form::show(form, &found, Some(label), &values, &failures)
        }
    }
}

async fn delete(
    form: &LabelForm,
    found: &ProjectContext,
    label: &Label,
) -> Result<HttpResponse, PageFailure> {
    let mut failures = ValidationFailures::default();
    let typed = form.form.text("confirm").to_owned();
    check_name(&mut failures, &typed, &label.content.title);
    if !failures.is_empty() {
        let mut values = LabelFormValues::of(label);
        values.confirm = typed;
        return label_form::show(form, found, Some(label), &values, &failures);
    }
    let id = label.id;
    let (deleted, found) = form
        .write(move |tx, found| Label::delete(tx, found.project.id, id, None))
        .await?;
    deleted.map_err(Failure::from)?;
    Ok(redirect_to_list(form, &found, Notice::LabelDeleted))
}

fn redirect_to_list(form: &LabelForm, found: &ProjectContext, notice: Notice) -> HttpResponse {
    form.redirect_with_notice(&format!("{}/-/labels", found.path()), notice)
}
