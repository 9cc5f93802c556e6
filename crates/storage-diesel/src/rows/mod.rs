//! Rows, and how they become the values of the domain. A row that contradicts itself is an inconsistency that
//! names its table and its id.

#[cfg(feature = "accounts")]
pub(crate) mod accounts;
#[cfg(feature = "alert-intake")]
pub(crate) mod alerts;
#[cfg(feature = "accounts")]
pub(crate) mod credentials;
#[cfg(feature = "events")]
pub(crate) mod events;
#[cfg(feature = "alert-intake")]
pub(crate) mod kept_answers;
#[cfg(feature = "oauth-provider")]
pub(crate) mod oauth;
#[cfg(feature = "projects")]
pub(crate) mod projects;
#[cfg(feature = "accounts")]
pub(crate) mod sessions;

#[cfg(feature = "projects")]
use api_conventions::access::Visibility;
use api_conventions::time::Timestamp;
use storage::StoreError;

/// What reads a row of one table: every reading names the table and the row when it fails.
#[derive(Clone, Copy)]
pub(crate) struct RowReader {
    table: &'static str,
    id: i64,
}

impl RowReader {
    pub(crate) fn new(table: &'static str, id: i64) -> Self {
        Self { table, id }
    }

    pub(crate) fn wrong(self, what: &str) -> StoreError {
        StoreError::inconsistent(self.table, self.id, what)
    }

    pub(crate) fn need<T>(self, value: Option<T>, what: &str) -> Result<T, StoreError> {
        value.ok_or_else(|| self.wrong(what))
    }

    pub(crate) fn moment(self, micros: i64) -> Result<Timestamp, StoreError> {
        self.need(
            Timestamp::from_micros(micros),
            "a moment outside the calendar",
        )
    }

    #[cfg(any(
        feature = "accounts",
        feature = "alert-intake",
        feature = "oauth-provider"
    ))]
    pub(crate) fn moment_if(self, micros: Option<i64>) -> Result<Option<Timestamp>, StoreError> {
        micros.map(|micros| self.moment(micros)).transpose()
    }

    #[cfg(any(feature = "alert-intake", feature = "oauth-provider"))]
    pub(crate) fn digest(self, bytes: Vec<u8>) -> Result<[u8; 32], StoreError> {
        bytes
            .try_into()
            .map_err(|_| self.wrong("a digest that is not 32 bytes long"))
    }

    #[cfg(feature = "projects")]
    pub(crate) fn visibility(self, number: i16) -> Result<Visibility, StoreError> {
        self.need(
            Visibility::from_number(number.into()),
            "an unknown visibility",
        )
    }
}
