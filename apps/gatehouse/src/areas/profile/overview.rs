//! `/profile`: the user's profile, password and sessions.

use accounts::flow::change_password::ChangePassword;
use accounts::flow::sessions::list_live_sessions;
use accounts::password::{MIN_CHARACTERS, PasswordError};
use accounts::{SecondFactor, Session, TokenFilter};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::page::OffsetPage;
use askama::Template;
use storage::StoreError;

use crate::areas::profile::sessions::SessionList;
use crate::areas::profile::tokens;
use crate::frame::cookies;
use crate::frame::form::{PageForm, SignedInForm};
use crate::frame::page::answer::{PageRequest, append_cookie, see_other};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::password_check;
use crate::frame::return_to::query_value;
use crate::frame::visitor::{SignedInVisitor, Visitor};
use crate::state::AppState;
use gatehouse_core::auth::sessions::LiveSession;
use gatehouse_core::flows::account::change_own_password;
use gatehouse_core::passwords::HashError;
use gatehouse_core::randomness::OsRandomness;
use web_conventions::operations::{Operation, RateClass, get, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("profile", "/profile", show),
        post("changePassword", "/profile/password", change).rated(RateClass::Guess),
        get("changePasswordAddress", CHANGE_PASSWORD, to_password),
    ]
}

/// Well-known path of password managers (W3C, A Well-Known URL for Changing Passwords).
const CHANGE_PASSWORD: &str = "/.well-known/change-password";

async fn to_password(_: Visitor) -> HttpResponse {
    see_other("/profile#password").finish()
}

/// Error of the form that changes the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PasswordProblem {
    Old,
    TooShort,
    TooLong,
    Differs,
}

impl PasswordProblem {
    const fn text(self) -> &'static str {
        match self {
            Self::Old => "The current password is wrong.",
            Self::TooShort => "The password must have at least 8 characters.",
            Self::TooLong => "The password must have at most 1024 bytes.",
            Self::Differs => "The two passwords do not match.",
        }
    }

    fn is_of_old(self) -> bool {
        self == Self::Old
    }

    fn is_of_repetition(self) -> bool {
        self == Self::Differs
    }

    fn is_of_new(self) -> bool {
        matches!(self, Self::TooShort | Self::TooLong)
    }
}

#[derive(Template)]
#[template(path = "areas/profile/profile.html")]
struct ProfilePage<'a> {
    shell: Shell,
    me: &'a accounts::User,
    name: DisplayName,
    since: DisplayTime,
    recovery_codes_left: Option<usize>,
    sessions: SessionList,
    has_others: bool,
    least: usize,
    problem: Option<PasswordProblem>,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    form(&page, StatusCode::OK, None).await
}

async fn form(
    page: &PageRequest<'_>,
    status: StatusCode,
    problem: Option<PasswordProblem>,
) -> Result<HttpResponse, PageFailure> {
    let member = page.visitor.member(page.request)?;
    let (factor, sessions) = account(page, member).await?;
    let template = ProfilePage {
        shell: page.shell(SiteArea::Profile, "Profile"),
        me: &member.user,
        name: DisplayName::of(&member.user.name),
        since: DisplayTime::of(member.user.created_at),
        recovery_codes_left: factor.map(|factor| factor.recovery_codes_left),
        has_others: sessions.len() > 1,
        sessions: SessionList::of(sessions, member.session.id, sessions_page(page.request)),
        least: MIN_CHARACTERS,
        problem,
    };
    page.show_with(status, &template)
}

/// Page of the session list that a request selects.
fn sessions_page(request: &HttpRequest) -> usize {
    let number = query_value(request, "sessions").and_then(|text| text.parse().ok());
    number.unwrap_or(1)
}

async fn account(
    page: &PageRequest<'_>,
    member: &LiveSession,
) -> Result<(Option<SecondFactor>, Vec<Session>), StoreError> {
    let (user_id, now) = (member.user.id, page.visitor.now());
    let lifetime = page.state.sessions.lifetime();
    let found = page.state.database.read(page.visitor.lane(), move |tx| {
        let credentials = tx.find_credentials_of(user_id)?;
        let factor = credentials.and_then(|found| found.second_factor);
        Ok::<_, StoreError>((factor, list_live_sessions(tx, user_id, lifetime, now)?))
    });
    found.await
}

async fn change(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    form.visitor.member(&request)?;
    let outcome = match new_password_problem(&form) {
        Some(problem) => Err(problem),
        None => set_password(&page, &form).await?,
    };
    match outcome {
        Ok(answer) => Ok(answer),
        Err(problem) => self::form(&page, StatusCode::UNPROCESSABLE_ENTITY, Some(problem)).await,
    }
}

fn new_password_problem(form: &PageForm) -> Option<PasswordProblem> {
    let (new, again) = (
        form.text("user[password]"),
        form.text("user[password_confirmation]"),
    );
    (new != again).then_some(PasswordProblem::Differs)
}

async fn set_password(
    page: &PageRequest<'_>,
    form: &PageForm,
) -> Result<Result<HttpResponse, PasswordProblem>, PageFailure> {
    let member = page.visitor.member(page.request)?;
    let new = match page
        .state
        .passwords
        .hash(form.secret("user[password]"))
        .await
    {
        Ok(new) => new,
        Err(HashError::HashQueueFull(busy)) => return Err(busy.into()),
        Err(HashError::Password(PasswordError::TooLong)) => {
            return Ok(Err(PasswordProblem::TooLong));
        }
        Err(HashError::Password(_)) => return Ok(Err(PasswordProblem::TooShort)),
    };
    let (login, old) = (
        member.user.username.as_str(),
        form.secret("user[current_password]"),
    );
    let proof = password_check::check(page.request, page.state, form, login, old).await?;
    let value = cookies::fresh_value(&OsRandomness);
    let change = ChangePassword::new(
        proof.attempt,
        proof.right,
        new,
        member.session.id,
        value.digest(),
    );
    let policy = page.state.settings.sign_in.rules.policy;
    let mail = page.state.outgoing_mail();
    let tokens = TokenFilter::active_personal_of(member.user.id, page.visitor.now().date());
    let outcome = page.state.write(move |tx| {
        let changed = change_own_password(tx, change.clone(), &policy, mail)?;
        let tokens = tx.list_tokens(&tokens, OffsetPage::new(1, 1))?;
        Ok::<_, StoreError>((changed, !tokens.items.is_empty()))
    });
    let (changed, has_tokens) = outcome.await?;
    if password_check::done(changed)?.is_none() {
        return Ok(Err(PasswordProblem::Old));
    }
    // Tokens keep working, so their list is the next page.
    let mut answer = if has_tokens {
        page.redirect_with_notice(tokens::PATH, Notice::PasswordChangedTokensStay)
    } else {
        page.redirect_with_notice("/profile", Notice::PasswordChanged)
    };
    let cookie = cookies::session(page.state, &value, Some(page.state.sessions.lifetime()));
    append_cookie(&mut answer, &cookie)?;
    Ok(Ok(answer))
}
