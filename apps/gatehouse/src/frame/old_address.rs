//! Addresses of requests that use a former path of a resource.

use api_conventions::error::ApiError;
use api_conventions::paging::ListAddress;

use super::api::ApiRequest;

/// Position of the id of a place in `/api/v4/<kind>/<id>`.
pub(super) const PLACE_SEGMENT: usize = 4;

/// Address of a request, for the redirect to a moved resource.
#[derive(Debug)]
pub struct Address {
    is_read: bool,
    base_url: String,
    path: String,
    query: String,
}

impl Address {
    /// Returns the address of a request.
    pub fn of(request: &ApiRequest) -> Self {
        let ListAddress {
            base_url,
            path,
            query,
        } = request.list_address();
        Self {
            is_read: request.is_read(),
            base_url: base_url.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
        }
    }

    /// Redirects a read to the same address with this number in one of its segments.
    /// A write is refused, because clients drop the body when they follow a redirect.
    pub fn redirect(&self, segment: usize, number: i64, resource: &str) -> ApiError {
        if !self.is_read {
            return ApiError::moved_for_readers(&resource.to_lowercase());
        }
        let address = ListAddress {
            base_url: &self.base_url,
            path: &self.path,
            query: &self.query,
        };
        ApiError::moved(&address.with_segment(segment, &number.to_string()))
    }
}
