//! Webfinger: the issuer of an account (RFC 7033; OpenID Connect Discovery 1.0, section 2).

use serde::Serialize;

use super::error::OAuthError;
use super::metadata::ISSUER_RELATION;

/// Longest resource that a request may name, in bytes.
pub const MAX_RESOURCE_BYTES: usize = 2_000;

/// The webfinger response. This server is the issuer of every resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Webfinger {
    /// Requested resource.
    pub subject: String,
    /// Links of the resource.
    pub links: Vec<WebfingerLink>,
}

/// A link of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebfingerLink {
    /// Relation of the link.
    pub rel: &'static str,
    /// Target URL.
    pub href: String,
}

impl Webfinger {
    /// Creates the response for `resource`. `rel` lists the requested relations; if empty, all links are returned (RFC
    /// 7033, section 4.3). The response does not reveal whether the account exists.
    ///
    /// # Errors
    /// `invalid_request` if the resource is missing or too long.
    pub fn new(resource: Option<&str>, rel: &[&str], issuer: &str) -> Result<Self, OAuthError> {
        let resource = resource
            .filter(|resource| !resource.is_empty())
            .ok_or_else(|| OAuthError::missing_parameter("resource"))?;
        if resource.len() > MAX_RESOURCE_BYTES {
            let description = "The parameter resource is too long.";
            return Err(OAuthError::invalid_request(description));
        }
        let is_requested = rel.is_empty() || rel.contains(&ISSUER_RELATION);
        let link = is_requested.then(|| WebfingerLink {
            rel: ISSUER_RELATION,
            href: issuer.to_owned(),
        });
        Ok(Self {
            subject: resource.to_owned(),
            links: link.into_iter().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(rel: &[&str]) -> String {
        let webfinger = Webfinger::new(Some("acct:ann@gate.example"), rel, "https://gate.example");
        serde_json::to_string(&webfinger.unwrap()).unwrap()
    }

    #[test]
    fn the_response_names_the_issuer_for_any_resource() {
        let expected = r#"{"subject":"acct:ann@gate.example","links":[{"rel":"http://openid.net/specs/connect/1.0/issuer","href":"https://gate.example"}]}"#;
        assert_eq!(json(&[]), expected);
        assert_eq!(json(&["me", ISSUER_RELATION]), expected);
        assert_eq!(
            json(&["me"]),
            r#"{"subject":"acct:ann@gate.example","links":[]}"#
        );
    }

    #[test]
    fn a_missing_or_overlong_resource_returns_400() {
        for resource in [None, Some(""), Some(&*"a".repeat(MAX_RESOURCE_BYTES + 1))] {
            let error = Webfinger::new(resource, &[], "https://gate.example").unwrap_err();
            assert_eq!(error.status(), 400);
        }
    }
}
