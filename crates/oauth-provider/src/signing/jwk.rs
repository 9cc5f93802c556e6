//! The public half of a key as a JSON Web Key (RFC 7517, RFC 7518 section 6, RFC 8037).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::SigningError;
use crate::model::SigningAlgorithm;

/// Size in bytes of a P-256 coordinate, and of an Ed25519 public key.
const COORDINATE_BYTES: usize = 32;

/// The public half of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicJwk {
    /// RSA: modulus and exponent, without leading zeros.
    Rsa {
        /// The modulus.
        n: Vec<u8>,
        /// The exponent.
        e: Vec<u8>,
    },
    /// A point of P-256.
    P256 {
        /// First coordinate.
        x: [u8; COORDINATE_BYTES],
        /// Second coordinate.
        y: [u8; COORDINATE_BYTES],
    },
    /// Ed25519.
    Ed25519 {
        /// The public key.
        x: [u8; COORDINATE_BYTES],
    },
}

/// The schema of [`PublicJwk::to_json`].
#[cfg(feature = "schema")]
impl schemars::JsonSchema for PublicJwk {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PublicKey".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let algorithms = SigningAlgorithm::ALL.map(SigningAlgorithm::as_str);
        schemars::json_schema!({
            "type": "object",
            "description": "Public key as a JSON Web Key (RFC 7517). The other members depend on the key type.",
            "properties": {
                "kty": {"type": "string", "enum": ["RSA", "EC", "OKP"], "description": "Key type."},
                "kid": {"type": "string", "description": "Key id: the thumbprint of the key, also in the header of the tokens that it signed."},
                "use": {"type": "string", "const": "sig", "description": "Use of the key: signatures."},
                "alg": {"type": "string", "enum": algorithms, "description": "Signature algorithm."},
                "crv": {"type": "string", "enum": ["P-256", "Ed25519"], "description": "Curve of an EC or Ed25519 key."},
                "n": {"type": "string", "description": "Modulus of an RSA key."},
                "e": {"type": "string", "description": "Exponent of an RSA key."},
                "x": {"type": "string", "description": "X coordinate of an EC key, or the public key of an Ed25519 key."},
                "y": {"type": "string", "description": "Y coordinate of an EC key."},
            },
            "required": ["kty", "kid", "use", "alg"],
        })
    }
}

/// Relevant members of a key; others are ignored.
#[derive(Deserialize)]
struct Members {
    kty: String,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl PublicJwk {
    /// Parses a JSON object.
    ///
    /// # Errors
    /// [`SigningError::NoPublicKey`] if the text is not a key of a known kind.
    pub fn parse(json: &str) -> Result<Self, SigningError> {
        let members = serde_json::from_str(json).map_err(|_| SigningError::NoPublicKey)?;
        Self::from_members(&members).ok_or(SigningError::NoPublicKey)
    }

    fn from_members(members: &Members) -> Option<Self> {
        match (members.kty.as_str(), members.crv.as_deref()) {
            ("RSA", None) => Some(Self::Rsa {
                n: number(members.n.as_ref())?,
                e: number(members.e.as_ref())?,
            }),
            ("EC", Some("P-256")) => Some(Self::P256 {
                x: coordinate(members.x.as_ref())?,
                y: coordinate(members.y.as_ref())?,
            }),
            ("OKP", Some("Ed25519")) => Some(Self::Ed25519 {
                x: coordinate(members.x.as_ref())?,
            }),
            _ => None,
        }
    }

    /// Returns the algorithm of its private half. It is bound to the kind of key, so that no header can choose it.
    pub const fn algorithm(&self) -> SigningAlgorithm {
        match self {
            Self::Rsa { .. } => SigningAlgorithm::Rs256,
            Self::P256 { .. } => SigningAlgorithm::Es256,
            Self::Ed25519 { .. } => SigningAlgorithm::EdDsa,
        }
    }

    /// Returns the members that define the key, in the order and without the spaces that RFC 7638, section 3, requires.
    fn required_members(&self) -> String {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Self::Rsa { n, e } => {
                format!(r#""e":"{}","kty":"RSA","n":"{}""#, text(e), text(n))
            }
            Self::P256 { x, y } => format!(
                r#""crv":"P-256","kty":"EC","x":"{}","y":"{}""#,
                text(x),
                text(y)
            ),
            Self::Ed25519 { x } => format!(r#""crv":"Ed25519","kty":"OKP","x":"{}""#, text(x)),
        }
    }

    /// Returns the key id: the thumbprint of the public half (RFC 7638), so that the same key has the same id
    /// everywhere.
    pub fn thumbprint(&self) -> String {
        let hashed = Sha256::digest(format!("{{{}}}", self.required_members()));
        URL_SAFE_NO_PAD.encode(hashed)
    }

    /// Returns the JSON object to publish and to store.
    pub fn to_json(&self) -> String {
        format!(
            r#"{{{},"kid":"{}","use":"sig","alg":"{}"}}"#,
            self.required_members(),
            self.thumbprint(),
            self.algorithm().as_str()
        )
    }
}

fn bytes(text: Option<&String>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text?).ok()
}

/// Decodes a number without leading zeros (RFC 7518, section 2, `Base64urlUInt`).
fn number(text: Option<&String>) -> Option<Vec<u8>> {
    bytes(text).filter(|number| number.first().is_some_and(|first| *first != 0))
}

fn coordinate(text: Option<&String>) -> Option<[u8; COORDINATE_BYTES]> {
    bytes(text)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7638, section 3.1.
    const RSA: &str = r#"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#;
    /// RFC 8037, appendix A.2.
    const ED25519: &str =
        r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    /// RFC 7515, appendix A.3.1.
    const P256: &str = r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#;

    #[test]
    fn thumbprints_are_those_of_the_standards() {
        let thumbprint = |json: &str| PublicJwk::parse(json).unwrap().thumbprint();
        // RFC 7638, section 3.1, and RFC 8037, appendix A.3.
        assert_eq!(
            thumbprint(RSA),
            "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
        );
        assert_eq!(
            thumbprint(ED25519),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
        );
    }

    #[test]
    fn published_keys_parse_back_to_the_same_key() {
        for (json, algorithm) in [(RSA, "RS256"), (P256, "ES256"), (ED25519, "EdDSA")] {
            let key = PublicJwk::parse(json).unwrap();
            let published = key.to_json();
            assert_eq!(PublicJwk::parse(&published), Ok(key));
            let members: serde_json::Value = serde_json::from_str(&published).unwrap();
            assert_eq!(
                (&members["alg"], &members["use"]),
                (&algorithm.into(), &"sig".into())
            );
        }
    }

    #[test]
    fn unsupported_and_malformed_keys_are_refused() {
        for json in [
            "",
            "[]",
            r#"{"kty":"oct","k":"AA"}"#,
            r#"{"kty":"RSA","n":"AQAB"}"#,
            r#"{"kty":"RSA","n":"AAEC","e":"AQAB"}"#,
            r#"{"kty":"EC","crv":"P-384","x":"AQAB","y":"AQAB"}"#,
            r#"{"kty":"EC","crv":"P-256","x":"AQAB","y":"AQAB"}"#,
            r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="}"#,
        ] {
            assert_eq!(
                PublicJwk::parse(json),
                Err(SigningError::NoPublicKey),
                "{json}"
            );
        }
    }
}
