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
use gatehouse_core::flows::applications::{
    ApplicationEditor, delete_application, register_application, renew_application_secret,
};
use gatehouse_core::randomness::OsRandomness;
use gatehouse_core::scopes::OFFERED_TO_APPLICATIONS;
use oauth_provider::flow::applications::{ClientMetadata, Registrar, Registration, validate};
use oauth_provider::model::SECRET_PREFIX;
use oauth_provider::policy::MIN_TOKEN_SECONDS;
use oauth_provider::wire::{ApplicationResponse, NewApplicationResponse};
use oauth_provider::{
    Application, ApplicationChange, ApplicationOptions, ApplicationOwner, ApplicationUid,
    ClientType,
};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
};

use crate::frame::api::{ApiRequest, AsAdministrator};
use crate::frame::scopes::{ReadApi, WriteApi};

const APPLICATIONS: &str = "/api/v4/applications";
const APPLICATION: &str = "/api/v4/applications/{id}";
const RENEWAL: &str = "/api/v4/applications/{id}/renew-secret";

const TAG: &str = "applications";
/// Token lifetime in seconds.
/// The server's own limit may be lower.
const LIFETIME: ParameterKind = ParameterKind::Integer {
    min: MIN_TOKEN_SECONDS as i64,
    max: MAX_LIFETIME as i64,
};
const MAX_LIFETIME: u32 = 366 * 86_400;

const ID: Parameter = Parameter::path("id", ParameterKind::ID, "ID of the application.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listApplications", APPLICATIONS, list)
            .documented(TAG, "List the applications of the instance")
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ApplicationResponse>>(
                200,
                "A page of applications.",
            )),
        post("createApplication", APPLICATIONS, create)
            .documented(TAG, "Create an application of the instance")
            .takes(fields())
            .response(ResponseSpec::json::<NewApplicationResponse<'_>>(
                201,
                "The application, with its secret, which is shown only once.",
            )),
        delete("deleteApplication", APPLICATION, remove)
            .documented(TAG, "Delete an application of the instance")
            .takes([ID])
            .response(ResponseSpec::empty(204, "Deleted, with all its tokens.")),
        post("renewApplicationSecret", RENEWAL, renew)
            .documented(TAG, "Rotate the secret of an application")
            .takes([ID])
            .response(ResponseSpec::json::<NewApplicationResponse<'_>>(
                200,
                "The application, with its new secret, which is shown only once.",
            )),
    ]
}

fn fields() -> [Parameter; 11] {
    [
        Parameter::body(
            "name",
            ParameterKind::Text { min: 1, max: 255 },
            "Name shown to users.",
        )
        .example("Web shop")
        .required(),
        Parameter::body(
            "redirect_uri",
            ParameterKind::Addresses,
            "Redirect URIs, one per line.",
        )
        .example("https://app.example.com/callback")
        .required(),
        Parameter::body(
            "scopes",
            ParameterKind::SpacedWords(&OFFERED_TO_APPLICATIONS),
            "Scopes that the application may request, separated by spaces.",
        )
        .example("openid profile")
        .required(),
        Parameter::body(
            "post_logout_redirect_uris",
            ParameterKind::Texts,
            "Redirect URIs after sign-out.",
        ),
        Parameter::body(
            "confidential",
            ParameterKind::Boolean,
            "True if the application can keep a secret (default: `true`).",
        ),
        Parameter::body(
            "trusted",
            ParameterKind::Boolean,
            "True to skip the consent page for this application.",
        ),
        Parameter::body(
            "issuer_in_response",
            ParameterKind::Boolean,
            "True if authorization responses name the issuer (RFC 9207), which is the default. Use false for libraries that do not support it.",
        ),
        Parameter::body(
            "reduce_scopes",
            ParameterKind::Boolean,
            "True to drop requested scopes that the application is not registered for, instead of refusing the request; default of public applications.",
        ),
        Parameter::body(
            "groups_claim",
            ParameterKind::Boolean,
            "True to request `groups` at every sign-in, and to list all groups of the user in ID tokens.",
        ),
        Parameter::body(
            "id_token_seconds",
            LIFETIME,
            "Lifetime of ID tokens, in seconds (default: that of the server).",
        ),
        Parameter::body(
            "access_token_seconds",
            LIFETIME,
            "Lifetime of access tokens, in seconds (default: that of the server).",
        ),
    ]
}

async fn list(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let found =
        request.read(move |tx| Ok(tx.list_applications(ApplicationOwner::Instance, paging)?));
    request.page(paging, found.await?, |application| {
        ApplicationResponse::from(&application)
    })
}

async fn create(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    let application = validated(&request)?;
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let registration = Registration::new(
        application,
        ApplicationUid::generate(&OsRandomness),
        secret.digest(),
        ApplicationOwner::Instance,
        request.now(),
    );
    let by = editor(&request);
    let created = request.write(move |tx| Ok(register_application(tx, registration.clone(), by)?));
    Ok(with_secret(StatusCode::CREATED, &created.await?, &secret))
}

/// Validates the application in the request by the rules for administrators.
fn validated(request: &ApiRequest) -> Result<ApplicationChange, ApiError> {
    let oauth = &request.settings().oauth;
    let mut registrar = Registrar::new(true);
    registrar.allow_insecure_redirects = oauth.allow_insecure_redirects;
    let metadata = read_metadata(request.params())?;
    validate(&metadata, registrar, &oauth.policy)
        .map_err(|failures| ApiError::validation(&failures))
}

async fn remove(request: AsAdministrator<WriteApi>) -> Result<Deletion, Failure> {
    let (id, condition) = (application_id(&request)?, request.precondition());
    let by = editor(&request);
    let deleted = request.write(move |tx| {
        let deleted = delete_application(tx, id, by)?.ok_or_else(unknown)?;
        // Applications store no time of change, so the condition is checked against the creation time.
        Ok(condition.check(deleted.created_at)?)
    });
    Ok(Deletion::no_content(deleted.await?))
}

async fn renew(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    let id = application_id(&request)?;
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let digest = secret.digest();
    let by = editor(&request);
    let renewed = request.write(move |tx| Ok(renew_application_secret(tx, id, digest, by)?));
    let renewed = renewed.await?.ok_or_else(unknown)?;
    Ok(with_secret(StatusCode::OK, &renewed, &secret))
}

/// The caller as the author of changes to applications of the instance.
fn editor(request: &AsAdministrator<WriteApi>) -> ApplicationEditor {
    ApplicationEditor {
        owner: ApplicationOwner::Instance,
        id: Some(request.caller().user.id),
        now: request.now(),
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("Application")
}

/// Application id in the path.
/// Anything that is not a number matches no application.
fn application_id(request: &ApiRequest) -> Result<ApplicationId, ApiError> {
    request.number("id", "Application").map(ApplicationId::new)
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
struct OptionParameters {
    issuer_in_response: Option<bool>,
    reduce_scopes: Option<bool>,
    groups_claim: Option<bool>,
    id_token_seconds: Option<u32>,
    access_token_seconds: Option<u32>,
}

fn read_options(read: &mut ParamReader<'_>) -> OptionParameters {
    let bounds = i64::from(MIN_TOKEN_SECONDS)..=i64::from(MAX_LIFETIME);
    let seconds = |read: &mut ParamReader<'_>, name| {
        let value = read.integer_within(name, bounds.clone());
        value.and_then(|seconds| u32::try_from(seconds).ok())
    };
    OptionParameters {
        id_token_seconds: seconds(read, "id_token_seconds"),
        access_token_seconds: seconds(read, "access_token_seconds"),
        issuer_in_response: read.boolean("issuer_in_response"),
        reduce_scopes: read.boolean("reduce_scopes"),
        groups_claim: read.boolean("groups_claim"),
    }
}

impl OptionParameters {
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
