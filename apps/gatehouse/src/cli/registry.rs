//! `gatehouse registry-certificate`.

use gatehouse_core::registry_keys;

use super::output;
use crate::config::{Overrides, load};

/// Prints the certificate in PEM. Reads the secret key, and not the database.
pub(super) fn certificate(overrides: &Overrides) -> anyhow::Result<()> {
    let settings = load(overrides)?;
    output::line(&registry_keys::certificate(&settings.security)?);
    Ok(())
}
