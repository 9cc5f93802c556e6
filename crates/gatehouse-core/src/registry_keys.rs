//! Keys that sign tokens for container registries (token authentication of the Distribution project).
//!
//! A registry trusts one certificate, which belongs to an authority whose key is derived from the secret key: nothing is
//! stored, and it is the same on every node. Each process signs with a key of its own, and sends the certificate that
//! the authority issued for it in the header `x5c` of its tokens (RFC 7515, section 4.1.6).

use std::fmt;

use api_conventions::secret::SecretSource as _;
use api_conventions::time::Timestamp;
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey};
use aws_lc_rs::error::{KeyRejected, Unspecified};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use data_encoding::HEXLOWER;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DistinguishedName, DnType, IsCa, Issuer,
    KeyPair, KeyUsagePurpose,
};
use serde::Serialize;

use crate::randomness::OsRandomness;
use crate::settings::SecuritySettings;
use crate::vault::{KeyError, Vault, existing_key};

/// HKDF info of the authority's key.
const PURPOSE: &str = "gatehouse registry authority";
/// Name in the certificate of the authority.
const AUTHORITY: &str = "Gatehouse registry tokens";
/// Name in the certificates of processes.
const PROCESS: &str = "Gatehouse registry token signer";

/// Time for which a token is valid, in seconds. A client requests a new token when it has expired.
pub const TOKEN_SECONDS: i64 = 300;
/// Length of a line of an encoded certificate, in characters.
const PEM_LINE: usize = 64;
/// Time by which the clock of a registry may be behind, in seconds.
const LEEWAY_SECONDS: i64 = 60;

/// Reasons why no key can be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryKeyError {
    /// The secret key is missing.
    #[error("the secret key is missing; start the server once, which creates it")]
    Missing,
    /// The secret key cannot be read.
    #[error(transparent)]
    Secret(#[from] KeyError),
    /// The derived key is no key of the curve.
    #[error("the key of the registry cannot be derived from the secret key")]
    Derived,
    /// A certificate cannot be created.
    #[error("the certificate of the registry cannot be created")]
    Certificate(#[from] rcgen::Error),
}

impl From<KeyRejected> for RegistryKeyError {
    fn from(_: KeyRejected) -> Self {
        Self::Derived
    }
}

impl From<Unspecified> for RegistryKeyError {
    fn from(_: Unspecified) -> Self {
        Self::Derived
    }
}

/// Actions on a resource of a registry, as a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegistryAccess {
    /// Kind of the resource: `repository`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Name of the resource: the path of the image repository.
    pub name: String,
    /// Actions: `pull`, `push` or `delete`.
    pub actions: Vec<&'static str>,
}

impl RegistryAccess {
    /// Creates the actions on an image repository.
    pub fn of_repository(name: impl Into<String>, actions: Vec<&'static str>) -> Self {
        Self {
            kind: "repository",
            name: name.into(),
            actions,
        }
    }
}

/// Claims of a token, without times.
#[derive(Debug, Clone)]
pub struct RegistryClaims<'a> {
    /// Issuer that the registry expects.
    pub issuer: &'a str,
    /// Service that the registry expects.
    pub service: &'a str,
    /// Username of the caller; empty for anonymous callers.
    pub subject: &'a str,
    /// Granted access.
    pub access: &'a [RegistryAccess],
}

#[derive(Serialize)]
struct TokenClaims<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    exp: i64,
    nbf: i64,
    iat: i64,
    jti: String,
    access: &'a [RegistryAccess],
}

/// Signer of this process.
pub struct RegistrySigner {
    key: EcdsaKeyPair,
    /// Header of every token, encoded.
    header: String,
}

impl RegistrySigner {
    /// Creates a key, with a certificate of the authority.
    ///
    /// # Errors
    /// See [`RegistryKeyError`].
    pub fn new(vault: &Vault) -> Result<Self, RegistryKeyError> {
        let authority = authority_key(vault)?;
        let own = KeyPair::generate()?;
        let mut params = named(PROCESS);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        let issuer = Issuer::new(authority_params(), authority);
        let certificate = params.signed_by(&own, &issuer)?;
        let header = serde_json::json!({
            "alg": "ES256",
            "typ": "JWT",
            "x5c": [STANDARD.encode(certificate.der())],
        });
        Ok(Self {
            key: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, own.serialized_der())?,
            header: URL_SAFE_NO_PAD.encode(header.to_string()),
        })
    }

    /// Signs a token that is valid for [`TOKEN_SECONDS`]. `None` if the signature fails.
    pub fn sign(&self, claims: &RegistryClaims<'_>, now: Timestamp) -> Option<String> {
        let mut id = [0_u8; 16];
        OsRandomness.fill(&mut id);
        let issued = now.as_unix_seconds();
        let claims = TokenClaims {
            iss: claims.issuer,
            sub: claims.subject,
            aud: claims.service,
            exp: issued + TOKEN_SECONDS,
            nbf: issued - LEEWAY_SECONDS,
            iat: issued,
            jti: HEXLOWER.encode(&id),
            access: claims.access,
        };
        let claims = serde_json::to_vec(&claims).ok()?;
        let mut token = format!("{}.", self.header);
        URL_SAFE_NO_PAD.encode_string(claims, &mut token);
        let signature = self.key.sign(&SystemRandom::new(), token.as_bytes()).ok()?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature.as_ref(), &mut token);
        Some(token)
    }
}

impl fmt::Debug for RegistrySigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RegistrySigner")
    }
}

/// Returns the certificate of the authority in PEM, which a registry trusts. Its key is always the same under one secret
/// key; its signature differs each time.
///
/// # Errors
/// See [`RegistryKeyError`].
pub fn certificate(settings: &SecuritySettings) -> Result<String, RegistryKeyError> {
    let key = existing_key(settings)?.ok_or(RegistryKeyError::Missing)?;
    Ok(pem(&authority(&Vault::new(&key))?))
}

/// Encodes a certificate as text (RFC 7468, section 5).
fn pem(certificate: &Certificate) -> String {
    let encoded = STANDARD.encode(certificate.der());
    let mut text = "-----BEGIN CERTIFICATE-----\n".to_owned();
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, more) = rest.split_at(rest.len().min(PEM_LINE));
        text.push_str(line);
        text.push('\n');
        rest = more;
    }
    text.push_str("-----END CERTIFICATE-----");
    text
}

fn authority(vault: &Vault) -> Result<Certificate, RegistryKeyError> {
    Ok(authority_params().self_signed(&authority_key(vault)?)?)
}

fn authority_params() -> CertificateParams {
    let mut params = named(AUTHORITY);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params
}

/// Returns the fields of a certificate with a name. It is valid for centuries: the secret key never expires either.
fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

/// Derives the key of the authority. The first attempt nearly always succeeds: one of 2^32 numbers is no key of P-256.
fn authority_key(vault: &Vault) -> Result<KeyPair, RegistryKeyError> {
    let attempt = |number: u8| {
        let seed = vault.derive(format!("{PURPOSE} {number}").as_bytes());
        let private = PrivateKey::from_private_key(&ECDH_P256, seed.as_slice()).ok()?;
        let public = private.compute_public_key().ok()?;
        let key = EcdsaKeyPair::from_private_key_and_public_key(
            &ECDSA_P256_SHA256_ASN1_SIGNING,
            seed.as_slice(),
            public.as_ref(),
        );
        key.ok()
    };
    let key = (0..8).find_map(attempt).ok_or(RegistryKeyError::Derived)?;
    Ok(KeyPair::try_from(key.to_pkcs8v1()?.as_ref())?)
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use serde_json::{Value, json};

    use super::*;
    use crate::settings::SecretKey;

    fn vault(byte: &str) -> Vault {
        Vault::new(&SecretKey::parse(&byte.repeat(32)).unwrap())
    }

    fn decoded(part: &str) -> Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    }

    #[test]
    fn the_key_of_the_authority_follows_from_the_secret_key() {
        let public = |byte: &str| {
            authority_key(&vault(byte))
                .unwrap()
                .public_key_raw()
                .to_vec()
        };
        assert_eq!(public("01"), public("01"));
        assert_ne!(public("01"), public("02"));
        let text = pem(&authority(&vault("01")).unwrap());
        assert!(text.lines().all(|line| line.len() <= PEM_LINE), "{text}");
    }

    #[test]
    fn a_token_has_the_claims_and_a_signature_of_the_process() {
        let signer = RegistrySigner::new(&vault("01")).unwrap();
        let access = [RegistryAccess::of_repository("acme/shop", vec!["pull"])];
        let claims = RegistryClaims {
            issuer: "https://gatehouse.example.com",
            service: "container_registry",
            subject: "ann",
            access: &access,
        };
        let now = Timestamp::from_micros(1_000_000_000).unwrap();
        let token = signer.sign(&claims, now).unwrap();
        let (input, signature) = token.rsplit_once('.').unwrap();
        let (header, body) = input.split_once('.').unwrap();
        let public = {
            use aws_lc_rs::signature::KeyPair as _;
            signer.key.public_key().as_ref().to_vec()
        };
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        key.verify(input.as_bytes(), &signature).unwrap();
        assert_eq!(decoded(header)["x5c"].as_array().unwrap().len(), 1);
        let mut body = decoded(body);
        let id = body.as_object_mut().unwrap().remove("jti").unwrap();
        assert_eq!(id.as_str().unwrap().len(), 32);
        assert_eq!(
            body,
            json!({
                "iss": "https://gatehouse.example.com", "sub": "ann", "aud": "container_registry",
                "exp": 1300, "nbf": 940, "iat": 1000,
                "access": [{ "type": "repository", "name": "acme/shop", "actions": ["pull"] }],
            })
        );
    }
}
