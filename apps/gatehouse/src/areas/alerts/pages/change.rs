//! Form actions on alerts.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use alert_intake::flow::set_status::{RequestedStatus, SetStatusError};
use alert_intake::flow::triage::AlertEdit;
use alert_intake::model::Severity;
use api_conventions::ids::AlertIid;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::change_alert::ChangeAlertError;
use gatehouse_core::flows::triage_alerts::{
    AlertEditor, AlertOutcome, MAX_ALERTS, edit_alert, edit_alerts,
};

use super::super::change::refused;
use super::detail::answer;
use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::ListQuery;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectForm, RoleOrNotFound};
use crate::frame::scopes::Developer;

type AlertForm = ProjectForm<RoleOrNotFound<Developer>>;

/// Assignee that a form names.
#[derive(Debug, Clone)]
enum FormAssignee {
    /// The sender of the form.
    Me,
    /// The user with this username.
    Named(String),
    /// Nobody.
    Nobody,
}

/// Changes that a form requests.
#[derive(Debug, Clone, Default)]
struct FormEdit {
    edit: AlertEdit,
    assignee: Option<FormAssignee>,
}

/// Reason why a form is not applied.
enum FormRefusal {
    Change(ChangeAlertError),
    UnknownUsername,
}

impl From<ChangeAlertError> for FormRefusal {
    fn from(error: ChangeAlertError) -> Self {
        Self::Change(error)
    }
}

/// Changes one alert, then redirects to its page.
pub(super) async fn one(form: AlertForm) -> Result<HttpResponse, PageFailure> {
    let iid = AlertIid::new(form.number("iid")?);
    let (wanted, notice) = read_edit(&form.form)
        .ok_or_else(|| PageFailure::bad_request("Choose one of the actions."))?;
    let by = editor(&form)?;
    let changed = form.write(move |tx, found| {
        let edit = resolve(tx, &wanted, by)?;
        Ok::<_, FormRefusal>(edit_alert(tx, found.project.id, iid, edit, by)?)
    });
    let (problem, status) = match changed.await? {
        (Ok(_), found) => {
            let path = format!("{}/-/alert_management/{iid}/details", found.path());
            return Ok(form.redirect_with_notice(&path, notice));
        }
        (Err(refusal), _) => problem_of(refusal)?,
    };
    answer(&form, status, Some(problem)).await
}

/// Changes all alerts selected in the list, and redirects back to it.
pub(super) async fn several(form: AlertForm) -> Result<HttpResponse, PageFailure> {
    let (wanted, _) = read_edit(&form.form)
        .ok_or_else(|| PageFailure::bad_request("Choose an action for the alerts."))?;
    let iids = read_iids(&form.form);
    if iids.is_empty() {
        return Err(PageFailure::bad_request("Select at least one alert first."));
    }
    let by = editor(&form)?;
    let changed = form.write(move |tx, found| {
        let edit = resolve(tx, &wanted, by)?;
        Ok::<_, FormRefusal>(edit_alerts(tx, found.project.id, &iids, edit, by)?)
    });
    let outcomes = match changed.await? {
        (Ok(outcomes), _) => outcomes,
        (Err(refusal), _) => return Err(PageFailure::bad_request(problem_of(refusal)?.0)),
    };
    let is_open =
        |(_, outcome): &(AlertIid, AlertOutcome)| matches!(outcome, AlertOutcome::IdentityOpen(_));
    let notice = if outcomes.iter().any(is_open) {
        Notice::AlertsPartlyChanged
    } else {
        Notice::AlertsChanged
    };
    let list = ListQuery::of(form.request())?.with(&[]);
    Ok(form.redirect_with_notice(&list, notice))
}

fn editor(form: &AlertForm) -> Result<AlertEditor, PageFailure> {
    Ok(AlertEditor {
        user: form.actor_id()?,
        now: form.now(),
    })
}

/// Returns the numbers of the selected alerts, each once.
fn read_iids(form: &PageForm) -> Vec<AlertIid> {
    let mut iids: Vec<AlertIid> = Vec::new();
    for iid in form.words("iids").into_iter().take(MAX_ALERTS) {
        if let Ok(iid) = iid.parse().map(AlertIid::new)
            && !iids.contains(&iid)
        {
            iids.push(iid);
        }
    }
    iids
}

/// Parses the changes of a form, with the notice about them.
fn read_edit(form: &PageForm) -> Option<(FormEdit, Notice)> {
    let mut wanted = FormEdit::default();
    if form.has("status") {
        let status = RequestedStatus::parse(form.text("status"))?;
        wanted.edit.status = Some(status);
        return Some((wanted, notice(status)));
    }
    if form.has("severity") {
        wanted.edit.severity = Some(Severity::parse(form.text("severity"))?);
        return Some((wanted, Notice::AlertSeverityChanged));
    }
    if !form.has("assignee") {
        return None;
    }
    wanted.assignee = Some(match form.text("assignee").trim().trim_start_matches('@') {
        "" => FormAssignee::Nobody,
        "me" => FormAssignee::Me,
        name => FormAssignee::Named(name.to_owned()),
    });
    Some((wanted, Notice::AlertAssigneeChanged))
}

const fn notice(status: RequestedStatus) -> Notice {
    match status {
        RequestedStatus::Triggered => Notice::AlertReopened,
        RequestedStatus::Acknowledged => Notice::AlertAcknowledged,
        RequestedStatus::Resolved => Notice::AlertResolved,
        RequestedStatus::Ignored => Notice::AlertIgnored,
    }
}

/// Looks up the user that a form names.
fn resolve(
    tx: &mut dyn WriteTransaction,
    wanted: &FormEdit,
    by: AlertEditor,
) -> Result<AlertEdit, FormRefusal> {
    let assignee_id = match &wanted.assignee {
        None => None,
        Some(FormAssignee::Nobody) => Some(None),
        Some(FormAssignee::Me) => Some(Some(by.user)),
        Some(FormAssignee::Named(name)) => {
            let user = tx.find_user_by_username(name);
            let user = user.map_err(ChangeAlertError::Store)?;
            Some(Some(user.ok_or(FormRefusal::UnknownUsername)?.id))
        }
    };
    Ok(AlertEdit {
        assignee_id,
        ..wanted.edit
    })
}

/// Returns the sentence about a refusal that the sender of the form can act on, with its status.
///
/// # Errors
/// All other refusals.
fn problem_of(refusal: FormRefusal) -> Result<(String, StatusCode), PageFailure> {
    match refusal {
        FormRefusal::UnknownUsername => Ok((
            "No user has this username.".to_owned(),
            StatusCode::UNPROCESSABLE_ENTITY,
        )),
        FormRefusal::Change(ChangeAlertError::Assignee) => Ok((
            "This user cannot be assigned: the alerts of the project are for Developers and above."
                .to_owned(),
            StatusCode::UNPROCESSABLE_ENTITY,
        )),
        FormRefusal::Change(ChangeAlertError::Status(error @ SetStatusError::IdentityOpen(_))) => {
            Ok((error.to_string(), StatusCode::CONFLICT))
        }
        FormRefusal::Change(other) => Err(refused(other).into()),
    }
}
