//! `/api/v4/groups` and below.

mod life;
mod lists;
mod members;
