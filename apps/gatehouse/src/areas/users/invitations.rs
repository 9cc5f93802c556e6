//! `/admin/users/-/invitations`: invitations to register, for administrators.

use std::sync::Arc;

use accounts::flow::invitations::{
    CreateInvitation, CreateInvitationError, DEFAULT_DAYS, InvitationActor, MAX_DAYS,
    create_invitation, revoke_invitation,
};
use accounts::model::INVITATION_PREFIX;
use accounts::{Invitation, InvitedRole};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::AccessLevel;
use api_conventions::ids::InvitationId;
use api_conventions::reference::FullPath;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::account_mail::{OutgoingMail, send_invitation};
use gatehouse_core::flows::invitations::{ListedInvitation, find_invited_place, list_invitations};
use gatehouse_core::randomness::OsRandomness;
use storage::StoreError;
use web_conventions::operations::{Operation, get, post};

use crate::frame::form::{AdministratorForm, PageForm};
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::{Choice, ListQuery, Pager};
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::{INVITATIONS, query_value};
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::visitor::Administrator;
use crate::state::AppState;

/// Path of the list. No username begins with the character of its third segment.
const LIST: &str = "/admin/users/-/invitations";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("invitationsPage", LIST, show),
        post("createInvitationByForm", LIST, create),
        post(
            "revokeInvitationByForm",
            "/admin/users/-/invitations/{id}/revoke",
            revoke,
        ),
    ]
}

/// Values of the form.
#[derive(Debug, Clone, Default)]
struct InvitationForm {
    email: String,
    username: String,
    days: String,
    place: String,
    level: String,
    /// Error of the form, as a sentence.
    problem: Option<String>,
}

/// Row of the list.
struct InvitationListRow {
    id: String,
    suggested: DisplayName,
    creator: String,
    role: Option<(&'static str, String)>,
    created: DisplayTime,
    expires: DisplayTime,
    is_expired: bool,
}

#[derive(Template)]
#[template(path = "areas/users/invitations.html")]
struct InvitationsPage {
    shell: Shell,
    /// True if an invitation with an email address is sent to it.
    sends_mail: bool,
    /// Link of the invitation that was just created.
    link: Option<String>,
    form: InvitationForm,
    roles: Vec<Choice>,
    max_days: i64,
    rows: Vec<InvitationListRow>,
    pager: Pager,
}

impl InvitationForm {
    fn read(form: &PageForm) -> Self {
        let text = |name| form.text(name).trim().to_owned();
        Self {
            email: text("invitation[email]"),
            username: text("invitation[username]"),
            days: text("invitation[days]"),
            place: text("invitation[place]"),
            level: text("invitation[access_level]"),
            problem: None,
        }
    }

    /// Converts the form to a request, without the place of the role.
    ///
    /// # Errors
    /// The first error of the fields, as a sentence.
    fn request(&self, base: CreateInvitation) -> Result<CreateInvitation, String> {
        let mut request = base;
        let given = |text: &String| (!text.is_empty()).then(|| text.clone());
        request.email = given(&self.email);
        request.username = given(&self.username);
        if !self.days.is_empty() {
            let days = self.days.parse();
            request.days = days.map_err(|_| CreateInvitationError::Days.to_string())?;
        }
        Ok(request)
    }

    /// Path and level of the role; `None` for no role.
    ///
    /// # Errors
    /// An invalid path or role, as a sentence.
    fn role(&self) -> Result<Option<(FullPath, AccessLevel)>, String> {
        if self.place.is_empty() {
            return Ok(None);
        }
        let path = FullPath::parse(self.place.trim_matches('/'));
        let level = self.level.parse().ok().and_then(AccessLevel::from_number);
        let path = path.ok_or_else(|| NO_PLACE.to_owned())?;
        let level = level.ok_or_else(|| "Choose a role.".to_owned())?;
        Ok(Some((path, level)))
    }
}

/// Message about a path of no project or group.
const NO_PLACE: &str = "Enter the path of a project or group, such as acme/web-shop.";

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let session = &visitor.administrator(&request)?.session;
    let page = PageRequest::new(&request, &state, &visitor);
    let created = query_value(&request, "created").and_then(|text| text.parse().ok());
    let of = created
        .map(InvitationId::new)
        .map(SecretSubject::Invitation);
    let secret = of.and_then(|of| secret_once::sent(&request, &state, of, session, visitor.now()));
    let form = InvitationForm::default();
    let mut answer = respond(&page, StatusCode::OK, form, secret).await?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, &state, of)?;
    }
    Ok(answer)
}

async fn respond(
    page: &PageRequest<'_>,
    status: StatusCode,
    mut form: InvitationForm,
    secret: Option<PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request)?.with_path(LIST);
    let (paging, now) = (query.paging()?, page.visitor.now());
    let read = page
        .state
        .database
        .read(page.visitor.lane(), move |tx| list_invitations(tx, paging));
    let found: Result<_, StoreError> = read.await;
    let found = found?;
    if form.days.is_empty() {
        form.days = DEFAULT_DAYS.to_string();
    }
    let base_url = &page.state.base_url;
    page.show_with(
        status,
        &InvitationsPage {
            shell: page.shell(SiteArea::Administration, "Invitations"),
            sends_mail: page.state.outgoing_mail() == OutgoingMail::On,
            link: secret.map(|secret| format!("{base_url}{INVITATIONS}/{}", secret.reveal())),
            roles: roles(&form.level),
            form,
            max_days: MAX_DAYS,
            rows: found
                .items
                .iter()
                .map(|item| InvitationListRow::new(item, now))
                .collect(),
            pager: Pager::new(&query, paging, &found),
        },
    )
}

/// Names of the roles.
const fn role_name(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::Guest => "Guest",
        AccessLevel::Reporter => "Reporter",
        AccessLevel::Developer => "Developer",
        AccessLevel::Maintainer => "Maintainer",
        AccessLevel::Owner => "Owner",
    }
}

/// Form value of a role: its number.
const fn role_value(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::Guest => "10",
        AccessLevel::Reporter => "20",
        AccessLevel::Developer => "30",
        AccessLevel::Maintainer => "40",
        AccessLevel::Owner => "50",
    }
}

/// Role choices; Developer unless another one was chosen.
fn roles(chosen: &str) -> Vec<Choice> {
    let chosen = if chosen.is_empty() { "30" } else { chosen };
    let choice = |level| Choice {
        value: role_value(level),
        name: role_name(level).to_owned(),
        is_chosen: role_value(level) == chosen,
    };
    AccessLevel::ALL.into_iter().map(choice).collect()
}

impl InvitationListRow {
    fn new(listed: &ListedInvitation, now: Timestamp) -> Self {
        let invitation = &listed.invitation;
        let suggestions = [&invitation.username, &invitation.email];
        let suggested: Vec<&str> = suggestions
            .into_iter()
            .flatten()
            .map(|text| &**text)
            .collect();
        let deleted = || "a deleted project or group".to_owned();
        let role = invitation.role.map(|role| {
            let place = listed.place.clone().unwrap_or_else(deleted);
            (role_name(role.level), place)
        });
        Self {
            id: invitation.id.to_string(),
            suggested: DisplayName::of(&suggested.join(", ")),
            creator: listed.creator.clone().unwrap_or_default(),
            role,
            created: DisplayTime::at(invitation.created_at, now),
            expires: DisplayTime::at(invitation.expires_at, now),
            is_expired: invitation.is_expired(now),
        }
    }
}

/// Creates an invitation and redirects to the list, which shows the link once.
async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let mut typed = InvitationForm::read(&form);
    let secret = PlainSecret::generate(INVITATION_PREFIX, &OsRandomness);
    match insert(&page, &typed, &secret).await? {
        Ok(invitation) => show_once(&page, &invitation, &secret),
        Err(problem) => {
            typed.problem = Some(problem);
            respond(&page, StatusCode::UNPROCESSABLE_ENTITY, typed, None).await
        }
    }
}

/// Inserts the invitation, or returns the reason against it as a sentence.
async fn insert(
    page: &PageRequest<'_>,
    typed: &InvitationForm,
    secret: &PlainSecret,
) -> Result<Result<Invitation, String>, PageFailure> {
    let creator = page.visitor.administrator(page.request)?.user.id;
    let base = CreateInvitation::new(Some(creator), secret.digest(), page.visitor.now());
    let read = typed
        .request(base)
        .and_then(|request| Ok((request, typed.role()?)));
    let (request, role) = match read {
        Ok(read) => read,
        Err(problem) => return Ok(Err(problem)),
    };
    let mail = (page.state.outgoing_mail() == OutgoingMail::On).then(|| {
        let path = format!("{INVITATIONS}/{}", secret.reveal());
        (Arc::clone(&page.state.vault), path)
    });
    let created = page.state.write(move |tx| {
        let mut request = request.clone();
        if let Some((path, level)) = &role {
            let Some(place) = find_invited_place(tx, path)? else {
                return Ok(None);
            };
            let level = *level;
            request.role = Some(InvitedRole { place, level });
        }
        let invitation = create_invitation(tx, &request)?;
        if let Some((vault, path)) = &mail {
            send_invitation(tx, vault, &invitation, path, request.now)?;
        }
        Ok(Some(invitation))
    });
    match created.await {
        Ok(Some(invitation)) => Ok(Ok(invitation)),
        Ok(None) => Ok(Err(NO_PLACE.to_owned())),
        Err(CreateInvitationError::Store(error)) => Err(error.into()),
        Err(refused) => Ok(Err(format!("Invitation not created: {refused}."))),
    }
}

fn show_once(
    page: &PageRequest<'_>,
    invitation: &Invitation,
    secret: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    let session = &page.visitor.administrator(page.request)?.session;
    let path = format!("{LIST}?created={}", invitation.id);
    let mut answer = page.redirect_with_notice(&path, Notice::InvitationCreated);
    let (of, now) = (SecretSubject::Invitation(invitation.id), page.visitor.now());
    secret_once::send(&mut answer, page.state, of, session, secret, now)?;
    Ok(answer)
}

async fn revoke(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let id = InvitationId::new(id_in_path(&request)?);
    let by = InvitationActor {
        id: Some(form.visitor.administrator(&request)?.user.id),
        now: form.visitor.now(),
    };
    let revoked: Result<bool, StoreError> =
        state.write(move |tx| revoke_invitation(tx, id, by)).await;
    if !revoked? {
        return Err(PageFailure::not_found());
    }
    let page = PageRequest::new(&request, &state, &form.visitor);
    Ok(page.redirect_with_notice(LIST, Notice::InvitationRevoked))
}
