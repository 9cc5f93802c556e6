//! The OAuth provider: durable use of codes and refresh tokens, and token look-ups.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tempfile::NamedTempFile;

use super::load::{Figures, LoadRequest, send};
use super::measure::{Measurement, compare, median};
use super::servers::BenchServer;
use super::{Effort, Programs};

/// Codes created for each second of load: more than any server uses.
const CODES_PER_SECOND: u32 = 40_000;
/// Pairs of tokens in rotation: more than there are connections, so that one is always available.
const PAIRS: usize = 1024;

/// Measures and prints three tables.
///
/// # Errors
/// When a program cannot be started, or a response is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort) -> Result<()> {
    durable(programs, effort)?;
    look_ups(programs, effort)?;
    passwords(programs, effort)
}

/// Credentials seeded into a server's database before the load.
struct Seed {
    basic: String,
    access_token: String,
    rest: NamedTempFile,
}

fn seed(programs: &Programs, server: &BenchServer, codes: usize, pairs: usize) -> Result<Seed> {
    let output = programs.seed(server, codes, pairs)?;
    let mut lines = output.lines();
    let mut next = || lines.next().context("the output of the seed is incomplete");
    let (client, secret, _, access) = (next()?, next()?, next()?, next()?);
    let mut rest = NamedTempFile::new()?;
    for line in lines {
        writeln!(rest, "{line}")?;
    }
    Ok(Seed {
        basic: STANDARD.encode(format!("{client}:{secret}")),
        access_token: access.to_owned(),
        rest,
    })
}

fn durable(programs: &Programs, effort: &Effort) -> Result<()> {
    // Held for the whole run, so that the PostgreSQL server is started once.
    let _cluster = programs.database()?;
    let floor = programs.floor()?;
    let parse = LoadRequest::Form {
        url: format!("{}/token", floor.base_url),
        basic: STANDARD.encode("client:secret"),
        body: "grant_type=refresh_token&refresh_token=ghor_0123456789012345678901234567890123456789012".to_owned(),
    };
    let measured =
        |name, aim, start: fn(&Programs) -> Result<BenchServer>, refreshes| Measurement {
            name,
            aim: Some(aim),
            run: Box::new(move |connections, seconds| {
                load(programs, &start(programs)?, refreshes, connections, seconds)
            }),
        };
    let measurements = [
        Measurement {
            name: "floor: parses the form, creates two tokens",
            aim: None,
            run: Box::new(move |connections, seconds| send(&parse, connections, seconds)),
        },
        measured("exchange, SQLite", 0.5, Programs::on_sqlite, false),
        measured("refresh, SQLite", 0.5, Programs::on_sqlite, true),
        measured("exchange, PostgreSQL", 0.5, Programs::on_postgres, false),
        measured("refresh, PostgreSQL", 0.5, Programs::on_postgres, true),
    ];
    compare("Codes and refresh tokens, durable", &measurements, effort)
}

fn load(
    programs: &Programs,
    server: &BenchServer,
    refreshes: bool,
    connections: u32,
    seconds: u32,
) -> Result<Figures> {
    let codes = if refreshes {
        0
    } else {
        CODES_PER_SECOND * seconds
    };
    let pairs = if refreshes { PAIRS } else { 0 };
    let seeded = seed(programs, server, usize::try_from(codes)?, pairs)?;
    let request = LoadRequest::Tokens {
        url: format!("{}/oauth/token", server.base_url),
        file: seeded.rest.path().to_owned(),
        basic: seeded.basic,
        refreshes,
    };
    send(&request, connections, seconds)
}

fn look_ups(programs: &Programs, effort: &Effort) -> Result<()> {
    let floor = programs.floor()?;
    let server = programs.on_sqlite()?;
    let seeded = seed(programs, &server, 0, 0)?;
    let bearer = format!("Authorization: Bearer {}", seeded.access_token);
    let floor_request = LoadRequest::Get {
        url: format!("{}/token_info", floor.base_url),
        header: Some(bearer.clone()),
    };
    let get = |path: &str| LoadRequest::Get {
        url: format!("{}{path}", server.base_url),
        header: Some(bearer.clone()),
    };
    let introspect = LoadRequest::Form {
        url: format!("{}/oauth/introspect", server.base_url),
        basic: seeded.basic,
        body: format!("token={}", seeded.access_token),
    };
    let measurement = |name, request: LoadRequest| Measurement {
        name,
        aim: Some(0.8),
        run: Box::new(move |connections, seconds| send(&request, connections, seconds)),
    };
    let measurements = [
        Measurement {
            name: "floor: a body of the same size",
            aim: None,
            run: Box::new(move |connections, seconds| send(&floor_request, connections, seconds)),
        },
        measurement("token info", get("/oauth/token/info")),
        measurement("userinfo", get("/oauth/userinfo")),
        measurement("introspection", introspect),
    ];
    compare("Token look-ups", &measurements, effort)
}

/// Number of connections that send passwords: more than there are cores, fewer than may wait.
const GUESTS: u32 = 4;
/// Number of connections that read meanwhile.
const READERS: u32 = 16;

/// Password checks, and their effect on other requests.
fn passwords(programs: &Programs, effort: &Effort) -> Result<()> {
    let server = programs.on_sqlite()?;
    let (client, secret) = (
        server.text("/oauth/client_id")?,
        server.text("/oauth/client_secret")?,
    );
    let sign_in = LoadRequest::Form {
        url: format!("{}/oauth/token", server.base_url),
        basic: STANDARD.encode(format!("{client}:{secret}")),
        body: format!(
            "grant_type=password&username={}&password={}",
            server.text("/developer/username")?,
            server.text("/developer/password")?
        ),
    };
    let read = LoadRequest::Get {
        url: format!("{}/api/v4/user", server.base_url),
        header: Some(format!("PRIVATE-TOKEN: {}", server.text("/admin/token")?)),
    };
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    let (mut undisturbed, mut signed_in) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        alone.push(send(&read, READERS, effort.seconds)?);
        undisturbed.push(send(&sign_in, GUESTS, effort.seconds)?);
        let (read, sign_in) = std::thread::scope(|scope| {
            let guests = scope.spawn(|| send(&sign_in, GUESTS, effort.seconds));
            (send(&read, READERS, effort.seconds), guests.join())
        });
        beside.push(read?);
        signed_in.push(sign_in.map_err(|_| anyhow::anyhow!("the load ended early"))??);
    }
    let of =
        |figures: &[Figures], part: fn(&Figures) -> f64| median(figures.iter().map(part).collect());
    println!("\n## Passwords: Argon2id, 19 MiB, two passes\n");
    println!("| | answers/s | p50 ms | p99 ms |");
    println!("| --- | --- | --- | --- |");
    for (name, figures) in [
        ("password grants over 4 connections, alone", &undisturbed),
        ("reads over 16 connections, alone", &alone),
        ("both at once: the password grants", &signed_in),
        ("both at once: the reads", &beside),
    ] {
        println!(
            "| {name} | {:.0} | {:.2} | {:.2} |",
            of(figures, |one| one.rate),
            of(figures, |one| one.median_ms),
            of(figures, |one| one.p99_ms),
        );
    }
    Ok(())
}
