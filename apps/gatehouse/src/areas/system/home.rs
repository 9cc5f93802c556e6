//! `/`: where everybody begins.

use actix_web::HttpResponse;

use crate::frame::page::answer::see_other;
use crate::frame::return_to::SIGN_IN;
use crate::frame::visitor::Visitor;
use web_conventions::operations::{Operation, get};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("home", "/", lead)]
}

async fn lead(visitor: Visitor) -> HttpResponse {
    let path = match visitor.signed_in() {
        Some(_) => "/profile",
        None => SIGN_IN,
    };
    see_other(path).finish()
}
