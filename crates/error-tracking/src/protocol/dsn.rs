//! DSNs: the addresses that people paste into an SDK.

use std::fmt;

use api_conventions::ids::ProjectId;
use url::Url;

use crate::model::PublicKey;

/// DSN: the client key, the project, and the address of the server.
///
/// An SDK splits the path at its last slash and sends to `<what is before>/api/<project>/<endpoint>/`.
#[derive(Clone, PartialEq, Eq)]
pub struct Dsn {
    /// The key.
    pub key: PublicKey,
    /// The project.
    pub project_id: ProjectId,
    address: Url,
}

/// Reason why a text is not a DSN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DsnError {
    /// The text is not an absolute HTTP URL.
    #[error("the DSN is not an HTTP URL")]
    Address,
    /// The text has no user part that is a key.
    #[error("the DSN has no client key")]
    Key,
    /// The path does not end in a number.
    #[error("the DSN does not end in a project id")]
    Project,
}

impl Dsn {
    /// Creates the DSN of a project's key.
    /// `collector` is the address of the host's collector; the number of the project is appended to its path.
    ///
    /// # Errors
    /// The collector's address cannot have a user part.
    pub fn new(collector: &Url, key: PublicKey, project_id: ProjectId) -> Result<Self, DsnError> {
        let mut address = collector.clone();
        address.set_query(None);
        address.set_fragment(None);
        let path = collector.path().trim_end_matches('/');
        address.set_path(&format!("{path}/{project_id}"));
        address
            .set_username(key.as_str())
            .map_err(|()| DsnError::Address)?;
        Ok(Self {
            key,
            project_id,
            address,
        })
    }

    /// Parses a DSN of any server.
    /// Ignores a secret beside the key, which is a legacy form.
    ///
    /// # Errors
    /// A part is missing.
    pub fn parse(text: &str) -> Result<Self, DsnError> {
        let mut address = Url::parse(text.trim()).map_err(|_| DsnError::Address)?;
        if !matches!(address.scheme(), "http" | "https") {
            return Err(DsnError::Address);
        }
        let key = PublicKey::parse(address.username()).ok_or(DsnError::Key)?;
        let mut segments = address.path_segments().ok_or(DsnError::Address)?;
        let last = segments.rfind(|segment| !segment.is_empty());
        let digits = last.filter(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse().ok());
        address.set_password(None).map_err(|()| DsnError::Address)?;
        Ok(Self {
            key,
            project_id: ProjectId::new(number.ok_or(DsnError::Project)?),
            address,
        })
    }
}

impl fmt::Display for Dsn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.address.as_str())
    }
}

impl fmt::Debug for Dsn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Dsn(… of project {})", self.project_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> PublicKey {
        PublicKey::from_random([0x5a; 16])
    }

    #[test]
    fn a_dsn_embeds_the_key_and_ends_in_the_project() {
        let of = |collector: &str| {
            let collector = Url::parse(collector).unwrap();
            Dsn::new(&collector, key(), ProjectId::new(42))
                .unwrap()
                .to_string()
        };
        let key = key();
        assert_eq!(
            of("https://ops.example"),
            format!("https://{key}@ops.example/42")
        );
        assert_eq!(
            of("http://127.0.0.1:8080/tools/collector/?a=b"),
            format!("http://{key}@127.0.0.1:8080/tools/collector/42")
        );
    }

    #[test]
    fn a_dsn_reads_back_and_its_old_secret_is_passed_over() {
        let key = key();
        let dsn = Dsn::parse(&format!("https://{key}:secret@ops.example/x/7/")).unwrap();
        assert_eq!((dsn.key.clone(), dsn.project_id.get()), (key, 7));
        assert!(!dsn.to_string().contains("secret"));
        assert!(!format!("{dsn:?}").contains("5a5a"));
    }

    #[test]
    fn incomplete_dsns_are_rejected_naming_the_missing_part() {
        let key = key();
        for (text, expected) in [
            ("", DsnError::Address),
            ("ops.example/7", DsnError::Address),
            ("ftp://ops.example/7", DsnError::Address),
            ("https://ops.example/7", DsnError::Key),
            ("https://short@ops.example/7", DsnError::Key),
        ] {
            assert_eq!(Dsn::parse(text).unwrap_err(), expected, "{text}");
        }
        for path in ["", "/", "/web", "/7x", "/-7", "/99999999999999999999"] {
            let text = format!("https://{key}@ops.example{path}");
            assert_eq!(Dsn::parse(&text).unwrap_err(), DsnError::Project, "{path}");
        }
    }
}
