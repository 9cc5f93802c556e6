//! Public keys: published for clients, and used to verify tokens that are sent back as a hint.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde_json::{Map, Value};

use super::SigningError;
use super::jwk::PublicJwk;
use super::jws::JwsParts;

/// Set of public keys, each under its thumbprint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet(Vec<(String, PublicJwk)>);

/// Reason why a token cannot be verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The token is not a signed token, or its header requires an unsupported extension.
    #[error("the token is malformed")]
    Malformed,
    /// No key has the `kid` in its header.
    #[error("the token was signed by an unknown key")]
    UnknownKey,
    /// The header names another algorithm than that of the key.
    #[error("the token names a different algorithm than its key")]
    Algorithm,
    /// The signature is wrong.
    #[error("the signature of the token is invalid")]
    Signature,
    /// Another server issued the token, or it lacks a claim of an id token.
    #[error("the token is not an id token of this server")]
    Foreign,
}

/// An id token used as a hint, in a request to sign in (OpenID Connect Core 1.0, section 3.1.2.1) or out. It may have
/// expired: it says who the application believes is signed in, and permits nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdTokenHint {
    /// User id.
    pub sub: String,
    /// Applications to which the token was issued.
    pub audience: Vec<String>,
    /// Time at which the user signed in, in seconds since 1970.
    pub auth_time: Option<i64>,
}

/// The schema of [`KeySet::to_json`] (RFC 7517, section 5).
#[cfg(feature = "schema")]
impl schemars::JsonSchema for KeySet {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KeySet".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let key = generator.subschema_for::<PublicJwk>();
        schemars::json_schema!({
            "type": "object",
            "description": "Public keys as a JSON Web Key Set (RFC 7517).",
            "properties": {"keys": {"type": "array", "items": key}},
            "required": ["keys"],
        })
    }
}

impl KeySet {
    /// Parses the keys in these JSON objects, in their order.
    ///
    /// # Errors
    /// [`SigningError::NoPublicKey`] if one of them is not a key.
    pub fn parse<'j>(jwks: impl IntoIterator<Item = &'j str>) -> Result<Self, SigningError> {
        let keys = jwks.into_iter().map(PublicJwk::parse);
        keys.map(|key| key.map(|key| (key.thumbprint(), key)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns the document to publish (RFC 7517, section 5).
    pub fn to_json(&self) -> String {
        let keys: Vec<String> = self.0.iter().map(|(_, key)| key.to_json()).collect();
        format!(r#"{{"keys":[{}]}}"#, keys.join(","))
    }

    /// Verifies the signature of a token and returns its claims. The algorithm is that of the key; a token whose header
    /// names another one is refused. Times and parties are not checked.
    ///
    /// # Errors
    /// See [`VerifyError`].
    pub fn verify(&self, token: &str) -> Result<Map<String, Value>, VerifyError> {
        let parts = JwsParts::of(token).ok_or(VerifyError::Malformed)?;
        if parts.header.crit.is_some() {
            return Err(VerifyError::Malformed);
        }
        let kid = parts.header.kid.as_deref();
        let named = self.0.iter().find(|(known, _)| Some(known.as_str()) == kid);
        let (_, key) = named.ok_or(VerifyError::UnknownKey)?;
        if parts.header.alg != key.algorithm().as_str() {
            return Err(VerifyError::Algorithm);
        }
        if !is_signed(key, parts.signed.as_bytes(), &parts.signature) {
            return Err(VerifyError::Signature);
        }
        parts.claims().ok_or(VerifyError::Malformed)
    }

    /// Verifies an id token that is supposed to be issued by `issuer`.
    ///
    /// # Errors
    /// See [`VerifyError`].
    pub fn verify_hint(&self, token: &str, issuer: &str) -> Result<IdTokenHint, VerifyError> {
        let claims = self.verify(token)?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let sub = text("sub").filter(|_| text("iss") == Some(issuer));
        Ok(IdTokenHint {
            sub: sub.ok_or(VerifyError::Foreign)?.to_owned(),
            audience: audience(claims.get("aud")).ok_or(VerifyError::Foreign)?,
            auth_time: claims.get("auth_time").and_then(Value::as_i64),
        })
    }
}

/// Parses an audience: a text or a list of texts (RFC 7519, section 4.1.3).
fn audience(claim: Option<&Value>) -> Option<Vec<String>> {
    match claim? {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(many) => many
            .iter()
            .map(|one| one.as_str().map(str::to_owned))
            .collect(),
        _ => None,
    }
}

pub(super) fn is_signed(key: &PublicJwk, message: &[u8], signature: &[u8]) -> bool {
    let checked = match key {
        PublicJwk::Rsa { n, e } => {
            RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
        }
        PublicJwk::P256 { x, y } => {
            let point = [&[4][..], x, y].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
        }
        PublicJwk::Ed25519 { x } => UnparsedPublicKey::new(&ED25519, x).verify(message, signature),
    };
    checked.is_ok()
}
