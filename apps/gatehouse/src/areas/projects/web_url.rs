//! The addresses that the API gives as `web_url` and that have no page of their own yet: those of groups and users lead to
//! where everybody begins. They are looked up last, when no other path matches, so that no name can stand in the way of a
//! page.

use accounts::Username;
use actix_web::HttpRequest;
use actix_web::http::Method;
use api_conventions::reference::is_slug;
use storage::StoreError;

use crate::frame::page::failure::prefers_page;
use crate::frame::return_to::sign_in_then;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Where everybody begins.
const HOME: &str = "/";

/// What an address may be of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Thing {
    Group,
    User(Username),
}

impl Thing {
    fn parse(path: &str) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        let path = path.strip_suffix('/').unwrap_or(path);
        if let Some(group) = path.strip_prefix("groups/") {
            return group.split('/').all(is_slug).then_some(Self::Group);
        }
        Username::parse(path).ok().map(Self::User)
    }
}

/// Where the address of a request leads, if it is a `web_url` of something that the visitor may see. A browser in which
/// nobody is signed in is led to where one signs in, whether or not there is such a group.
///
/// # Errors
/// Failures of the store.
pub async fn closest(
    request: &HttpRequest,
    state: &AppState,
) -> Result<Option<String>, StoreError> {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let Some(thing) = Thing::parse(request.path()).filter(|_| is_read) else {
        return Ok(None);
    };
    let visitor = Visitor::of(request, state).await?;
    let is_member = visitor.signed_in().is_some();
    match thing {
        // Whether there is such a group is told to nobody yet.
        Thing::Group if is_member => Ok(Some(HOME.to_owned())),
        Thing::Group => Ok(prefers_page(request).then(|| sign_in_then(request.path()))),
        Thing::User(_) if !is_member => Ok(None),
        Thing::User(name) => {
            let found: Result<_, StoreError> = state
                .database
                .read(visitor.lane(), move |tx| {
                    tx.find_user_by_username(name.as_str())
                })
                .await;
            Ok(found?.map(|_| HOME.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_what_it_is_of() {
        let user = |name| Thing::User(Username::parse(name).unwrap());
        for (path, thing) in [
            ("/ann", Some(user("ann"))),
            ("/groups/shop", Some(Thing::Group)),
            ("/groups/shop/team/", Some(Thing::Group)),
            ("/groups/%3Cb%3E", None),
            ("/shop/web", None),
            ("/api/v4/nothing", None),
            ("/assets/app.css", None),
            ("/", None),
        ] {
            assert_eq!(Thing::parse(path), thing, "{path}");
        }
    }
}
