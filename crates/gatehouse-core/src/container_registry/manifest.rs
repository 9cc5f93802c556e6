//! Manifests of images (OCI image specification), as far as they are read here.

use api_conventions::time::Timestamp;
use serde::Deserialize;

/// Media types of manifests: images, and lists of images for several platforms.
pub(super) const ACCEPT: &str = "application/vnd.oci.image.manifest.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, \
     application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.list.v2+json";

/// Manifest of an image, or of a list of images, which has neither a configuration nor layers.
#[derive(Debug, Deserialize)]
pub(super) struct ImageManifest {
    pub(super) config: Option<Descriptor>,
    #[serde(default)]
    layers: Vec<Descriptor>,
}

/// Reference to a blob.
#[derive(Debug, Deserialize)]
pub(super) struct Descriptor {
    pub(super) digest: String,
    #[serde(default)]
    size: u64,
}

impl ImageManifest {
    /// Returns the size of the configuration and all layers in bytes; `None` for a list of images.
    pub(super) fn total_size(&self) -> Option<u64> {
        let config = self.config.as_ref()?;
        let sizes = self.layers.iter().map(|layer| layer.size);
        Some(sizes.fold(config.size, u64::saturating_add))
    }
}

/// Configuration of an image.
#[derive(Debug, Deserialize)]
struct ImageConfig {
    created: Option<String>,
}

/// Returns the time at which an image was created, if its configuration states one.
pub(super) fn created_at(config: &[u8]) -> Option<Timestamp> {
    let config: ImageConfig = serde_json::from_slice(config).ok()?;
    Timestamp::parse_rfc3339(&config.created?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_all_blobs() {
        let text = r#"{"config":{"digest":"sha256:a","size":5},"layers":[{"digest":"b","size":7},{"digest":"c"}]}"#;
        let manifest: ImageManifest = serde_json::from_str(text).unwrap();
        assert_eq!(manifest.total_size(), Some(12));
        let list: ImageManifest = serde_json::from_str(r#"{"manifests":[]}"#).unwrap();
        assert_eq!(list.total_size(), None);
    }

    #[test]
    fn the_time_of_an_image_comes_from_its_configuration() {
        let at = created_at(br#"{"created":"2026-01-02T03:04:05Z"}"#).unwrap();
        assert_eq!(at.to_string(), "2026-01-02T03:04:05.000Z");
        for config in ["", "{}", r#"{"created":"soon"}"#] {
            assert_eq!(created_at(config.as_bytes()), None, "{config}");
        }
    }
}
