//! Stylesheet, script, icon and avatars.
//! They are part of the program, under names that change with their content, so that browsers can cache them forever.

use std::sync::LazyLock;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::avatar::Avatar;
use api_conventions::conditional::{etag, none_match};
use api_conventions::reference::decode_segment;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use web_conventions::operations::{Operation, get};

use crate::frame::page::failure::PageFailure;
use crate::frame::public::Browser;

/// File that pages refer to.
#[derive(Debug)]
pub struct Asset {
    name: String,
    media_type: &'static str,
    content: &'static str,
}

impl Asset {
    /// The name contains the first 72 bits of the content's hash: enough that no two versions share one.
    fn new(stem: &str, extension: &str, media_type: &'static str, content: &'static str) -> Self {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(content.as_bytes()));
        let hash = digest.get(..12).unwrap_or_default();
        Self {
            name: format!("{stem}.{hash}.{extension}"),
            media_type,
            content,
        }
    }

    /// Path of the file.
    pub fn path(&self) -> String {
        format!("/assets/{}", self.name)
    }
}

/// Stylesheet of all pages.
pub static STYLESHEET: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../../../assets/app.css");
    Asset::new("app", "css", "text/css; charset=utf-8", content)
});

/// Script of all pages.
/// Every page works without it.
pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../../../assets/app.js");
    Asset::new("app", "js", "text/javascript; charset=utf-8", content)
});

/// Icon of the browser tab.
pub static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../../../assets/icon.svg");
    Asset::new("icon", "svg", "image/svg+xml", content)
});

/// The operations.
pub fn operations() -> Vec<Operation> {
    vec![
        get("asset", "/assets/{name}", show),
        get("avatar", "/assets/avatars/{name}", show_avatar),
    ]
}

/// Responds with an asset.
/// A name with the hash of another version is unknown, because only this version's content exists.
async fn show(request: HttpRequest, _: Browser) -> Result<HttpResponse, PageFailure> {
    let name = request.match_info().get("name").unwrap_or_default();
    let assets = [&*STYLESHEET, &*SCRIPT, &*ICON];
    let asset = assets.into_iter().find(|asset| asset.name == name);
    let asset = asset.ok_or_else(PageFailure::not_found)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, asset.media_type))
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(asset.content))
}

/// Policy of a picture opened on its own: it may do nothing.
const PICTURE_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

/// Responds with the avatar of a user.
/// Its name determines it completely, so no user is loaded, and it never changes.
async fn show_avatar(request: HttpRequest, _: Browser) -> Result<HttpResponse, PageFailure> {
    let name = request.match_info().get("name").and_then(decode_segment);
    let avatar = name.as_deref().and_then(Avatar::parse);
    let svg = avatar.ok_or_else(PageFailure::not_found)?.svg();
    let tag = etag(svg.as_bytes());
    let known = request.headers().get(IF_NONE_MATCH);
    let known = known.and_then(|value| value.to_str().ok());
    let is_known = known.is_some_and(|known| none_match(known, &tag));
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((ETAG, tag))
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .insert_header((CONTENT_SECURITY_POLICY, PICTURE_POLICY))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    if is_known {
        return Ok(answer.status(StatusCode::NOT_MODIFIED).finish());
    }
    Ok(answer.content_type("image/svg+xml").body(svg))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_small() {
        assert!(SCRIPT.content.len() < 10_000, "{}", SCRIPT.content.len());
    }

    #[test]
    fn the_name_changes_with_the_content() {
        let one = Asset::new("app", "css", "text/css", "a{}");
        let other = Asset::new("app", "css", "text/css", "b{}");
        assert_ne!(one.name, other.name);
        assert_eq!(one.name, Asset::new("app", "css", "text/css", "a{}").name);
        assert!(one.path().starts_with("/assets/app."), "{}", one.path());
    }
}
