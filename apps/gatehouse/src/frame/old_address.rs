//! Where a request went that names something by the path that it had before.

use api_conventions::error::ApiError;
use api_conventions::paging::ListAddress;

use super::api::ApiRequest;

/// Position of the id of a place in `/api/v4/<kind>/<id>`.
pub(super) const PLACE_SEGMENT: usize = 4;

/// Where a request went, for what is elsewhere now.
#[derive(Debug)]
pub struct Address {
    is_read: bool,
    base_url: String,
    path: String,
    query: String,
}

impl Address {
    /// The address of a request.
    pub fn of(asked: &ApiRequest) -> Self {
        let ListAddress {
            base_url,
            path,
            query,
        } = asked.list_address();
        Self {
            is_read: asked.is_read(),
            base_url: base_url.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
        }
    }

    /// Sends a read on to the same address with this number in one of its segments. A change is refused, because clients drop bodies
    /// on the way.
    pub fn lead_to(&self, (segment, number): (usize, i64), thing: &str) -> ApiError {
        if !self.is_read {
            return ApiError::moved_for_readers(&thing.to_lowercase());
        }
        let address = ListAddress {
            base_url: &self.base_url,
            path: &self.path,
            query: &self.query,
        };
        ApiError::moved(&address.with_segment(segment, &number.to_string()))
    }
}
