//! `PUT /api/v4/users/:id`: updates a user (`DEPR-06`).

use accounts::UserChange;
use accounts::flow::update_user::UpdateUserError;
use accounts::password::PasswordHash;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::params::{ParamReader, Params};
use api_conventions::secret::PlainSecret;
use gatehouse_core::flows::users::update_user_by;
use serde_json::Value;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, put};

use super::activity::activity_of;
use super::create::{EXTERNAL, PASSWORD, hash, read_external};
use super::people::{ID, UserView, id_of};
use crate::frame::api::AsUser;
use crate::frame::scopes::WriteApi;

const PRIVATE_PROFILE: &str = "private_profile";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        put("updateUser", "/api/v4/users/{id}", update)
            .documented(
                "users",
                "Update a user (administrators: any user; others: their own name and privacy)",
            )
            .takes([ID])
            .takes(parameters())
            .response(ResponseSpec::json::<UserView>(200, "The updated user."))
            .response(ResponseSpec::refusal(
                403,
                "The caller is not an administrator and may not change this user or this setting, or the user is a bot.",
            ))
            .response(ResponseSpec::refusal(404, "User not found."))
            .response(ResponseSpec::refusal(409, "Another user has this email address.")),
    ]
}

/// Parameters without an effect, which clients send with each change: no email address needs confirmation, a change sends no
/// link, and users have no identities of other services.
const IGNORED: [&str; 3] = [
    "skip_reconfirmation",
    "reset_password",
    "overwrite_identities",
];

fn parameters() -> Vec<Parameter> {
    let ignored =
        IGNORED.map(|name| Parameter::body(name, ParameterKind::Boolean, "Accepted and ignored."));
    changes().into_iter().chain(ignored).collect()
}

fn changes() -> [Parameter; 7] {
    [
        Parameter::body(
            "name",
            ParameterKind::Text { min: 1, max: 255 },
            "Display name.",
        ),
        Parameter::body(
            "email",
            ParameterKind::Text { min: 3, max: 254 },
            "Email address. Only administrators may change it.",
        ),
        Parameter::body(
            "admin",
            ParameterKind::Boolean,
            "True for an administrator of the server. Only administrators may change it.",
        ),
        Parameter::body(
            PRIVATE_PROFILE,
            ParameterKind::Boolean,
            "True to hide the activity and most of the profile from everyone but administrators. `null` is refused.",
        ),
        Parameter::body(
            "username",
            ParameterKind::ANY_TEXT,
            "Accepted if unchanged: this operation cannot change usernames.",
        ),
        Parameter::body(
            "password",
            PASSWORD,
            "New password: ends the sessions of the user and revokes the authorizations of applications. Only administrators \
             may change it.",
        ),
        EXTERNAL,
    ]
}

/// Updates a user.
/// In the API that clients know, only administrators may do this. Here users may also change their own name and the
/// privacy of their profile, so they need no administrator for it.
async fn update(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let id = id_of(&request)?;
    let ChangeRequest {
        change,
        username,
        password,
    } = read_change(request.params())?;
    let password = hashed(&request, password).await?;
    let actor = request.actor();
    let (by, now) = (actor.id, actor.now);
    let mail = request.outgoing_mail();
    let changed = request.write(move |tx| {
        let password = password.as_ref().map(|hash| (hash, mail));
        let user = update_user_by(tx, id, &change, password, actor).map_err(refusal)?;
        let is_same = |name: &String| name.eq_ignore_ascii_case(user.username.as_str());
        if username.as_ref().is_some_and(|name| !is_same(name)) {
            return Err(unbuilt("username"));
        }
        let activity = activity_of(tx, &[id])?.seen_by(id, by, now);
        Ok((user, activity))
    });
    let (user, activity) = changed.await?;
    let caller = &request.caller().user;
    request.json(&UserView::to(caller, &user, &activity, request.base_url()))
}

/// Hashes a new password. Callers who may not set one are refused before that work.
async fn hashed(
    request: &AsUser<WriteApi>,
    password: Option<PlainSecret>,
) -> Result<Option<PasswordHash>, Failure> {
    let Some(password) = password else {
        return Ok(None);
    };
    if !request.caller().user.is_admin {
        return Err(ApiError::forbidden().into());
    }
    hash(request, password).await.map(Some)
}

/// Change of a request.
#[derive(Debug)]
struct ChangeRequest {
    change: UserChange,
    /// Username, if the request repeats it.
    username: Option<String>,
    /// New password.
    password: Option<PlainSecret>,
}

fn read_change(params: &Params) -> Result<ChangeRequest, ApiError> {
    let mut read = params.reader();
    let change = UserChange {
        name: read.text("name"),
        email: read.text("email"),
        is_admin: read.boolean("admin"),
        private_profile: read_privacy(&mut read, params.get(PRIVATE_PROFILE)),
    };
    let username = read.text("username").filter(|name| !name.is_empty());
    read_external(&mut read);
    for name in IGNORED {
        read.boolean(name);
    }
    let password = read.text("password").filter(|text| !text.is_empty());
    read.finish()?;
    Ok(ChangeRequest {
        change,
        username,
        password: password.map(PlainSecret::new),
    })
}

/// Parses `true` or `false`.
/// A missing value does not mean `false` here: `null` is refused, and so is empty text, which is how forms and queries
/// send `null`.
fn read_privacy(read: &mut ParamReader<'_>, given: Option<&Value>) -> Option<bool> {
    let is_empty = |value: &Value| {
        let text = value.as_str().map(str::trim);
        value.is_null() || text.is_some_and(str::is_empty)
    };
    if given.is_some_and(is_empty) {
        read.fault(PRIVATE_PROFILE, "is empty");
        return None;
    }
    read.boolean(PRIVATE_PROFILE)
}

/// Error for a parameter that is sent but not supported.
const NOT_BUILT: &str = "cannot be changed on this server: omit it";

fn unbuilt(name: &str) -> Failure {
    ApiError::invalid_parameters(&[format!("{name} {NOT_BUILT}")]).into()
}

fn refusal(error: UpdateUserError) -> Failure {
    match error {
        UpdateUserError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}
