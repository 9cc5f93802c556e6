//! A GET that checks an access token, against the same answer without a check.

use anyhow::Result;

use super::load::{Request, send};
use super::measure::{Subject, compare};
use super::{Effort, Programs};

/// Measures and prints a table.
///
/// # Errors
/// When something cannot be started, or an answer is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort) -> Result<()> {
    let floor = programs.floor()?;
    let server = programs.on_sqlite()?;
    let unchecked = Request::Get {
        url: format!("{}/user", floor.base_url),
        header: None,
    };
    let checked = Request::Get {
        url: format!("{}/api/v4/user", server.base_url),
        header: Some(format!(
            "PRIVATE-TOKEN: {}",
            server.text("/developer/token")?
        )),
    };
    let crowded = programs.with_many_operations()?;
    let beside_many = Request::Get {
        url: format!("{}/api/v4/user", crowded.base_url),
        header: Some(format!(
            "PRIVATE-TOKEN: {}",
            crowded.text("/developer/token")?
        )),
    };
    let subjects = [
        Subject {
            name: "floor: the same body, nobody checked",
            aim: None,
            run: Box::new(move |connections, seconds| send(&unchecked, connections, seconds)),
        },
        Subject {
            name: "GET /api/v4/user with a token",
            aim: Some(0.85),
            run: Box::new(move |connections, seconds| send(&checked, connections, seconds)),
        },
        Subject {
            name: "the same with 300 operations more",
            aim: None,
            run: Box::new(move |connections, seconds| send(&beside_many, connections, seconds)),
        },
    ];
    compare("Authenticated GET", &subjects, effort)
}
