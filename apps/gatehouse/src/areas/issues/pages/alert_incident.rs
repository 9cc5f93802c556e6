//! Form actions on the incident of an alert, sent from the page of the alert.

use std::sync::Arc;

use actix_web::HttpResponse;
use api_conventions::ids::{AlertIid, IssueIid};
use gatehouse_core::flows::incidents::{self as flows, IncidentRefusal};

use super::{IssueFormError, IssueFormSender, path_of};
use crate::areas::issues::incidents::incident_refused;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectForm, RoleOrNotFound};
use crate::frame::scopes::Developer;

/// Path of the form.
pub(super) const PATH: &str = "/{project}/-/alert_management/{iid}/incident";

/// Requested action.
#[derive(Debug, Clone, Copy)]
enum IncidentAction {
    Create,
    Link(IssueIid),
    Unlink,
}

/// Creates an incident for an alert, links an existing one, or unlinks it.
pub(super) async fn change(
    form: ProjectForm<RoleOrNotFound<Developer>>,
) -> Result<HttpResponse, PageFailure> {
    let alert = AlertIid::new(form.number("iid")?);
    let action = match form.form.text("event") {
        "create" => IncidentAction::Create,
        "link" => IncidentAction::Link(parse_number(form.form.text("incident_iid"))?),
        "unlink" => IncidentAction::Unlink,
        _ => {
            return Err(PageFailure::bad_request(
                "The form has no known action. Reload the page and try again.",
            ));
        }
    };
    let (sender, names) = (
        IssueFormSender::of(&form)?,
        Arc::clone(&form.state().incident_names),
    );
    let changed = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        let project = &found.project;
        Ok::<_, IssueFormError>(match action {
            IncidentAction::Create => Some(flows::create(tx, project, alert, &names, by)?),
            IncidentAction::Link(incident) => Some(flows::link(tx, project, alert, incident, by)?),
            IncidentAction::Unlink => {
                flows::unlink(tx, project, alert, None, by)?;
                None
            }
        })
    });
    match changed.await? {
        (Ok(Some(issue)), found) => {
            let notice = match action {
                IncidentAction::Create => Notice::IncidentCreated,
                _ => Notice::IncidentLinked,
            };
            Ok(form.redirect_with_notice(&path_of(&found, issue.iid), notice))
        }
        (Ok(None), found) => {
            let path = format!("{}/-/alert_management/{alert}/details", found.path());
            Ok(form.redirect_with_notice(&path, Notice::IncidentUnlinked))
        }
        (Err(IssueFormError::Whole(failure)), _) => Err(form.sign_in_if_hidden(failure.into())),
        (Err(other), _) => {
            other.into_fields()?;
            Err(PageFailure::bad_request("The incident has invalid values."))
        }
    }
}

/// Parses the number of an incident, with or without `#`.
fn parse_number(text: &str) -> Result<IssueIid, PageFailure> {
    let text = text.trim();
    let number = text.strip_prefix('#').unwrap_or(text).parse::<i64>();
    let number = number.ok().filter(|number| *number > 0);
    number.map(IssueIid::new).ok_or_else(|| {
        PageFailure::bad_request("Enter the number of an incident of this project, such as 12.")
    })
}

impl From<IncidentRefusal> for IssueFormError {
    fn from(refusal: IncidentRefusal) -> Self {
        match refusal {
            IncidentRefusal::Issue(error) => error.into(),
            other => Self::Whole(incident_refused(other)),
        }
    }
}
