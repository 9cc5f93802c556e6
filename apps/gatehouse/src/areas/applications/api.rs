//! `/api/v4/applications`: applications of the instance, for administrators.
//! Users manage their own applications on web pages.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use api_conventions::error::ApiError;
use api_conventions::ids::ApplicationId;
use api_conventions::paging::Paging;
use api_conventions::params::{ParamReader, Params};
use api_conventions::secret::PlainSecret;
use gatehouse_core::randomness::OsRandomness;
use gatehouse_core::scopes::OFFERED;
use oauth_provider::flow::applications::{
    self, ClientMetadata, Registrar, Registration, register, validate,
};
use oauth_provider::model::SECRET_PREFIX;
use oauth_provider::policy::MIN_TOKEN_SECONDS;
use oauth_provider::wire::{ApplicationResponse, NewApplicationResponse};
use oauth_provider::{
    Application, ApplicationChange, ApplicationOptions, ApplicationOwner, ApplicationUid,
    ClientType,
};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Deletion, Kind, Operation, Pages, Parameter, delete, get, post,
};

use crate::frame::api::{ApiRequest, AsAdministrator};
use crate::frame::scopes::{Read, Write};

const APPLICATIONS: &str = "/api/v4/applications";
const APPLICATION: &str = "/api/v4/applications/{id}";
const RENEWAL: &str = "/api/v4/applications/{id}/renew-secret";

const TAG: &str = "applications";
/// Token lifetime in seconds.
/// The server's own limit may be lower.
const LIFETIME: Kind = Kind::Integer {
    min: MIN_TOKEN_SECONDS as i64,
    max: MAX_LIFETIME as i64,
};
const MAX_LIFETIME: u32 = 366 * 86_400;

const ID: Parameter = Parameter::path("id", Kind::ID, "The number of the application.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listApplications", APPLICATIONS, list)
            .documented(TAG, "List the applications of the instance")
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<ApplicationResponse>>(
                200,
                "A page of the applications.",
            )),
        post("createApplication", APPLICATIONS, create)
            .documented(TAG, "Register an application of the instance")
            .takes(fields())
            .answers(Answer::json::<NewApplicationResponse<'_>>(
                201,
                "The application, with its secret, this once.",
            )),
        delete("deleteApplication", APPLICATION, remove)
            .documented(TAG, "Delete an application of the instance")
            .takes([ID])
            .answers(Answer::empty(204, "It is gone, and so are all its tokens.")),
        post("renewApplicationSecret", RENEWAL, renew)
            .documented(TAG, "Give an application another secret")
            .takes([ID])
            .answers(Answer::json::<NewApplicationResponse<'_>>(
                200,
                "The application, with its new secret, this once.",
            )),
    ]
}

fn fields() -> [Parameter; 11] {
    [
        Parameter::body(
            "name",
            Kind::Text { min: 1, max: 255 },
            "The name that users see.",
        )
        .example("Web shop")
        .required(),
        Parameter::body(
            "redirect_uri",
            Kind::Addresses,
            "Where users may be sent back to, one address a line.",
        )
        .example("https://app.example.com/callback")
        .required(),
        Parameter::body(
            "scopes",
            Kind::SpacedWords(&OFFERED),
            "What it may ask for, separated by spaces.",
        )
        .example("openid profile")
        .required(),
        Parameter::body(
            "post_logout_redirect_uris",
            Kind::Texts,
            "Where users may be sent back to after they signed out.",
        ),
        Parameter::body(
            "confidential",
            Kind::Boolean,
            "Whether it can keep a secret; `true` unless given.",
        ),
        Parameter::body(
            "trusted",
            Kind::Boolean,
            "Whether users are not asked for consent.",
        ),
        Parameter::body(
            "issuer_in_response",
            Kind::Boolean,
            "True if authorization responses name the issuer (RFC 9207), which is the default. False for libraries that know no issuer.",
        ),
        Parameter::body(
            "reduce_scopes",
            Kind::Boolean,
            "True if a request for scopes that the application does not hold gets those that it holds; the default of public applications.",
        ),
        Parameter::body(
            "groups_claim",
            Kind::Boolean,
            "True if every sign-in asks for `groups` as well, and id tokens list all groups of the user.",
        ),
        Parameter::body(
            "id_token_seconds",
            LIFETIME,
            "Lifetime of id tokens; the server's unless given.",
        ),
        Parameter::body(
            "access_token_seconds",
            LIFETIME,
            "Lifetime of access tokens; the server's unless given.",
        ),
    ]
}

async fn list(asked: AsAdministrator<Read>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx| Ok(tx.list_applications(ApplicationOwner::Instance, paging)?));
    asked.page(paging, found.await?, |application| {
        ApplicationResponse::from(&application)
    })
}

async fn create(asked: AsAdministrator<Write>) -> Result<HttpResponse, Failure> {
    let application = validated(&asked)?;
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let registration = Registration::new(
        application,
        ApplicationUid::generate(&OsRandomness),
        secret.digest(),
        ApplicationOwner::Instance,
        asked.now(),
    );
    let made = asked.write(move |tx| Ok(register(tx, registration.clone())?));
    Ok(with_secret(StatusCode::CREATED, &made.await?, &secret))
}

/// Validates the application in the request by the rules for administrators.
fn validated(asked: &ApiRequest) -> Result<ApplicationChange, ApiError> {
    let oauth = &asked.settings().oauth;
    let mut registrar = Registrar::new(true);
    registrar.allow_insecure_redirects = oauth.allow_insecure_redirects;
    let metadata = read_metadata(asked.params())?;
    validate(&metadata, registrar, &oauth.policy)
        .map_err(|failures| ApiError::validation(&failures))
}

async fn remove(request: AsAdministrator<Write>) -> Result<Deletion, Failure> {
    let (id, condition) = (application_id(&request)?, request.precondition());
    let deleted = request.write(move |tx| {
        let found = tx.find_application(id)?.ok_or_else(unknown)?;
        let is_deleted = applications::delete(tx, ApplicationOwner::Instance, id)?;
        is_deleted.then_some(()).ok_or_else(unknown)?;
        // Applications store no time of change, so the condition is checked against the creation time.
        Ok(condition.check(found.created_at)?)
    });
    Ok(Deletion::no_content(deleted.await?))
}

async fn renew(asked: AsAdministrator<Write>) -> Result<HttpResponse, Failure> {
    let id = application_id(&asked)?;
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let digest = secret.digest();
    let renewed = asked.write(move |tx| {
        Ok(applications::renew_secret(
            tx,
            ApplicationOwner::Instance,
            id,
            digest,
        )?)
    });
    let renewed = renewed.await?.ok_or_else(unknown)?;
    Ok(with_secret(StatusCode::OK, &renewed, &secret))
}

fn unknown() -> ApiError {
    ApiError::not_found("Application")
}

/// Application id in the path.
/// Anything that is not a number matches no application.
fn application_id(asked: &ApiRequest) -> Result<ApplicationId, ApiError> {
    asked.number("id", "Application").map(ApplicationId::new)
}

fn read_metadata(params: &Params) -> Result<ClientMetadata, ApiError> {
    let mut read = params.reader();
    let name = read.text("name");
    let name = read.required("name", name);
    let redirect_uris = read.text("redirect_uri");
    let redirect_uris = read.required("redirect_uri", redirect_uris);
    let after_sign_out = read.texts("post_logout_redirect_uris");
    let scopes = read.text("scopes");
    let scopes = read.required("scopes", scopes);
    let is_public = read.boolean("confidential") == Some(false);
    let trusted = read.boolean("trusted").unwrap_or_default();
    let options = read_options(&mut read);
    read.finish()?;
    let client_type = if is_public {
        ClientType::Public
    } else {
        ClientType::Confidential
    };
    let mut metadata = ClientMetadata::new(
        name.value()?,
        redirect_uris.value()?,
        scopes.value()?,
        client_type,
    );
    metadata.post_logout_redirect_uris = after_sign_out.join("\n");
    metadata.trusted = trusted;
    options.apply(&mut metadata.options);
    Ok(metadata)
}

/// Options set in the request; the others keep their defaults.
struct SentOptions {
    issuer_in_response: Option<bool>,
    reduce_scopes: Option<bool>,
    groups_claim: Option<bool>,
    id_token_seconds: Option<u32>,
    access_token_seconds: Option<u32>,
}

fn read_options(read: &mut ParamReader<'_>) -> SentOptions {
    let bounds = i64::from(MIN_TOKEN_SECONDS)..=i64::from(MAX_LIFETIME);
    let seconds = |read: &mut ParamReader<'_>, name| {
        let value = read.integer_within(name, bounds.clone());
        value.and_then(|seconds| u32::try_from(seconds).ok())
    };
    SentOptions {
        id_token_seconds: seconds(read, "id_token_seconds"),
        access_token_seconds: seconds(read, "access_token_seconds"),
        issuer_in_response: read.boolean("issuer_in_response"),
        reduce_scopes: read.boolean("reduce_scopes"),
        groups_claim: read.boolean("groups_claim"),
    }
}

impl SentOptions {
    fn apply(self, options: &mut ApplicationOptions) {
        let chosen = |sent: Option<bool>, default| sent.unwrap_or(default);
        options.issuer_in_response = chosen(self.issuer_in_response, options.issuer_in_response);
        options.reduce_scopes = chosen(self.reduce_scopes, options.reduce_scopes);
        options.groups_claim = chosen(self.groups_claim, options.groups_claim);
        options.id_token_seconds = self.id_token_seconds;
        options.access_token_seconds = self.access_token_seconds;
    }
}

/// Response that contains the secret; `no-store` keeps it out of caches.
fn with_secret(
    status: StatusCode,
    application: &Application,
    secret: &PlainSecret,
) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .json(NewApplicationResponse {
            application: application.into(),
            secret: secret.reveal(),
        })
}
