//! `/`: where everybody begins.

use actix_web::HttpResponse;
use actix_web::web::ServiceConfig;

use super::answer::see_other;
use super::return_to::SIGN_IN;
use crate::extract::visitor::Visitor;
use crate::http::endpoint::at;

/// Mounts the address.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at("").get(lead).build());
}

async fn lead(visitor: Visitor) -> HttpResponse {
    let path = match visitor.signed_in() {
        Some(_) => "/profile",
        None => SIGN_IN,
    };
    see_other(path).finish()
}
