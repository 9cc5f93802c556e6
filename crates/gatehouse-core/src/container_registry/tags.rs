//! Tags of image repositories: list, get and delete.

use std::collections::BTreeSet;

use api_conventions::secret::SecretSource as _;
use api_conventions::time::Timestamp;
use data_encoding::HEXLOWER;
use serde::Deserialize;
use serde_json::json;
use ureq::http::Method;
use url::Url;

use super::client::{RegistryCall, RegistryFailure, RegistryResponse, RegistrySession};
use super::manifest::{ACCEPT, ImageManifest, created_at};
use crate::randomness::OsRandomness;

/// Most tags of an image repository that are listed.
const MAX_TAGS: usize = 10_000;
/// Tags that one call to the registry lists.
const TAGS_PER_CALL: usize = 1_000;
const DIGEST: &str = "docker-content-digest";
const MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
const CONFIG: &str = "application/vnd.docker.container.image.v1+json";

/// Tag of an image repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageTag {
    /// Name of the tag.
    pub name: String,
    /// Digest of the manifest.
    pub digest: String,
    /// Digest of the configuration of the image, without its algorithm; `None` for a list of images.
    pub revision: Option<String>,
    /// Time at which the image was created, if its configuration states it.
    pub created_at: Option<Timestamp>,
    /// Size of the configuration and all layers in bytes; `None` for a list of images.
    pub total_size: Option<u64>,
}

/// True for a valid name of a tag (Distribution specification, pulling manifests).
pub fn is_tag_name(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_inner = |byte: u8| is_word(byte) || byte == b'.' || byte == b'-';
    text.len() <= 128 && text.bytes().next().is_some_and(is_word) && text.bytes().all(is_inner)
}

#[derive(Deserialize)]
struct TagList {
    tags: Option<Vec<String>>,
}

impl RegistrySession {
    /// Lists all tags, sorted by name.
    pub(super) fn list_tags(&self) -> Result<Vec<String>, RegistryFailure> {
        let mut all = BTreeSet::new();
        let mut path = format!("tags/list?n={TAGS_PER_CALL}");
        loop {
            let response = self.call(&RegistryCall::new(Method::GET, &path))?;
            if response.status == 404 {
                return Ok(Vec::new());
            }
            let response = response.expect(200)?;
            let answer: TagList =
                serde_json::from_slice(&response.body).map_err(|_| RegistryFailure::Unexpected)?;
            let known = all.len();
            let tags = answer.tags.unwrap_or_default();
            let end = tags.last().cloned();
            all.extend(tags.into_iter().filter(|tag| is_tag_name(tag)));
            if all.len() > MAX_TAGS {
                return Err(RegistryFailure::TooManyTags);
            }
            match end.filter(|end| is_tag_name(end)) {
                Some(end) if response.header("link").is_some() && all.len() > known => {
                    path = format!("tags/list?n={TAGS_PER_CALL}&last={end}");
                }
                _ => return Ok(all.into_iter().collect()),
            }
        }
    }

    /// Finds a tag, with the facts of its image.
    pub(super) fn find_tag(&self, tag: &str) -> Result<Option<ImageTag>, RegistryFailure> {
        let Some(response) = self.manifest(Method::GET, tag)? else {
            return Ok(None);
        };
        let digest = digest_of(&response)?;
        let manifest: ImageManifest =
            serde_json::from_slice(&response.body).map_err(|_| RegistryFailure::Unexpected)?;
        let config = manifest.config.as_ref().map(|config| &*config.digest);
        let revision = config.and_then(|digest| digest.strip_prefix("sha256:"));
        Ok(Some(ImageTag {
            name: tag.to_owned(),
            digest,
            revision: revision.map(str::to_owned),
            created_at: revision.and_then(|hex| self.image_created_at(hex)),
            total_size: manifest.total_size(),
        }))
    }

    /// Returns the time at which an image was created. Some registries redirect to the blob, which is not followed.
    fn image_created_at(&self, hex: &str) -> Option<Timestamp> {
        let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = format!("blobs/sha256:{hex}");
        let call = RegistryCall::new(Method::GET, &path);
        let blob = is_hex.then(|| self.call(&call).ok()).flatten()?;
        created_at(&blob.expect(200).ok()?.body)
    }

    /// Deletes a tag. A registry deletes a manifest with all of its tags, so the tag first gets a manifest of its own.
    pub(super) fn delete_tag(&self, tag: &str) -> Result<bool, RegistryFailure> {
        if self.manifest(Method::HEAD, tag)?.is_none() {
            return Ok(false);
        }
        let mut unique = [0_u8; 16];
        OsRandomness.fill(&mut unique);
        let config = json!({ "deleted": HEXLOWER.encode(&unique) }).to_string();
        let config_digest = self.upload(config.as_bytes())?;
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": { "mediaType": CONFIG, "size": config.len(), "digest": config_digest },
            "layers": [],
        });
        let manifest = manifest.to_string();
        let put = self.call(&RegistryCall {
            method: Method::PUT,
            path: &format!("manifests/{tag}"),
            accept: None,
            body: Some((MANIFEST, manifest.as_bytes())),
        })?;
        let digest = digest_of(&put.expect(201)?)?;
        self.delete_manifest(&digest)?;
        Ok(true)
    }

    /// Deletes the images of all tags.
    pub(super) fn delete_all_tags(&self) -> Result<(), RegistryFailure> {
        let mut deleted = BTreeSet::new();
        for tag in self.list_tags()? {
            let Some(response) = self.manifest(Method::HEAD, &tag)? else {
                continue;
            };
            let digest = digest_of(&response)?;
            if deleted.insert(digest.clone()) {
                self.delete_manifest(&digest)?;
            }
        }
        Ok(())
    }

    /// Requests a manifest by a tag. `None` if there is none.
    fn manifest(
        &self,
        method: Method,
        tag: &str,
    ) -> Result<Option<RegistryResponse>, RegistryFailure> {
        let response = self.call(&RegistryCall {
            method,
            path: &format!("manifests/{tag}"),
            accept: Some(ACCEPT),
            body: None,
        })?;
        match response.status {
            404 => Ok(None),
            _ => response.expect(200).map(Some),
        }
    }

    fn delete_manifest(&self, digest: &str) -> Result<(), RegistryFailure> {
        let path = format!("manifests/{digest}");
        let response = self.call(&RegistryCall::new(Method::DELETE, &path))?;
        match response.status {
            // Somebody else deleted it in the meantime.
            202 | 404 => Ok(()),
            405 => Err(RegistryFailure::DeletionDisabled),
            other => Err(RegistryFailure::Status(other)),
        }
    }

    /// Uploads a blob, and returns its digest.
    fn upload(&self, blob: &[u8]) -> Result<String, RegistryFailure> {
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, blob);
        let digest = format!("sha256:{}", HEXLOWER.encode(digest.as_ref()));
        let begun = self.call(&RegistryCall {
            method: Method::POST,
            path: "blobs/uploads/",
            accept: None,
            body: Some(("application/octet-stream", b"")),
        })?;
        let begun = begun.expect(202)?;
        let location = begun.header("location").and_then(path_of);
        let location = location.ok_or(RegistryFailure::Unexpected)?;
        let separator = if location.contains('?') { '&' } else { '?' };
        let put = self.call(&RegistryCall {
            method: Method::PUT,
            path: &format!("{location}{separator}digest={digest}"),
            accept: None,
            body: Some(("application/octet-stream", blob)),
        })?;
        put.expect(201).map(|_| digest)
    }
}

/// Returns the digest of a manifest, which the registry states in a header.
fn digest_of(response: &RegistryResponse) -> Result<String, RegistryFailure> {
    let digest = response.header(DIGEST).filter(|digest| {
        let hex = digest.strip_prefix("sha256:").unwrap_or_default();
        hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let digest = digest.ok_or(RegistryFailure::Unexpected)?;
    Ok(digest.to_owned())
}

/// Returns the path and the query of a location. The host of a registry behind a proxy is that of the proxy, so the
/// registry is called at the configured address instead.
fn path_of(location: &str) -> Option<String> {
    if location.starts_with('/') {
        return Some(location.to_owned());
    }
    let url = Url::parse(location).ok()?;
    let query = url
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    Some(format!("{}{query}", url.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tags_are_those_of_the_distribution_specification() {
        let long = "a".repeat(128);
        for name in ["a", "1.0", "_x", "A-b_c.D", &long] {
            assert!(is_tag_name(name), "{name}");
        }
        for name in [
            "",
            ".a",
            "-a",
            "a/b",
            "a:b",
            "a b",
            "\u{e4}",
            &format!("{long}a"),
        ] {
            assert!(!is_tag_name(name), "{name}");
        }
    }

    #[test]
    fn a_location_is_followed_at_the_configured_address() {
        for (location, path) in [
            (
                "/v2/a/blobs/uploads/1?_state=x",
                Some("/v2/a/blobs/uploads/1?_state=x"),
            ),
            ("https://images.example.com/v2/a?b=c", Some("/v2/a?b=c")),
            ("https://images.example.com/v2/a", Some("/v2/a")),
            ("v2/a", None),
        ] {
            assert_eq!(path_of(location).as_deref(), path, "{location}");
        }
    }
}
