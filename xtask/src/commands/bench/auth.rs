//! A GET that checks an access token, compared with the same response without a check.

use std::path::Path;

use anyhow::{Result, ensure};

use super::footprint::get;
use super::load::{LoadRequest, send};
use super::measure::{Measurement, compare};
use super::servers::BenchServer;
use super::timed::TIMEOUT;
use super::{Effort, Programs};

/// Measures and prints a table. Includes another build of the server if one is given.
///
/// # Errors
/// When a program cannot be started, or a response is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort, against: Option<&Path>) -> Result<()> {
    let floor = programs.floor()?;
    let server = programs.on_sqlite()?;
    let unchecked = LoadRequest::Get {
        url: format!("{}/user", floor.base_url),
        header: None,
    };
    let checked = own_user(&server)?;
    let crowded = programs.with_many_operations()?;
    let beside_many = own_user(&crowded)?;
    let counting = programs.with_limit("1000000/1s")?;
    let counted = own_user(&counting)?;
    let limiting = programs.with_limit("1/3600s")?;
    let limited = over_the_limit(&limiting)?;
    let other = against.map(Programs::other).transpose()?;
    let by_other = other.as_ref().map(own_user).transpose()?;
    let mut measurements = vec![
        Measurement {
            name: "floor: the same body, without a token check",
            aim: None,
            run: Box::new(move |connections, seconds| send(&unchecked, connections, seconds)),
        },
        Measurement {
            name: "GET /api/v4/user with a token",
            aim: Some(0.85),
            run: Box::new(move |connections, seconds| send(&checked, connections, seconds)),
        },
        Measurement {
            name: "the same with 300 more operations",
            aim: None,
            run: Box::new(move |connections, seconds| send(&beside_many, connections, seconds)),
        },
        Measurement {
            name: "the same within a limit of the user",
            aim: None,
            run: Box::new(move |connections, seconds| send(&counted, connections, seconds)),
        },
        Measurement {
            name: "the same refused by the limit (429)",
            aim: None,
            run: Box::new(move |connections, seconds| send(&limited, connections, seconds)),
        },
    ];
    if let Some(by_other) = by_other {
        measurements.push(Measurement {
            name: "GET /api/v4/user with a token, the other build",
            aim: None,
            run: Box::new(move |connections, seconds| send(&by_other, connections, seconds)),
        });
    }
    compare("Authenticated GET", &measurements, effort)
}

/// The same request of a user who has reached the limit.
fn over_the_limit(server: &BenchServer) -> Result<LoadRequest> {
    let token = server.text("/developer/token")?;
    let url = format!("{}/api/v4/user", server.base_url);
    for status in [200, 429] {
        let answer = get(&url, &token, TIMEOUT)?;
        ensure!(answer.status == status, "{}", answer.status);
    }
    Ok(LoadRequest::Limited {
        url,
        header: format!("PRIVATE-TOKEN: {token}"),
    })
}

/// Request for the user who owns the token of the sample data.
fn own_user(server: &BenchServer) -> Result<LoadRequest> {
    let token = server.text("/developer/token")?;
    Ok(LoadRequest::Get {
        url: format!("{}/api/v4/user", server.base_url),
        header: Some(format!("PRIVATE-TOKEN: {token}")),
    })
}
