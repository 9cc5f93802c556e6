//! Validation of authorization requests, and the destination of their errors.

use api_conventions::scope::{Scope, ScopeSet};
use storage::StoreError;

use super::hint::HintedUser;
use super::parameters::{AuthorizeParameters, Prompt};
use super::response::AuthorizationResponse;
use crate::engine::{self, EngineCallbacks, EngineError};
use crate::model::{Application, ApplicationUid, ClientType, ResponseMode};
use crate::policy::Policy;
use crate::rules::pkce::{self, CodeChallenge};
use crate::rules::scope;
use crate::scopes::ScopeRegistry;
use crate::store::ApplicationQueries;

/// The longest `state` and `nonce` that are kept, in bytes.
const MAX_ECHO_BYTES: usize = 4096;

/// A validated authorization request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedRequest {
    /// Application that sent the request.
    pub application: Application,
    /// Redirect URI for the response: one that the application registered, byte for byte as it was sent.
    pub redirect_uri: String,
    /// Requested scopes that the application can have; never empty.
    pub scopes: ScopeSet,
    /// Requested scopes that the application does not hold. They are not granted.
    pub withheld: ScopeSet,
    /// Transport of the response.
    pub response_mode: ResponseMode,
    /// State to return to the application.
    pub state: Option<String>,
    /// Nonce for the id token.
    pub nonce: Option<String>,
    /// PKCE challenge.
    pub challenge: Option<CodeChallenge>,
    /// Prompts that the user must see.
    pub prompts: Vec<Prompt>,
    /// Maximum age of the user's sign-in, in seconds.
    pub max_age: Option<i64>,
    /// User named by the id token hint. [`check`] always sets `Nobody`: a host that has the keys of the id tokens
    /// verifies the hint and sets this field.
    pub hinted_user: HintedUser,
}

/// Refusal of an authorization request, and its destination.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Error page for the user, because no redirect URI is proven (RFC 6749, section 4.1.2.1).
    Page {
        /// Error code.
        error: &'static str,
        /// Error description, in a sentence.
        description: &'static str,
    },
    /// Error response to the application, at its redirect URI.
    Redirect {
        /// Response that carries the error.
        response: AuthorizationResponse,
        /// Error code.
        error: &'static str,
        /// Error description, in a sentence.
        description: &'static str,
    },
}

impl CheckedRequest {
    /// Creates a refusal that is sent to the application.
    pub fn refusal(&self, error: &'static str, description: &'static str) -> Refusal {
        Refusal::Redirect {
            response: self.response(),
            error,
            description,
        }
    }

    /// Returns the response to the application, without parameters yet.
    pub(super) fn response(&self) -> AuthorizationResponse {
        AuthorizationResponse::new(
            &self.application,
            self.redirect_uri.clone(),
            self.state.clone(),
            self.response_mode,
        )
    }

    /// Restricts the request to a user who is not an administrator of the instance, by removing the scopes that work
    /// for administrators only. The user is not asked about these, so they must not be granted either: they would
    /// become effective on the day on which the user becomes an administrator. A grant may permit less than was
    /// requested (RFC 6749, section 3.3).
    ///
    /// # Errors
    /// A refusal if no scope is left.
    pub fn without_administration(mut self, registry: &ScopeRegistry) -> Result<Self, Refusal> {
        self.scopes = registry.open_in(&self.scopes);
        if self.scopes.is_empty() {
            return Err(self.refusal("invalid_scope", ADMINISTRATORS_ONLY));
        }
        Ok(self)
    }

    /// True if the request has this prompt.
    pub fn prompts(&self, prompt: Prompt) -> bool {
        self.prompts.contains(&prompt)
    }
}

/// Validates a request. Writes nothing, and does not consider the user.
///
/// # Errors
/// Failures of the store. A refusal is the inner error.
pub fn check<R: ApplicationQueries + ?Sized>(
    repos: &mut R,
    parameters: &AuthorizeParameters,
    policy: &Policy,
) -> Result<Result<CheckedRequest, Refusal>, StoreError> {
    let uid = parameters
        .client_id
        .as_deref()
        .and_then(ApplicationUid::parse);
    let found = match &uid {
        Some(uid) => repos.find_application_by_uid(uid)?,
        None => None,
    };
    let mut validator = RequestValidator {
        parameters,
        policy,
        found,
        proven: None,
    };
    let agreed = engine::run(parameters, &mut validator);
    Ok(validator.finish(agreed))
}

/// Validator of one request, driven by the engine.
struct RequestValidator<'r> {
    parameters: &'r AuthorizeParameters,
    policy: &'r Policy,
    found: Option<Application>,
    proven: Option<CheckedRequest>,
}

impl RequestValidator<'_> {
    fn finish(
        self,
        agreed: Result<ScopeSet, EngineError<Refusal>>,
    ) -> Result<CheckedRequest, Refusal> {
        let Some(mut request) = self.proven else {
            return Err(match agreed {
                Err(EngineError::Refused(refusal)) => refusal,
                _ if self.parameters.client_id.is_none() => page("invalid_request", MISSING_CLIENT),
                _ => page("invalid_redirect_uri", WRONG_ADDRESS),
            });
        };
        match agreed {
            Ok(scopes) => {
                request.scopes = scopes;
                Ok(request)
            }
            Err(EngineError::Refused(refusal)) => Err(refusal),
            Err(EngineError::Scope) => Err(request.refusal("invalid_scope", WRONG_SCOPE)),
            Err(EngineError::ResponseType | EngineError::Nowhere) => {
                Err(request.refusal("unsupported_response_type", WRONG_TYPE))
            }
        }
    }

    fn request(&mut self) -> Result<&mut CheckedRequest, Refusal> {
        self.proven
            .as_mut()
            .ok_or_else(|| page("invalid_request", MISSING_CLIENT))
    }
}

const MISSING_CLIENT: &str = "The parameter client_id is missing.";
const UNKNOWN_CLIENT: &str = "No application with this client_id is registered.";
const MISSING_ADDRESS: &str = "The parameter redirect_uri is missing.";
const WRONG_ADDRESS: &str = "The redirect_uri is not registered for this application.";
const WRONG_TYPE: &str = "The response_type is not supported: send code.";
const ADMINISTRATORS_ONLY: &str =
    "All requested scopes are for administrators only, and this user is not one.";
const WRONG_SCOPE: &str = "The requested scope is invalid, unknown, or malformed.";

fn page(error: &'static str, description: &'static str) -> Refusal {
    Refusal::Page { error, description }
}

impl EngineCallbacks for RequestValidator<'_> {
    type Refusal = Refusal;

    fn bind(&mut self, _: &str, redirect_uri: Option<&str>) -> Result<(), Refusal> {
        let application = self
            .found
            .take()
            .ok_or_else(|| page("invalid_client", UNKNOWN_CLIENT))?;
        let requested = redirect_uri.ok_or_else(|| page("invalid_request", MISSING_ADDRESS))?;
        let client_type = application.client_type;
        let known = |registered: &crate::rules::redirect_uri::RedirectUri| {
            registered.matches(requested, client_type)
        };
        if !application.redirect_uris.iter().any(known) {
            return Err(page("invalid_redirect_uri", WRONG_ADDRESS));
        }
        let request = CheckedRequest {
            application,
            redirect_uri: requested.to_owned(),
            scopes: ScopeSet::default(),
            withheld: ScopeSet::default(),
            response_mode: response_mode(self.parameters, requested).unwrap_or_default(),
            state: self.parameters.state.clone(),
            nonce: self.parameters.nonce.clone(),
            challenge: None,
            prompts: Vec::new(),
            max_age: None,
            hinted_user: HintedUser::None,
        };
        if self.parameters.response_type.is_none() {
            return Err(
                request.refusal("invalid_request", "The parameter response_type is missing.")
            );
        }
        self.proven = Some(request);
        Ok(())
    }

    fn extend(&mut self) -> Result<(), Refusal> {
        let (parameters, policy) = (self.parameters, self.policy);
        let request = self.request()?;
        let extended = extend(request, parameters, policy);
        extended.map_err(|(error, description)| request.refusal(error, description))
    }

    fn negotiate(&mut self, requested: Option<&str>) -> Result<ScopeSet, Refusal> {
        let registry = &self.policy.scopes;
        let request = self.request()?;
        let allowed = &request.application.scopes;
        let requested = match requested {
            Some(words) => scope::requested(words, registry).unwrap_or_default(),
            None => registry.default_scopes().intersection(allowed),
        };
        let withheld = requested.filtered(|scope| !allowed.contains(scope));
        let scopes = request.application.granted_of(requested);
        // An application that was registered with a scope which is no longer offered may still request it. The scope is
        // left out of the consent page, and the token response says so (RFC 6749, section 3.3).
        let scopes = Some(scopes)
            .filter(|scopes| scopes.is_subset_of(allowed))
            .map(|scopes| registry.offered_in(&with_groups(scopes, &request.application, registry)))
            .filter(|scopes| !scopes.is_empty())
            .ok_or_else(|| request.refusal("invalid_scope", WRONG_SCOPE))?;
        request.withheld = withheld;
        Ok(scopes)
    }
}

/// Adds the scope that releases groups, for an application whose sign-ins always include the groups. It is requested
/// like any other scope, so that the user sees it and agrees to it.
fn with_groups(scopes: ScopeSet, application: &Application, registry: &ScopeRegistry) -> ScopeSet {
    if !application.options.groups_claim || !scopes.contains(&Scope::OPENID) {
        return scopes;
    }
    let held = registry.entries_of(&application.scopes);
    let releasing = held.filter(|entry| entry.released().groups);
    scopes.union(&releasing.map(|entry| entry.scope().clone()).collect())
}

/// Returns the response mode: `None` if the request names an unknown one, or one that its redirect URI cannot have. A
/// form can only be posted over HTTP.
fn response_mode(parameters: &AuthorizeParameters, redirect_uri: &str) -> Option<ResponseMode> {
    let mode = match parameters.response_mode.as_deref() {
        None => ResponseMode::default(),
        Some(name) => ResponseMode::parse(name)?,
    };
    let is_http = ["http://", "https://"]
        .iter()
        .any(|scheme| redirect_uri.starts_with(scheme));
    (mode == ResponseMode::Query || is_http).then_some(mode)
}

/// Error code and error description.
type ErrorDetails = (&'static str, &'static str);

fn extend(
    request: &mut CheckedRequest,
    parameters: &AuthorizeParameters,
    policy: &Policy,
) -> Result<(), ErrorDetails> {
    if parameters.request.is_some() {
        return Err((
            "request_not_supported",
            "Signed requests are not supported.",
        ));
    }
    if parameters.request_uri.is_some() {
        return Err((
            "request_uri_not_supported",
            "Signed requests are not supported.",
        ));
    }
    if response_mode(parameters, &request.redirect_uri).is_none() {
        return Err((
            "invalid_request",
            "The response_mode is not supported: send query, or form_post with an http or https redirect_uri.",
        ));
    }
    let too_long =
        |text: &Option<String>| text.as_ref().is_some_and(|it| it.len() > MAX_ECHO_BYTES);
    if too_long(&parameters.state) || too_long(&parameters.nonce) {
        // Values that are too long to keep are too long to send back.
        request.state = None;
        return Err((
            "invalid_request",
            "state and nonce must not exceed 4096 bytes each.",
        ));
    }
    request.challenge = challenge(parameters)?;
    let public = request.application.client_type == ClientType::Public;
    if public && policy.public_clients_need_pkce && request.challenge.is_none() {
        return Err((
            "invalid_request",
            "A public application must send a code_challenge (PKCE).",
        ));
    }
    request.prompts = prompts(parameters)?;
    request.max_age = max_age(parameters)?;
    Ok(())
}

/// Parses the challenge. Without a method it would mean `plain` (RFC 7636, section 4.3), which is not offered.
fn challenge(parameters: &AuthorizeParameters) -> Result<Option<CodeChallenge>, ErrorDetails> {
    match (
        &parameters.code_challenge,
        parameters.code_challenge_method.as_deref(),
    ) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err((
            "invalid_request",
            "code_challenge_method was sent without a code_challenge.",
        )),
        (Some(text), Some(pkce::METHOD)) => CodeChallenge::parse(text).map(Some).ok_or((
            "invalid_request",
            "The code_challenge is not a SHA-256 digest in base64url without padding.",
        )),
        (Some(_), _) => Err(("invalid_request", "The code_challenge_method must be S256.")),
    }
}

fn prompts(parameters: &AuthorizeParameters) -> Result<Vec<Prompt>, ErrorDetails> {
    let words = parameters
        .prompt
        .as_deref()
        .unwrap_or_default()
        .split_ascii_whitespace();
    let read: Option<Vec<Prompt>> = words.map(Prompt::parse).collect();
    let read = read.ok_or((
        "invalid_request",
        "The parameter prompt has an unknown value.",
    ))?;
    if read.contains(&Prompt::None) && read.len() > 1 {
        return Err((
            "invalid_request",
            "prompt=none cannot be combined with other values.",
        ));
    }
    Ok(read)
}

fn max_age(parameters: &AuthorizeParameters) -> Result<Option<i64>, ErrorDetails> {
    let Some(text) = parameters.max_age.as_deref() else {
        return Ok(None);
    };
    let seconds = text.parse::<u32>().map_err(|_| {
        (
            "invalid_request",
            "The parameter max_age is not a number of seconds.",
        )
    })?;
    Ok(Some(seconds.into()))
}
