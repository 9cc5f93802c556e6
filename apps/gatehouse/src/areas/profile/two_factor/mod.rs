//! `/profile/two_factor`: enables and disables the second factor, and manages its recovery codes.

mod change;
mod picture;
mod setup;

use accounts::{SecondFactor, TimeSecret};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use storage::StoreError;
use zeroize::Zeroizing;

use self::picture::picture;
use self::setup::Setup;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;
use gatehouse_core::auth::sessions::LiveSession;
use gatehouse_core::randomness::OsRandomness;
use web_conventions::operations::{Operation, RateClass, get, post, unconditional_delete};

/// Path of the page.
const PATH: &str = "/profile/two_factor";

/// Issuer that authenticator apps display.
const ISSUER: &str = "Gatehouse";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let codes = "/profile/two_factor/recovery_codes";
    vec![
        get("secondFactorSettings", PATH, show),
        post("changeSecondFactor", PATH, change::post).rated(RateClass::Guess),
        unconditional_delete("disableSecondFactor", PATH, change::post).rated(RateClass::Guess),
        post("renewRecoveryCodes", codes, change::renew_codes).rated(RateClass::Guess),
    ]
}

/// Error of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Problem {
    Password,
    Code,
    Late,
}

impl Problem {
    const fn text(self) -> &'static str {
        match self {
            Self::Password => "The password is wrong.",
            Self::Code => {
                "The code is wrong. Check that the clock of your phone is correct, and enter the current code."
            }
            Self::Late => "The setup expired. Scan the new QR code, and enter a code.",
        }
    }

    fn is_of_password(self) -> bool {
        self == Self::Password
    }

    fn is_of_code(self) -> bool {
        self == Self::Code
    }
}

#[derive(Template)]
#[template(path = "areas/profile/two_factor_off.html")]
struct SetupPage {
    shell: Shell,
    picture: String,
    secret: Zeroizing<String>,
    setup: String,
    problem: Option<Problem>,
}

#[derive(Template)]
#[template(path = "areas/profile/two_factor_on.html")]
struct StatusPage {
    shell: Shell,
    since: DisplayTime,
    left: usize,
    problem: Option<Problem>,
}

#[derive(Template)]
#[template(path = "areas/profile/recovery_codes.html")]
struct CodesPage {
    shell: Shell,
    codes: Vec<Zeroizing<String>>,
    is_new_factor: bool,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let member = visitor.member(&request)?;
    if let Some(factor) = factor_of(&page, member).await? {
        return status(&page, StatusCode::OK, &factor, None);
    }
    let secret = TimeSecret::generate(&OsRandomness);
    let setup = Setup::new(secret, visitor.now());
    set_up(&page, StatusCode::OK, member, &setup, None)
}

async fn factor_of(
    page: &PageRequest<'_>,
    member: &LiveSession,
) -> Result<Option<SecondFactor>, StoreError> {
    let user_id = member.user.id;
    let found = page.state.database.read(page.visitor.lane(), move |tx| {
        tx.find_credentials_of(user_id)
    });
    Ok(found.await?.and_then(|found| found.second_factor))
}

fn status(
    page: &PageRequest<'_>,
    status: StatusCode,
    factor: &SecondFactor,
    problem: Option<Problem>,
) -> Result<HttpResponse, PageFailure> {
    let template = StatusPage {
        shell: page.shell(SiteArea::Profile, "Two-factor authentication"),
        since: DisplayTime::of(factor.enabled_at),
        left: factor.recovery_codes_left,
        problem,
    };
    page.show_with(status, &template)
}

fn set_up(
    page: &PageRequest<'_>,
    status: StatusCode,
    member: &LiveSession,
    setup: &Setup,
    problem: Option<Problem>,
) -> Result<HttpResponse, PageFailure> {
    let uri = setup.secret.uri(ISSUER, member.user.username.as_str());
    let template = SetupPage {
        shell: page.shell(SiteArea::Profile, "Set up two-factor authentication"),
        picture: picture(&uri).map_err(PageFailure::from_fault)?,
        secret: setup.secret.to_base32(),
        setup: setup.seal(&page.state.vault, member.session.id),
        problem,
    };
    page.show_with(status, &template)
}
