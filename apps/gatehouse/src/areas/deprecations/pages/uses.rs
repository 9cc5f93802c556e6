//! Uses of deprecated features: the user's own, and all uses for administrators.

use accounts::User;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::page::Total;
use api_conventions::time::Timestamp;
use askama::Template;
use deprecations::{Holder, Schedule};
use gatehouse_core::deprecation_uses::NamedUse;

use super::record_row::{TitlePiece, path_of, pieces, when};
use crate::areas::deprecations::uses::{RecordUses, of_all, of_user};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, counted, grouped};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::{Administrator, SignedInVisitor};
use crate::state::AppState;

/// Path of the user's own uses.
pub(super) const OWN: &str = "/profile/deprecations";

/// Path of the uses by all users.
pub(super) const ALL: &str = "/admin/deprecations";

/// Row with the uses by one user.
struct FeatureUseRow {
    who: DisplayName,
    with: DisplayName,
    uses: String,
    first: DisplayTime,
    last: DisplayTime,
}

/// Uses of one record.
struct UseGroup {
    id: String,
    title: Vec<TitlePiece>,
    path: Option<String>,
    /// Time of the removal, in words.
    until: String,
    /// Number of users, in words; empty on the page of the user's own uses.
    sum: String,
    rows: Vec<FeatureUseRow>,
}

#[derive(Template)]
#[template(path = "areas/deprecations/deprecation_uses.html")]
struct UsesPage {
    shell: Shell,
    title: &'static str,
    is_of_all: bool,
    sections: Vec<UseGroup>,
    list: &'static str,
}

/// Responds with the uses by the visitor.
pub(super) async fn show_own(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let user = visitor.member(&request)?.user.clone();
    let user_id = user.id;
    let found = state
        .database
        .read(visitor.lane(), move |tx| of_user(tx, user_id));
    let found = found.await?;
    let (schedule, now) = (state.releases.schedule(), visitor.now());
    let mut sections: Vec<UseGroup> = Vec::new();
    for one in found {
        let id = one.of.key.record().to_owned();
        let row = FeatureUseRow::new(one, std::slice::from_ref(&user), now);
        match sections.iter_mut().find(|section| section.id == id) {
            Some(section) => section.rows.push(row),
            None => sections.push(UseGroup::new(id, schedule, String::new(), vec![row])),
        }
    }
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&UsesPage {
        shell: page.shell(SiteArea::Profile, "Deprecated features that you use"),
        title: "Deprecated features that you use",
        is_of_all: false,
        sections,
        list: super::LIST,
    })
}

/// Responds with the uses by all users.
pub(super) async fn show_all(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let schedule = state.releases.schedule();
    let found = state
        .database
        .read(visitor.lane(), move |tx| of_all(tx, schedule));
    let found = found.await?;
    let now = visitor.now();
    let section = |uses: RecordUses| {
        let sum = sum(&uses);
        let rows = uses.last.into_iter();
        let rows = rows
            .map(|one| FeatureUseRow::new(one, &uses.users, now))
            .collect();
        UseGroup::new(uses.record.id.clone(), schedule, sum, rows)
    };
    let sections = found.into_iter().map(section).collect();
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&UsesPage {
        shell: page.shell(SiteArea::Administration, "Use of deprecated features"),
        title: "Use of deprecated features",
        is_of_all: true,
        sections,
        list: super::LIST,
    })
}

fn sum(uses: &RecordUses) -> String {
    let requests = counted(uses.sum.uses, "request", "requests");
    match uses.sum.holders {
        Total::Exact(1) => format!("{requests} with one credential"),
        Total::Exact(count) => format!("{requests} with {} credentials", grouped(count)),
        Total::Beyond | Total::Uncounted | Total::Unfinished(_) => {
            format!("At least {requests} with more than 10,000 credentials")
        }
    }
}

impl UseGroup {
    fn new(id: String, schedule: &Schedule, sum: String, rows: Vec<FeatureUseRow>) -> Self {
        let record = schedule.find(&id);
        Self {
            title: record.map_or_else(|| pieces(&id), |record| pieces(&record.title)),
            path: record.map(path_of),
            until: record
                .and_then(deprecations::Record::removal)
                .map(when)
                .unwrap_or_default(),
            id,
            sum,
            rows,
        }
    }
}

impl FeatureUseRow {
    fn new(named: NamedUse, users: &[User], now: Timestamp) -> Self {
        let (key, count) = (named.of.key, named.of.count);
        let user = key.user();
        let found = users.iter().find(|one| Some(one.id) == user);
        let who = match (found, user) {
            (Some(found), _) => format!("@{}", found.username.as_str()),
            (None, Some(id)) => format!("deleted user {id}"),
            (None, None) => "others".to_owned(),
        };
        let name = |word: &str, id: String| match &named.holder_name {
            Some(name) => format!("{word} {name}"),
            None => format!("deleted {word} {id}"),
        };
        let with = match key.holder() {
            Holder::Session => "browser session".to_owned(),
            Holder::Token(id) => name("token", id.to_string()),
            Holder::Application(id) => name("application", id.to_string()),
            Holder::Others => "not recorded separately".to_owned(),
        };
        Self {
            who: DisplayName::of(&who),
            with: DisplayName::of(&with),
            uses: grouped(count.uses),
            first: DisplayTime::at(count.first_at, now),
            last: DisplayTime::at(count.last_at, now),
        }
    }
}
