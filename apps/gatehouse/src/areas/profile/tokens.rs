//! `/profile/personal_access_tokens`: the user's access tokens, and a form to create one.

use accounts::flow::issue_token::{IssueToken, IssueTokenError, MAX_NAME, issue_token};
use accounts::flow::token_access::{TokenAccess, revoke_token_for};
use accounts::model::TOKEN_PREFIX;
use accounts::{AccessToken, TokenFilter, TokenKind, TokenValidity};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::TokenId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::PlainSecret;
use api_conventions::time::{CalendarDate, Timestamp};
use askama::Template;
use gatehouse_core::auth::sessions::LiveSession;
use gatehouse_core::randomness::OsRandomness;
use oauth_provider::ScopeRegistry;
use storage::StoreError;
use web_conventions::operations::{Operation, get, post, unconditional_delete};

use crate::frame::form::{PageForm, SignedInForm};
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, ScopeText};
use crate::frame::page::notice::Notice;
use crate::frame::page::scope_choice::ScopeChoice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::query_value;
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::visitor::SignedInVisitor;
use crate::state::{AppState, Behaviour};

const PATH: &str = "/profile/personal_access_tokens";
const ONE: &str = "/profile/personal_access_tokens/{id}";

/// Tokens per page of the list.
const PER_PAGE: u64 = 50;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listOwnTokens", PATH, show),
        post("createOwnToken", PATH, create),
        post("revokeListedTokenByForm", ONE, revoke),
        unconditional_delete("revokeListedToken", ONE, revoke),
    ]
}

/// Token in the list.
struct OwnTokenRow {
    id: TokenId,
    name: DisplayName,
    scopes: Vec<ScopeText>,
    since: DisplayTime,
    last_used: Option<DisplayTime>,
    /// First day on which the token is no longer valid; `None` if it never expires.
    expires_on: Option<CalendarDate>,
    is_revoked: bool,
}

impl OwnTokenRow {
    fn of(token: &AccessToken, registry: &ScopeRegistry, now: Timestamp) -> Self {
        let is_endless = token.expires_on == CalendarDate::LAST;
        Self {
            id: token.id,
            name: DisplayName::of(&token.name),
            scopes: ScopeText::all(registry, &token.scopes),
            since: DisplayTime::at(token.created_at, now),
            last_used: token.last_used_at.map(|at| DisplayTime::at(at, now)),
            expires_on: (!is_endless).then_some(token.expires_on),
            is_revoked: token.state != accounts::TokenState::Active,
        }
    }
}

/// Fields of the form.
#[derive(Default)]
struct TokenForm {
    name: String,
    expires_on: String,
    scopes: Vec<String>,
    /// Error of the form, as a sentence.
    problem: Option<String>,
}

impl TokenForm {
    fn read(form: &PageForm) -> Self {
        let scopes = form.words("token[scopes]");
        Self {
            name: form.text("token[name]").trim().to_owned(),
            expires_on: form.text("token[expires_at]").trim().to_owned(),
            scopes: scopes.iter().map(ToString::to_string).collect(),
            problem: None,
        }
    }

    fn chosen(&self) -> Vec<&str> {
        self.scopes.iter().map(String::as_str).collect()
    }
}

/// Token that was just created, with its secret.
struct NewSecret {
    name: DisplayName,
    secret: PlainSecret,
}

#[derive(Template)]
#[template(path = "areas/profile/tokens.html")]
struct TokensPage {
    shell: Shell,
    new: Option<NewSecret>,
    rows: Vec<OwnTokenRow>,
    shows_invalid: bool,
    next: Option<u64>,
    previous: Option<u64>,
    form: TokenForm,
    choices: Vec<ScopeChoice>,
    longest_name: usize,
    first_day: String,
    last_day: String,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let member = visitor.member(&request)?;
    let page = PageRequest::new(&request, &state, &visitor);
    let of = created_token(&request).map(SecretSubject::Token);
    let now = visitor.now();
    let secret = of.and_then(|of| secret_once::sent(&request, &state, of, &member.session, now));
    let mut answer = respond(&page, StatusCode::OK, TokenForm::default(), secret).await?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, &state, of)?;
    }
    Ok(answer)
}

/// Id of the token that was just created, which the redirect after the form names.
fn created_token(request: &HttpRequest) -> Option<TokenId> {
    let id = query_value(request, "created")?;
    id.parse().ok().map(TokenId::new)
}

/// Responds with the page.
async fn respond(
    page: &PageRequest<'_>,
    status: StatusCode,
    form: TokenForm,
    secret: Option<PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let member = page.visitor.member(page.request)?;
    let (user_id, now) = (member.user.id, page.visitor.now());
    let today = now.date();
    let shows_invalid = query_value(page.request, "state").as_deref() == Some("inactive");
    let filter = TokenFilter {
        user_id: Some(user_id),
        kind: Some(TokenKind::Personal),
        validity: Some(if shows_invalid {
            TokenValidity::Invalid(today)
        } else {
            TokenValidity::Valid(today)
        }),
        ..TokenFilter::default()
    };
    let number = query_value(page.request, "page").and_then(|text| text.parse().ok());
    let paging = OffsetPage::new(number.unwrap_or(1).clamp(1, 1000), PER_PAGE);
    let digest = secret.as_ref().map(PlainSecret::digest);
    let found = page.state.database.read(page.visitor.lane(), move |tx| {
        let created = match &digest {
            Some(digest) => tx.find_token_by_digest(digest)?,
            None => None,
        };
        Ok::<_, StoreError>((tx.list_tokens(&filter, paging)?, created))
    });
    let (listed, created): (Page<AccessToken>, _) = found.await?;
    let created = created.filter(|token| token.user_id == user_id && token.is_usable(now));
    let named = created.zip(secret).map(|(token, secret)| NewSecret {
        name: DisplayName::of(&token.name),
        secret,
    });
    let registry = &page.state.settings.oauth.policy.scopes;
    let row = |token: &AccessToken| OwnTokenRow::of(token, registry, now);
    page.show_with(
        status,
        &TokensPage {
            shell: page.shell(SiteArea::AccessTokens, "Personal access tokens"),
            new: named,
            rows: listed.items.iter().map(row).collect(),
            shows_invalid,
            next: listed.has_next.then(|| paging.page() + 1),
            previous: (paging.page() > 1).then(|| paging.page() - 1),
            choices: ScopeChoice::all(registry, &form.chosen(), member.user.is_admin),
            form,
            longest_name: MAX_NAME,
            first_day: today.next().map_or_else(String::new, |day| day.to_string()),
            last_day: today
                .plus_one_year()
                .map_or_else(String::new, |day| day.to_string()),
        },
    )
}

/// Creates a token and redirects to the page, which shows the secret once.
async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let member = form.visitor.member(&request)?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    let mut typed = TokenForm::read(&form);
    let secret = PlainSecret::generate(TOKEN_PREFIX, &OsRandomness);
    let issued = match token_of(&page, member, &typed, &secret) {
        Ok(issue) => state.write(move |tx| issue_token(tx, issue.clone())).await,
        Err(problem) => Err(problem),
    };
    match issued {
        Ok(id) => redirect_to_list(&page, member, id, &secret),
        Err(IssueTokenError::Store(error)) => Err(error.into()),
        Err(problem) => {
            typed.problem = Some(sentence(&problem));
            respond(&page, StatusCode::UNPROCESSABLE_ENTITY, typed, None).await
        }
    }
}

/// The requested token.
///
/// # Errors
/// If a field has an invalid value.
fn token_of(
    page: &PageRequest<'_>,
    member: &LiveSession,
    typed: &TokenForm,
    secret: &PlainSecret,
) -> Result<IssueToken, IssueTokenError> {
    let registry = &page.state.settings.oauth.policy.scopes;
    let scopes = registry.parse_offered(&typed.scopes.join(" "));
    let scopes = scopes.map_err(|_| IssueTokenError::NoScope)?;
    let (user_id, now) = (member.user.id, page.visitor.now());
    let mut issue = IssueToken::new(user_id, &*typed.name, scopes, secret.digest(), now);
    issue.may_be_endless = page.state.releases.has(Behaviour::EndlessTokens);
    if !typed.expires_on.is_empty() {
        let day = CalendarDate::parse(&typed.expires_on);
        issue.expires_on = Some(day.ok_or(IssueTokenError::Expiry)?);
    }
    Ok(issue)
}

fn sentence(problem: &IssueTokenError) -> String {
    match problem {
        IssueTokenError::NoName | IssueTokenError::LongName => {
            format!("Enter a name of at most {MAX_NAME} characters.")
        }
        IssueTokenError::NoScope => "Choose at least one scope.".to_owned(),
        IssueTokenError::Expiry => {
            "Enter a day of expiry that is after today and within a year.".to_owned()
        }
        refused => format!("Token not created: {refused}."),
    }
}

fn redirect_to_list(
    page: &PageRequest<'_>,
    member: &LiveSession,
    id: TokenId,
    secret: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    let path = format!("{PATH}?created={id}");
    let mut answer = page.redirect_with_notice(&path, Notice::TokenCreated);
    let (of, now) = (SecretSubject::Token(id), page.visitor.now());
    secret_once::send(&mut answer, page.state, of, &member.session, secret, now)?;
    Ok(answer)
}

/// Revokes a token of the user.
async fn revoke(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let (user_id, now) = (form.visitor.member(&request)?.user.id, form.visitor.now());
    let id = TokenId::new(id_in_path(&request)?);
    let revoked = state.write(move |tx| revoke_token_for(tx, id, user_id, now));
    match revoked.await? {
        TokenAccess::Permitted(_) => {
            let page = PageRequest::new(&request, &state, &form.visitor);
            Ok(page.redirect_with_notice(PATH, Notice::TokenRevoked))
        }
        TokenAccess::Refused | TokenAccess::Unknown => Err(PageFailure::not_found()),
    }
}
