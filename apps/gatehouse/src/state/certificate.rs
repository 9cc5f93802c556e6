//! TLS certificate of the server, which can be replaced while it runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use api_conventions::time::Timestamp;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use x509_parser::parse_x509_certificate;
use x509_parser::prelude::X509Certificate;

use crate::config::CertificateFiles;

/// Seconds before the end of a certificate from which it is due for renewal, at most.
const RENEWAL_SECONDS: i64 = 14 * 86_400;
/// Part of the lifetime of a certificate that is left when it is due for renewal, at most: one sixth.
const RENEWAL_PART: i64 = 6;

/// Certificate chain with its key and its period of validity.
#[derive(Debug, Clone)]
pub struct LoadedCertificate {
    key: Arc<CertifiedKey>,
    begins_at: Timestamp,
    /// End of the validity.
    pub ends_at: Timestamp,
}

/// Reasons why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A file is unreadable, or not in the PEM format.
    #[error("cannot read {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: pem::Error,
    },
    /// A file has no certificate.
    #[error("{} has no certificate", .0.display())]
    Empty(PathBuf),
    /// The first certificate is malformed.
    #[error("the first certificate of {} is malformed", .0.display())]
    Malformed(PathBuf),
    /// The key is of an unknown kind, or does not belong to the certificate.
    #[error("the key {} cannot be used with the first certificate of {}: {error}", key.display(), chain.display())]
    Key {
        /// File of the key.
        key: PathBuf,
        /// File of the certificate.
        chain: PathBuf,
        /// The cause.
        error: rustls::Error,
    },
}

impl LoadedCertificate {
    /// Reads a certificate and its key.
    ///
    /// # Errors
    /// See [`CertificateError`].
    pub fn read(files: &CertificateFiles) -> Result<Self, CertificateError> {
        let chain = read_chain(&files.chain)?;
        let Some(first) = chain.first() else {
            return Err(CertificateError::Empty(files.chain.clone()));
        };
        let (_, parsed) = parse_x509_certificate(first)
            .map_err(|_| CertificateError::Malformed(files.chain.clone()))?;
        let (begins_at, ends_at) = validity(&parsed);
        let key = PrivateKeyDer::from_pem_file(&files.key);
        let key = key.map_err(|error| unreadable(&files.key, error))?;
        let key = CertifiedKey::from_der(chain, key, &aws_lc_rs::default_provider());
        let key = key.map_err(|error| CertificateError::Key {
            key: files.key.clone(),
            chain: files.chain.clone(),
            error,
        })?;
        Ok(Self {
            key: Arc::new(key),
            begins_at,
            ends_at,
        })
    }

    /// True if the certificate has ended, or ends so soon that its renewal has probably failed.
    pub fn is_due_for_renewal(&self, now: Timestamp) -> bool {
        let ends_at = self.ends_at.as_unix_seconds();
        let lifetime = ends_at.saturating_sub(self.begins_at.as_unix_seconds());
        let left = ends_at.saturating_sub(now.as_unix_seconds());
        left < RENEWAL_SECONDS.min(lifetime / RENEWAL_PART)
    }
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let certificates = CertificateDer::pem_file_iter(path);
    let certificates = certificates.and_then(Iterator::collect);
    certificates.map_err(|error| unreadable(path, error))
}

fn unreadable(path: &Path, error: pem::Error) -> CertificateError {
    CertificateError::File {
        path: path.to_owned(),
        error,
    }
}

/// Returns the first and the last moment of the validity.
fn validity(certificate: &X509Certificate<'_>) -> (Timestamp, Timestamp) {
    let validity = certificate.validity();
    (
        at_seconds(validity.not_before.timestamp()),
        at_seconds(validity.not_after.timestamp()),
    )
}

/// Returns the time at this many seconds after the start of 1970, or the nearest one that can be represented.
fn at_seconds(seconds: i64) -> Timestamp {
    let micros = seconds.saturating_mul(1_000_000);
    let end = if seconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_micros(micros).unwrap_or(end)
}

/// Certificate in use.
#[derive(Debug)]
pub struct ServerCertificate(RwLock<LoadedCertificate>);

impl ServerCertificate {
    /// Creates the holder of a certificate.
    pub const fn new(loaded: LoadedCertificate) -> Self {
        Self(RwLock::new(loaded))
    }

    /// Returns the certificate in use.
    pub fn current(&self) -> LoadedCertificate {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Uses another certificate for new connections.
    pub fn replace(&self, loaded: LoadedCertificate) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = loaded;
    }
}

impl ResolvesServerCert for ServerCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current().key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(begins_at: i64, ends_at: i64) -> LoadedCertificate {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let (chain, key) = (directory.path().join("chain"), directory.path().join("key"));
        std::fs::write(&chain, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        let read = LoadedCertificate::read(&CertificateFiles { chain, key }).unwrap();
        LoadedCertificate {
            begins_at: at_seconds(begins_at),
            ends_at: at_seconds(ends_at),
            ..read
        }
    }

    #[test]
    fn a_certificate_is_due_two_weeks_or_a_sixth_of_its_life_before_its_end() {
        let day = 86_400;
        for (life, left, is_due) in [
            (365 * day, 14 * day, false),
            (365 * day, 14 * day - 1, true),
            (6 * day, day, false),
            (6 * day, day - 1, true),
            (90 * day, -1, true),
        ] {
            let now = at_seconds(life - left);
            let found = certificate(0, life).is_due_for_renewal(now);
            assert_eq!(found, is_due, "{life} {left}");
        }
    }
}
