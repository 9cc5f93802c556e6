//! Silences of a project: the list, and the form that creates, changes and ends them.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use alert_intake::flow::active_silences::ActiveSilences;
use alert_intake::flow::silences::{SilenceError, WantedSilence};
use alert_intake::model::{Alert, LabelMatcher, Silence, SilenceState};
use alert_intake::rules::labels::labels_of;
use api_conventions::ids::{AlertIid, ProjectId, SilenceId};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::silences::{SilenceEditor, end_silence, list_open_reports, put_silence};
use storage::StoreError;

use super::super::alertmanager::{refused, silence_order};
use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, counted};
use crate::frame::page::list::{ListQuery, sentence_case};
use crate::frame::page::notice::Notice;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{Need, ProjectContext, ProjectForm, ProjectPage, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Developer;

/// Durations that the form offers, in seconds.
const DURATIONS: [(i64, &str); 7] = [
    (3_600, "1 hour"),
    (2 * 3_600, "2 hours"),
    (8 * 3_600, "8 hours"),
    (86_400, "1 day"),
    (3 * 86_400, "3 days"),
    (7 * 86_400, "1 week"),
    (30 * 86_400, "30 days"),
];

/// Duration that a new form has.
const USUAL: i64 = 2 * 3_600;

/// Largest number of silences on the page.
const MAX_SHOWN: usize = 200;

/// Row of the list.
struct SilenceListRow {
    id: String,
    state: Pill,
    matchers: Vec<String>,
    /// Word before the time.
    when: &'static str,
    time: DisplayTime,
    created_by: String,
    comment: String,
    /// Number of open alerts that it hides, in words.
    hides: Option<String>,
    is_over: bool,
}

/// Texts of the form of a silence.
#[derive(Debug, Clone, Default)]
pub(super) struct SilenceForm {
    /// Silence to change; empty for a new one.
    id: String,
    /// Matchers, one per line.
    matchers: String,
    seconds: i64,
    comment: String,
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "areas/alerts/silence_list.html")]
struct SilenceListPage {
    shell: Shell,
    alerts: String,
    /// Path of the page, below the root of the server.
    path: String,
    rows: Vec<SilenceListRow>,
    form: SilenceForm,
    durations: [(i64, &'static str); 7],
}

/// Responds with the list, and a form with the labels of the alert or the content of the silence that the query names.
pub(super) async fn show(
    page: ProjectPage<RoleOrNotFound<Developer>>,
) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let number = |name: &str| query.text(name).parse::<i64>().ok();
    let (alert, silence) = (number("alert"), number("silence"));
    let read = page.read(move |tx, found| Ok(prefilled(tx, found.project.id, alert, silence)?));
    let (form, _) = read.await?;
    respond(&page, StatusCode::OK, form).await
}

/// Returns the form about an alert, or about a silence to change.
fn prefilled(
    tx: &mut dyn ReadTransaction,
    project: ProjectId,
    alert: Option<i64>,
    silence: Option<i64>,
) -> Result<SilenceForm, StoreError> {
    let empty = SilenceForm {
        seconds: USUAL,
        ..SilenceForm::default()
    };
    if let Some(id) = silence {
        let found = tx.find_silence(project, SilenceId::new(id))?;
        return Ok(found.map_or(empty.clone(), |silence| SilenceForm {
            id: silence.id.to_string(),
            matchers: lines(&silence.content.matchers),
            comment: silence.content.comment,
            ..empty
        }));
    }
    let alert = match alert {
        Some(iid) => tx.find_alert(project, AlertIid::new(iid))?,
        None => None,
    };
    let matcher = |(name, value)| LabelMatcher {
        name,
        value,
        is_regex: false,
        is_equal: true,
    };
    let matchers = alert.map(|alert| {
        labels_of(&alert)
            .into_iter()
            .map(matcher)
            .collect::<Vec<_>>()
    });
    Ok(SilenceForm {
        matchers: lines(&matchers.unwrap_or_default()),
        ..empty
    })
}

fn lines(matchers: &[LabelMatcher]) -> String {
    let lines: Vec<String> = matchers.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

async fn respond<N: Need>(
    page: &ProjectPage<N>,
    status: StatusCode,
    form: SilenceForm,
) -> Result<HttpResponse, PageFailure> {
    let now = page.now();
    let read = page.read(move |tx, found| {
        let project = found.project.id;
        let silences = tx.list_silences(&[project], Timestamp::MIN, MAX_SHOWN)?;
        let active = silences
            .iter()
            .filter(|it| it.state(now) == SilenceState::Active);
        let active = ActiveSilences::compiled(active.cloned());
        let hidden = if active.is_empty() {
            Vec::new()
        } else {
            list_open_reports(tx, project, None, |alert| active.hides(alert))?
        };
        Ok((silences, hidden, active))
    });
    let ((mut silences, hidden, active), found) = read.await?;
    silences.sort_by_key(|silence| silence_order(silence, now));
    let rows = silences.iter();
    let rows = rows.map(|silence| row(silence, &hidden, &active, now));
    let path = path_of(&found);
    page.show_with(
        status,
        &SilenceListPage {
            shell: page.shell(&found, Section::Alerts, "Silences"),
            alerts: format!("{}/-/alert_management", found.path()),
            rows: rows.collect(),
            path,
            form,
            durations: DURATIONS,
        },
    )
}

/// Path of the list, below the root of the server.
pub(super) fn path_of(found: &ProjectContext) -> String {
    format!("{}/-/alert_management/silences", found.path())
}

fn row(
    silence: &Silence,
    hidden: &[Alert],
    active: &ActiveSilences,
    now: Timestamp,
) -> SilenceListRow {
    let content = &silence.content;
    let state = silence.state(now);
    let (when, time) = match state {
        SilenceState::Active => ("Ends", content.ends_at),
        SilenceState::Pending => ("Starts", content.starts_at),
        SilenceState::Expired => ("Ended", content.ends_at),
    };
    let by_it = hidden.iter().filter(|alert| {
        let labels = labels_of(alert);
        let mut hiding = active.hiding(content.project_id, &labels);
        hiding.any(|hiding| hiding.id == silence.id)
    });
    SilenceListRow {
        id: silence.id.to_string(),
        state: state.into(),
        matchers: content.matchers.iter().map(ToString::to_string).collect(),
        when,
        time: DisplayTime::at(time, now),
        created_by: content.created_by.clone(),
        comment: content.comment.clone(),
        hides: (state == SilenceState::Active)
            .then(|| counted(by_it.count() as u64, "open alert", "open alerts")),
        is_over: state == SilenceState::Expired,
    }
}

/// Creates, changes or ends a silence, then redirects to the list.
pub(super) async fn change(
    form: ProjectForm<RoleOrNotFound<Developer>>,
) -> Result<HttpResponse, PageFailure> {
    match form.form.text("event") {
        "save" => save(&form).await,
        "end" => end(&form).await,
        _ => Err(PageFailure::bad_request(
            "Choose what to do with the silence.",
        )),
    }
}

async fn save(form: &ProjectForm<RoleOrNotFound<Developer>>) -> Result<HttpResponse, PageFailure> {
    let typed = read(&form.form);
    let by = editor(form)?;
    let wanted = match wanted(&typed, by.name.clone(), by.now) {
        Ok(wanted) => wanted,
        Err(problem) => return refuse(form, typed, problem).await,
    };
    let saved =
        form.write(
            move |tx, found| match put_silence(tx, found.project.id, wanted.clone(), &by) {
                Ok(_) => Ok(Ok(())),
                Err(SilenceError::Store(error)) => Err(error),
                Err(refusal) => Ok(Err(refusal.to_string())),
            },
        );
    let (saved, found): (Result<_, StoreError>, _) = saved.await?;
    match saved? {
        Ok(()) => Ok(form.redirect_with_notice(&path_of(&found), Notice::SilenceSaved)),
        Err(problem) => refuse(form, typed, problem).await,
    }
}

/// Returns the signed-in user as the author of a change.
fn editor(form: &ProjectForm<RoleOrNotFound<Developer>>) -> Result<SilenceEditor, PageFailure> {
    let user = &form.visitor().member(form.request())?.user;
    Ok(SilenceEditor {
        id: Some(user.id),
        name: user.username.as_str().to_owned(),
        now: form.now(),
    })
}

async fn refuse(
    form: &ProjectForm<RoleOrNotFound<Developer>>,
    typed: SilenceForm,
    problem: String,
) -> Result<HttpResponse, PageFailure> {
    let typed = SilenceForm {
        problem: Some(format!("{}.", sentence_case(&problem))),
        ..typed
    };
    respond(form, StatusCode::UNPROCESSABLE_ENTITY, typed).await
}

fn read(form: &PageForm) -> SilenceForm {
    SilenceForm {
        id: form.text("silence").to_owned(),
        matchers: form.text("matchers").replace("\r\n", "\n"),
        seconds: form.text("seconds").parse().unwrap_or(USUAL),
        comment: form.text("comment").trim().to_owned(),
        problem: None,
    }
}

/// Returns the silence that a form asks for, from now on.
fn wanted(form: &SilenceForm, author: String, now: Timestamp) -> Result<WantedSilence, String> {
    let lines = form.matchers.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty());
    let matchers = lines.map(LabelMatcher::parse).collect::<Result<_, _>>();
    let is_offered = DURATIONS
        .iter()
        .any(|(seconds, _)| *seconds == form.seconds);
    if !is_offered {
        return Err("choose how long the silence lasts".to_owned());
    }
    Ok(WantedSilence {
        id: form.id.parse().ok().map(SilenceId::new),
        matchers: matchers.map_err(|error| error.to_string())?,
        starts_at: now,
        ends_at: now.plus_seconds(form.seconds),
        created_by: author,
        comment: form.comment.clone(),
    })
}

async fn end(form: &ProjectForm<RoleOrNotFound<Developer>>) -> Result<HttpResponse, PageFailure> {
    let id = form.form.text("silence").parse::<i64>().ok();
    let id = id.ok_or_else(|| PageFailure::bad_request("Choose a silence."))?;
    let by = editor(form)?;
    let ended = form.write(move |tx, found| {
        end_silence(tx, found.project.id, SilenceId::new(id), &by).map_err(refused)
    });
    let (ended, found) = ended.await?;
    ended.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    Ok(form.redirect_with_notice(&path_of(&found), Notice::SilenceEnded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_are_one_per_line_and_durations_are_those_of_the_form() {
        let form = SilenceForm {
            matchers: "a=b\n\n c=~\"d.*\" \n".to_owned(),
            seconds: 3_600,
            ..SilenceForm::default()
        };
        let read = |form: &SilenceForm| wanted(form, "erin".to_owned(), Timestamp::MIN);
        let silence = read(&form).unwrap();
        assert_eq!(lines(&silence.matchers), "a=\"b\"\nc=~\"d.*\"");
        assert_eq!(silence.ends_at, Timestamp::MIN.plus_seconds(3_600));
        let other = SilenceForm {
            seconds: 1,
            ..form.clone()
        };
        assert!(read(&other).is_err());
        let unreadable = SilenceForm {
            matchers: "a".to_owned(),
            ..form
        };
        assert!(read(&unreadable).unwrap_err().contains("not a matcher"));
    }
}
