//! A GET that checks an access token, against the same answer without a check.

use std::path::Path;

use anyhow::Result;

use super::load::{Request, send};
use super::measure::{Subject, compare};
use super::servers::Running;
use super::{Effort, Programs};

/// Measures and prints a table, with another build of the server in it when one is given.
///
/// # Errors
/// When something cannot be started, or an answer is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort, against: Option<&Path>) -> Result<()> {
    let floor = programs.floor()?;
    let server = programs.on_sqlite()?;
    let unchecked = Request::Get {
        url: format!("{}/user", floor.base_url),
        header: None,
    };
    let checked = own_user(&server)?;
    let crowded = programs.with_many_operations()?;
    let beside_many = own_user(&crowded)?;
    let other = against.map(Programs::other).transpose()?;
    let by_other = other.as_ref().map(own_user).transpose()?;
    let mut subjects = vec![
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
    if let Some(by_other) = by_other {
        subjects.push(Subject {
            name: "GET /api/v4/user with a token, the other build",
            aim: None,
            run: Box::new(move |connections, seconds| send(&by_other, connections, seconds)),
        });
    }
    compare("Authenticated GET", &subjects, effort)
}

/// The request of the user whose token the sample data have.
fn own_user(server: &Running) -> Result<Request> {
    let token = server.text("/developer/token")?;
    Ok(Request::Get {
        url: format!("{}/api/v4/user", server.base_url),
        header: Some(format!("PRIVATE-TOKEN: {token}")),
    })
}
