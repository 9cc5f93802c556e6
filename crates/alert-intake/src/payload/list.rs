//! Lists of bodies, as senders post them that report several events at once. The specification's own payload is no list.

use serde_json::value::RawValue;

use super::item::note;
use super::{BodyAlerts, ParseContext, PayloadError, generic, items};
use crate::model::{SenderContext, Source};

/// Parses each item as a body of its own.
///
/// # Errors
/// [`PayloadError::NotAnObject`] if the list is empty, or an item has no field that unknown senders usually have. Nothing of it is
/// stored then.
pub(super) fn read(
    text: &str,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<BodyAlerts, PayloadError> {
    let too_many = || PayloadError::TooManyAlerts(context.max_alerts);
    let raw: &RawValue = serde_json::from_str(text).map_err(PayloadError::Malformed)?;
    let read = items::up_to(context.max_alerts).read(raw);
    let bodies = read.map_err(PayloadError::Malformed)?;
    let bodies = bodies.ok_or_else(too_many)?;
    let mut items = bodies.iter();
    if bodies.is_empty() || !items.all(|body| generic::is_hinted(body.get(), context)) {
        return Err(PayloadError::NotAnObject);
    }
    note(&mut sender.notes, "recognised as a list of bodies");
    let mut all = BodyAlerts::default();
    for body in bodies {
        let found = super::read(body.get(), Source::Generic, context, sender)?;
        all.alerts.extend(found.alerts);
        if all.acknowledged.is_some() && found.acknowledged.is_some() {
            note(
                &mut sender.notes,
                "of the acknowledgements in the list, only the first counts",
            );
        }
        all.acknowledged = all.acknowledged.or(found.acknowledged);
        all.expiries.extend(found.expiries);
        if all.alerts.len() > context.max_alerts {
            return Err(too_many());
        }
    }
    Ok(all)
}
