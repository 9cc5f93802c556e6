//! Body formats of the collector, by endpoint.

use api_conventions::ids::ProjectId;

use super::{BodyError, DropReason, RequestContent, RequestContext};
use crate::protocol::credentials::CredentialsError;
use crate::protocol::dsn::Dsn;
use crate::protocol::encoding::{DecodeError, Encoding, Limits, event_of_store, unpack};
use crate::protocol::envelope::{Envelope, Item};
use crate::protocol::item::{Category, ItemKind};

/// Media type of envelopes, by which the legacy endpoint recognises one.
const ENVELOPE_TYPE: &str = "application/x-sentry-envelope";

/// Format of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFormat {
    /// An envelope: `/envelope/`.
    Envelope,
    /// Single event: `/store/`.
    Event,
    /// Security policy reports of a browser: `/security/`.
    Report,
    /// Network errors of a browser, which are not stored: `/nel/`.
    Network,
}

impl BodyFormat {
    /// Format of a body with this `Content-Type`: the legacy endpoint may receive an envelope.
    #[must_use]
    pub fn for_media_type(self, media_type: Option<&str>) -> Self {
        let is_envelope = media_type.is_some_and(|media_type| {
            let essence = media_type.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case(ENVELOPE_TYPE)
        });
        match self {
            Self::Event if is_envelope => Self::Envelope,
            other => other,
        }
    }

    /// Category in which an unreadable body of this format is counted.
    pub const fn category(self) -> Category {
        match self {
            Self::Event => Category::Error,
            Self::Report => Category::Security,
            Self::Envelope | Self::Network => Category::Default,
        }
    }

    /// Decompresses a body according to its `Content-Encoding`, and unpacks the base64 of old SDKs.
    ///
    /// # Errors
    /// [`DecodeError`] for a damaged body, or one that exceeds the limits.
    pub fn unpack(
        self,
        body: &[u8],
        encoding: Encoding,
        limits: Limits<'_>,
    ) -> Result<Vec<u8>, DecodeError> {
        let plain = unpack(body, encoding, limits)?;
        Ok(match self {
            Self::Event => event_of_store(&plain, limits)?.into_owned(),
            _ => plain.into_owned(),
        })
    }

    /// Client key in the DSN of an envelope's header.
    /// A DSN of another project is no credential for this one.
    ///
    /// # Errors
    /// [`CredentialsError::Ambiguous`] for a DSN that cannot be parsed, or belongs to another project.
    pub fn own_key(
        self,
        body: &[u8],
        project: ProjectId,
    ) -> Result<Option<String>, CredentialsError> {
        if self != Self::Envelope {
            return Ok(None);
        }
        let first = body.split(|byte| *byte == b'\n').next();
        let header = Envelope::parse(first.unwrap_or_default());
        match header.ok().and_then(|envelope| envelope.own_dsn()) {
            None => Ok(None),
            Some(Ok(Dsn {
                key, project_id, ..
            })) if project_id == project => Ok(Some(key.to_string())),
            Some(_) => Err(CredentialsError::Ambiguous),
        }
    }
}

impl RequestContext<'_> {
    /// Parses a body of this format.
    /// `may_come` returns true if another event may be accepted; if not, events are counted and not parsed.
    ///
    /// # Errors
    /// [`BodyError`] for a body of another format.
    pub fn parse(
        &self,
        format: BodyFormat,
        body: &[u8],
        may_come: &mut dyn FnMut() -> bool,
    ) -> Result<RequestContent, BodyError> {
        match format {
            BodyFormat::Envelope => {
                let mut envelope = Envelope::parse(body)?;
                let mut refused = [(ItemKind::Event, 0), (ItemKind::Attachment, 0)];
                if envelope.items.iter().any(is_event) && !may_come() {
                    for (kind, count) in &mut refused {
                        let before = envelope.items.len();
                        envelope.items.retain(|item| item.kind != *kind);
                        *count = before - envelope.items.len();
                    }
                }
                let mut collected = self.process_envelope(&envelope);
                for (kind, count) in refused {
                    let category = kind.category().unwrap_or(Category::Default);
                    collected.drop_many(category, DropReason::Limited, count as u64);
                }
                Ok(collected)
            }
            BodyFormat::Event | BodyFormat::Report if !may_come() => Ok(
                RequestContent::only_dropped(format.category(), DropReason::Limited),
            ),
            BodyFormat::Event => self.parse_event(body),
            BodyFormat::Report => self.parse_security_reports(body),
            BodyFormat::Network => Ok(RequestContent::only_dropped(
                format.category(),
                DropReason::NotKept,
            )),
        }
    }
}

fn is_event(item: &Item<'_>) -> bool {
    item.kind == ItemKind::Event
}
