//! Page of an issue: its description, comments, history and metadata.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::access::AccessLevel;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::{IssueIid, UserId};
use api_conventions::page::OffsetPage;
use askama::Template;
use gatehouse_core::flows::notes::on_issue;
use projects::rules::issues::{IssueRights, issue_rights, sees_confidential};
use projects::{Issue, IssueKind, IssueState};

use super::incident_alerts::{IncidentAlerts, LoadedAlerts};
use super::list::{LabelLink, day, is_late, marks};
use super::{find, path_of};
use crate::areas::issues::view::IssuesWithRecords;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, sentences};
use crate::frame::page::list::count;
use crate::frame::page::list::{ListQuery, Pager, sentence_case};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{CanView, Need, ProjectContext, ProjectPage};
use crate::frame::page::prose::{Prose, Text, render};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::page::timeline::{Timeline, TimelineEntry, seen_notes};
use crate::frame::scopes::Owner;

/// Metadata in the sidebar.
struct Facts {
    assignees: Vec<DisplayName>,
    labels: Vec<LabelLink>,
    milestone: Option<(DisplayName, String)>,
    due: String,
    is_late: bool,
    is_confidential: bool,
    is_locked: bool,
    kind: String,
    severity: Option<Pill>,
    created: DisplayTime,
    changed: DisplayTime,
    closed: Option<(DisplayTime, DisplayName)>,
}

/// Permissions of the viewer.
struct IssuePermissions {
    edit: bool,
    comment: bool,
    internally: bool,
}

#[derive(Template)]
#[template(path = "areas/issues/issue.html")]
struct IssuePage {
    shell: Shell,
    list: String,
    path: String,
    api: String,
    number: String,
    title: DisplayName,
    state: Pill,
    is_open: bool,
    marks: Vec<Pill>,
    author: DisplayName,
    description: Prose,
    notes: Vec<TimelineEntry>,
    note_count: String,
    pager: Pager,
    /// Alerts of an incident, for viewers who may see alerts.
    alerts: Option<IncidentAlerts>,
    facts: Facts,
    may: IssuePermissions,
    may_delete: bool,
    /// True if a signed-out visitor could comment after signing in.
    signs_in: bool,
    written: String,
    wrong: Vec<String>,
    confirm: String,
    confirm_wrong: Vec<String>,
}

/// Answers with the page of an issue.
pub(super) async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let nothing = ValidationFailures::default();
    answer(&page, StatusCode::OK, "", &nothing).await
}

/// Answers with the page.
/// `written` is a refused comment or a refused confirmation number, and `failures` are its validation failures.
pub(super) async fn answer<N: Need>(
    page: &ProjectPage<N>,
    status: StatusCode,
    written: &str,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let (iid, viewer, now) = (
        IssueIid::new(page.number("iid")?),
        page.viewer(),
        page.now(),
    );
    let query = ListQuery::of(page.request())?;
    // The parameters of a form's address are not those of the list.
    let paging = query.paging()?;
    let read = page.read(move |tx, found| {
        let issue = find(tx, found, iid, viewer)?;
        let timeline = Timeline::read(tx, &seen_notes(on_issue(&issue), found), paging)?;
        let alerts = LoadedAlerts::read(tx, &issue, found)?;
        let loaded = IssuesWithRecords::one(tx, issue.clone())?;
        Ok((loaded, issue, timeline, alerts))
    });
    let ((loaded, issue, timeline, alerts), found) = read.await?;
    let description = issue.body.content.description.clone().unwrap_or_default();
    let description = Text {
        id_prefix: "description-".to_owned(),
        text: description,
    };
    let texts = std::iter::once(description).chain(timeline.texts());
    let mut prose = render(page, texts.collect()).await?.into_iter();
    let description = prose.next().unwrap_or_default();
    let title = DisplayName::of(&issue.body.content.title);
    let is_deletion = !failures.of("confirm").is_empty();
    let of = |first: bool, yes: &str, no: &str| if first { yes } else { no }.to_owned();
    let path = path_of(&found, iid);
    page.show_with(
        status,
        &IssuePage {
            shell: page.shell(
                &found,
                Section::Issues,
                &format!("{} #{iid}", title.isolated()),
            ),
            list: format!("{}/-/issues", found.path()),
            api: format!("/api/v4/projects/{}/issues/{iid}", found.project.id),
            number: iid.to_string(),
            title,
            state: issue.state().into(),
            is_open: issue.state() == IssueState::Opened,
            marks: marks(&issue),
            author: name_of(&loaded, issue.author_id),
            description,
            notes: timeline.entries(prose, viewer, &found, now),
            note_count: count(timeline.notes.total),
            pager: Pager::new(&query.with_path(&path), paging, &timeline.notes),
            alerts: alerts.map(|alerts| alerts.view(&issue, &found, now)),
            facts: facts(&loaded, &issue, &found, now),
            may: permissions(&issue, &found, viewer.user_id()),
            may_delete: found.allows::<Owner>() && !found.project.archived,
            signs_in: viewer.user_id().is_none() && !found.project.archived,
            written: of(is_deletion, "", written),
            wrong: sentences("The comment", failures.of("body")),
            confirm: of(is_deletion, written, ""),
            confirm_wrong: sentences("The number", failures.of("confirm")),
            path,
        },
    )
}

/// Returns the last page of the notes.
pub(super) fn last_page(notes: u64) -> u64 {
    notes.div_ceil(u64::from(OffsetPage::DEFAULT_SIZE)).max(1)
}

fn name_of(loaded: &IssuesWithRecords, id: UserId) -> DisplayName {
    let user = loaded.users.get(&id);
    DisplayName::of(user.map_or("A deleted user", |user| &user.name))
}

fn permissions(issue: &Issue, found: &ProjectContext, user: Option<UserId>) -> IssuePermissions {
    let is_written = !found.project.archived;
    let rights = user.map_or(IssueRights::None, |user| {
        issue_rights(issue, user, found.access)
    });
    let is_locked =
        issue.body.content.discussion_locked && !found.access.allows(AccessLevel::Guest);
    IssuePermissions {
        edit: is_written && rights != IssueRights::None,
        comment: is_written && user.is_some() && !is_locked,
        internally: sees_confidential(found.access),
    }
}

fn facts(
    loaded: &IssuesWithRecords,
    issue: &Issue,
    found: &ProjectContext,
    now: api_conventions::time::Timestamp,
) -> Facts {
    let (body, content) = (&issue.body, &issue.body.content);
    let list = ListQuery::empty(&format!("{}/-/issues", found.path()));
    let labels = body.labels.iter().filter_map(|id| loaded.labels.get(id));
    let labels = labels.map(|label| LabelLink {
        title: DisplayName::of(&label.content.title),
        color: label.content.color.clone(),
        href: list.with(&[("labels", &label.content.title)]),
    });
    let milestone = body.milestone_id.and_then(|id| loaded.milestones.get(&id));
    let milestone = milestone.map(|milestone| {
        let path = format!("{}/-/milestones/{}", found.path(), milestone.iid);
        (DisplayName::of(&milestone.content.title), path)
    });
    let is_incident = content.kind == IssueKind::Incident;
    Facts {
        assignees: body
            .assignees
            .iter()
            .map(|id| name_of(loaded, *id))
            .collect(),
        labels: labels.collect(),
        milestone,
        due: content.due_date.map(day).unwrap_or_default(),
        is_late: is_late(issue, now),
        is_confidential: content.confidential,
        is_locked: content.discussion_locked,
        kind: sentence_case(content.kind.as_str()),
        severity: is_incident.then(|| content.severity.into()),
        created: DisplayTime::at(issue.created_at, now),
        changed: DisplayTime::at(issue.updated_at, now),
        closed: body.closing.map(|closing| {
            let time = DisplayTime::at(closing.at, now);
            (time, name_of(loaded, closing.by))
        }),
    }
}
