//! Issue forms that are held as spam.

use api_conventions::error::ValidationFailures;
use api_conventions::ids::IssueIid;
use gatehouse_core::spam::{Clearance, SpamVerdict};
use projects::flow::issues::IssueActor;

use super::IssueFormSender;
use super::fields::IssueFormValues;
use crate::areas::issues::spam::intent;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::held::{HeldNotice, solution};
use crate::frame::page::project::{Account, ProjectForm};
use crate::frame::spam::{CheckedKind, sender};

/// Reason why a form is not saved.
pub(super) enum FormRejection {
    /// Invalid fields.
    Invalid(ValidationFailures),
    /// The content looks like spam.
    Held(Box<HeldNotice>),
}

/// Checks the content of a new or changed issue for spam.
pub(super) async fn check_spam(
    form: &ProjectForm<Account>,
    iid: Option<IssueIid>,
    values: &IssueFormValues,
) -> Result<Result<Clearance, FormRejection>, PageFailure> {
    let Ok(content) = values.content() else {
        return Ok(Err(FormRejection::Invalid(
            validation_failures(form, values).await?,
        )));
    };
    let state = form.state();
    if let Some(clearance) = state.spam.clear_if_disabled(&content) {
        return Ok(Ok(clearance));
    }
    let from = IssueFormSender::of(form)?;
    let read = form.read(move |tx, found| {
        let by = IssueActor {
            viewer: from.viewer,
            user: from.user,
            access: found.access,
            now: from.now,
        };
        intent(tx, &found.project, iid, content, by)
    });
    let (intent, _) = read.await?;
    let user = &form.visitor().member(form.request())?.user;
    let (sender, solution) = (sender(form.request(), state, user), solution(&form.form));
    let judged = state
        .spam
        .check(&state.database, intent, sender, solution, true, form.now())
        .await?;
    Ok(match judged {
        SpamVerdict::Cleared(clearance) => Ok(clearance),
        SpamVerdict::Held(held) => {
            let notice = HeldNotice::new(CheckedKind::Issue, &held, state.spam.script());
            Err(FormRejection::Held(Box::new(notice)))
        }
        SpamVerdict::Unverified => Err(FormRejection::Held(Box::new(HeldNotice::unverified()))),
    })
}

/// Returns all validation failures of the fields, including those that only the database reveals.
async fn validation_failures(
    form: &ProjectForm<Account>,
    values: &IssueFormValues,
) -> Result<ValidationFailures, PageFailure> {
    let entered = values.clone();
    let read = form.read(move |tx, _| Ok(entered.edit(tx)?.err()));
    let (failures, _) = read.await?;
    Ok(failures.unwrap_or_default())
}
