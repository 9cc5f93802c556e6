//! `POST /api/v4/users`: creates a user.

use accounts::password::{PasswordError, PasswordHash};
use accounts::{NewUser, User, UserActivity, UserKind, Username};
use actix_web::HttpResponse;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::params::{ParamReader, Params};
use api_conventions::secret::PlainSecret;
use gatehouse_core::flows::account_mail::OutgoingMail;
use gatehouse_core::flows::create_user::CreateUserError;
use gatehouse_core::flows::forgotten_password::request_password_reset;
use gatehouse_core::flows::users::{AccountEditor, create_user_by};
use gatehouse_core::passwords::{HashError, RETRY_AFTER_SECONDS};
use gatehouse_core::randomness::OsRandomness;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, post};

use super::people::UserView;
use crate::frame::api::{ApiRequest, AsAdministrator};
use crate::frame::return_to::NEW_PASSWORD;
use crate::frame::scopes::WriteApi;

/// Parameters of which a request needs one.
const PASSWORDS: [&str; 3] = ["password", "reset_password", "force_random_password"];

pub(super) const PASSWORD: ParameterKind = ParameterKind::Text { min: 8, max: 255 };

/// Parameter of creation and change that clients always send.
pub(super) const EXTERNAL: Parameter = Parameter::body(
    "external",
    ParameterKind::False,
    "Only `false` is accepted: this server has no external users.",
);

/// Reads [`EXTERNAL`].
pub(super) fn read_external(read: &mut ParamReader<'_>) {
    if read.boolean(EXTERNAL.name) == Some(true) {
        read.fault(EXTERNAL.name, "does not have a valid value");
    }
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("createUser", "/api/v4/users", create)
            .documented("users", "Create a user (administrators only)")
            .takes(parameters())
            .response(ResponseSpec::json::<UserView>(201, "The new user."))
            .response(ResponseSpec::refusal(
                409,
                "Another user has this email address, or another user or group this username.",
            )),
    ]
}

fn parameters() -> [Parameter; 10] {
    let flag = ParameterKind::Boolean;
    [
        Parameter::body(
            "email",
            ParameterKind::Text { min: 3, max: 254 },
            "Email address.",
        )
        .example("robin@example.com")
        .required(),
        Parameter::body(
            "name",
            ParameterKind::Text { min: 1, max: 255 },
            "Display name.",
        )
        .example("Robin Moreno")
        .required(),
        Parameter::body(
            "username",
            ParameterKind::Text { min: 1, max: 255 },
            "Username to sign in with, and path of the user's namespace.",
        )
        .example("robin")
        .required(),
        Parameter::body("password", PASSWORD, "Password of the user."),
        Parameter::body(
            "reset_password",
            flag,
            "True for a random password that is not shown. The user gets a message with a link to choose one, if the server sends \
             mail; otherwise an administrator sets one.",
        ),
        Parameter::body(
            "force_random_password",
            flag,
            "True for a random password that is not shown.",
        ),
        Parameter::body("admin", flag, "True for an administrator of the server."),
        Parameter::body(
            "private_profile",
            flag,
            "True to hide the activity and most of the profile from everyone but administrators.",
        ),
        Parameter::body(
            "skip_confirmation",
            flag,
            "Accepted and ignored: no email address needs confirmation.",
        ),
        EXTERNAL,
    ]
}

/// User of a request, without a password hash.
#[derive(Debug)]
struct UserRequest {
    new: NewUser,
    private_profile: bool,
    password: PlainSecret,
    /// True if the user gets a link to choose a password.
    sends_link: bool,
}

async fn create(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    let read = read(&request)?;
    let (mut new, is_private) = (read.new, read.private_profile);
    new.password = Some(hash(&request, read.password).await?);
    let by = administrator(&request);
    let sends_link = read.sends_link && request.outgoing_mail() == OutgoingMail::On;
    let vault = request.vault();
    let created = request.write(move |tx| {
        let user = create_user_by(tx, &new, is_private, by).map_err(refusal)?;
        if sends_link {
            request_password_reset(tx, &vault, user.username.as_str(), NEW_PASSWORD, by.now)?;
        }
        Ok(user)
    });
    let user: User = created.await?;
    let activity = UserActivity::default();
    let caller = &request.caller().user;
    let view = UserView::to(caller, &user, &activity, request.base_url());
    Ok(HttpResponse::Created().json(view))
}

/// The caller as the author of changes to users.
pub(super) fn administrator(request: &AsAdministrator<WriteApi>) -> AccountEditor {
    AccountEditor {
        id: Some(request.caller().user.id),
        now: request.now(),
    }
}

fn read(request: &AsAdministrator<WriteApi>) -> Result<UserRequest, ApiError> {
    let params: &Params = request.params();
    let mut read = params.reader();
    let texts = ["email", "name", "username"].map(|name| {
        let text = read.text(name);
        read.required(name, text)
    });
    let password = read.text("password").filter(|text| !text.is_empty());
    let mut flag = |name| read.boolean(name).unwrap_or_default();
    let sends_link = flag("reset_password");
    let is_random = flag("force_random_password") || sends_link;
    let [is_admin, private_profile, _] =
        ["admin", "private_profile", "skip_confirmation"].map(flag);
    read_external(&mut read);
    if password.is_none() && !is_random {
        let problem = "are missing, at least one parameter must be provided";
        read.fault(&PASSWORDS.join(", "), problem);
    }
    read.finish()?;
    let [email, name, username] = texts;
    let username = Username::parse(&username.value()?);
    let username = username.map_err(|error| invalid("username", &error.to_string()))?;
    let email = email.value()?;
    accounts::check_email(&email).map_err(|_| invalid("email", "is invalid"))?;
    let new = NewUser {
        username,
        name: name.value()?,
        email,
        kind: UserKind::Human,
        is_admin,
        password: None,
        created_at: request.now(),
    };
    let random = || PlainSecret::generate("", &OsRandomness);
    Ok(UserRequest {
        new,
        private_profile,
        password: password.map_or_else(random, PlainSecret::new),
        sends_link,
    })
}

/// Hashes a new password.
///
/// # Errors
/// 400 if it is too short or too long; 503 if too many passwords wait to be hashed.
pub(super) async fn hash(
    request: &ApiRequest,
    password: PlainSecret,
) -> Result<PasswordHash, Failure> {
    let hashed = request.passwords().hash(password).await;
    hashed.map_err(|error| match error {
        HashError::Password(PasswordError::TooShort) => {
            invalid("password", "is too short (minimum is 8 characters)").into()
        }
        HashError::Password(PasswordError::TooLong) => {
            invalid("password", "is too long (maximum is 1024 bytes)").into()
        }
        busy => Failure::caused(ApiError::unavailable(RETRY_AFTER_SECONDS), busy),
    })
}

fn invalid(attribute: &str, text: &str) -> ApiError {
    let mut failures = ValidationFailures::default();
    failures.add(attribute, text);
    ApiError::validation(&failures)
}

fn refusal(error: CreateUserError) -> Failure {
    match error {
        CreateUserError::Store(error) => error.into(),
        CreateUserError::Invalid(failures) => ApiError::validation(&failures).into(),
        CreateUserError::UsernameTaken => ApiError::already_taken("Username").into(),
        CreateUserError::EmailTaken => ApiError::already_taken("Email").into(),
        // The error may get more reasons.
        _ => ApiError::internal().into(),
    }
}
