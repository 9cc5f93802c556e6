//! Form for comments on an alert.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::AlertIid;
use gatehouse_core::flows::notes::{NoteInput, alert_of, create as create_note};
use projects::flow::issues::IssueActor;
use projects::flow::notes::NoteError;
use web_conventions::failure::Failure;

use super::detail::answer;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectForm, RoleOrNotFound};
use crate::frame::scopes::Developer;

/// Creates a comment, then redirects to the page of the alert, which shows the newest comments first.
pub(super) async fn create(
    form: ProjectForm<RoleOrNotFound<Developer>>,
) -> Result<HttpResponse, PageFailure> {
    let iid = AlertIid::new(form.number("iid")?);
    let (viewer, user, now) = (form.viewer(), form.actor_id()?, form.now());
    let input = NoteInput {
        body: form.form.text("body").replace("\r\n", "\n"),
        internal: false,
        created_at: None,
    };
    let created = form.write(move |tx, found| {
        if found.project.archived {
            return Err(Failure::from(ApiError::forbidden_because(
                "the project is archived",
            )));
        }
        let target = alert_of(tx, found.project.id, iid)?;
        let target = target.ok_or_else(|| ApiError::not_found("Alert"))?;
        let access = found.access;
        let by = IssueActor {
            viewer,
            user,
            access,
            now,
        };
        match create_note(tx, &target, input.clone(), by) {
            Ok(_) => Ok(None),
            Err(NoteError::Invalid(failures)) => Ok(Some(failures)),
            Err(NoteError::Store(error)) => Err(error.into()),
            Err(refused) => Err(ApiError::from(refused).into()),
        }
    });
    match created.await? {
        (Ok(None), found) => {
            let path = format!("{}/-/alert_management/{iid}/details", found.path());
            Ok(form.redirect_with_notice(&path, Notice::CommentCreated))
        }
        (Ok(Some(failures)), _) => {
            let problem = Some(format!("Comment not saved: {failures}."));
            answer(&form, StatusCode::UNPROCESSABLE_ENTITY, problem).await
        }
        (Err(failure), _) => Err(failure.into()),
    }
}
