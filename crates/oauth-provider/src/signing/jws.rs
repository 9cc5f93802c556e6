//! The compact form of a JSON Web Signature (RFC 7515, section 3.1).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::SigningAlgorithm;

/// Maximum length of our tokens, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// Returns the header and the claims in the form that is signed. A `kid` is a thumbprint, so it needs no escapes.
pub(super) fn signed_part(algorithm: SigningAlgorithm, kid: &str, claims: &[u8]) -> String {
    let header = format!(
        r#"{{"alg":"{}","kid":"{kid}","typ":"JWT"}}"#,
        algorithm.as_str()
    );
    let mut text = URL_SAFE_NO_PAD.encode(header);
    text.push('.');
    URL_SAFE_NO_PAD.encode_string(claims, &mut text);
    text
}

/// Returns the whole token.
pub(super) fn complete(mut signed: String, signature: &[u8]) -> String {
    signed.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut signed);
    signed
}

/// Checked members of a header.
#[derive(Debug, Deserialize)]
pub(super) struct JwsHeader {
    pub(super) alg: String,
    pub(super) kid: Option<String>,
    /// Extensions that the reader must understand (RFC 7515, section 4.1.11). None is supported here.
    #[serde(default)]
    pub(super) crit: Option<Value>,
}

/// Parts of a token. Nothing in it is proven.
#[derive(Debug)]
pub(super) struct JwsParts<'t> {
    pub(super) header: JwsHeader,
    /// Part that is signed.
    pub(super) signed: &'t str,
    pub(super) signature: Vec<u8>,
    claims: &'t str,
}

impl<'t> JwsParts<'t> {
    /// Splits a token into its parts; `None` if it is malformed.
    pub(super) fn of(token: &'t str) -> Option<Self> {
        if token.len() > MAX_BYTES {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        Some(Self {
            header: serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).ok()?).ok()?,
            signed,
            signature: URL_SAFE_NO_PAD.decode(signature).ok()?,
            claims,
        })
    }

    /// Returns the claims. Read them only after the signature is verified.
    pub(super) fn claims(&self) -> Option<Map<String, Value>> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(self.claims).ok()?).ok()
    }
}
