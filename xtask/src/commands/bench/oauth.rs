//! The OAuth provider: codes and refresh tokens that are used durably, and tokens that are looked up.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tempfile::NamedTempFile;

use super::load::{Figures, Request, send};
use super::measure::{Subject, compare, median};
use super::servers::Running;
use super::{Effort, Programs};

/// Codes that are made for each second of load: more than any server uses.
const CODES_PER_SECOND: u32 = 40_000;
/// Pairs of tokens that are in turn: more than there are connections, so that one is always at hand.
const PAIRS: usize = 1024;

/// Measures and prints three tables.
///
/// # Errors
/// When something cannot be started, or an answer is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort) -> Result<()> {
    durable(programs, effort)?;
    look_ups(programs, effort)?;
    passwords(programs, effort)
}

/// What was written into a server's database to begin with.
struct Seed {
    basic: String,
    access_token: String,
    rest: NamedTempFile,
}

fn seed(programs: &Programs, server: &Running, codes: usize, pairs: usize) -> Result<Seed> {
    let response = programs.seed(server, codes, pairs)?;
    let mut lines = response.lines();
    let mut next = || lines.next().context("the seed tells less than it should");
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
    let parse = Request::Form {
        url: format!("{}/token", floor.base_url),
        basic: STANDARD.encode("client:secret"),
        body: "grant_type=refresh_token&refresh_token=ghor_0123456789012345678901234567890123456789012".to_owned(),
    };
    let measured = |name, aim, start: fn(&Programs) -> Result<Running>, refreshes| Subject {
        name,
        aim: Some(aim),
        run: Box::new(move |connections, seconds| {
            load(programs, &start(programs)?, refreshes, connections, seconds)
        }),
    };
    let subjects = [
        Subject {
            name: "floor: parses the form, makes two tokens",
            aim: None,
            run: Box::new(move |connections, seconds| send(&parse, connections, seconds)),
        },
        measured("exchange, SQLite", 0.5, Programs::on_sqlite, false),
        measured("refresh, SQLite", 0.5, Programs::on_sqlite, true),
        measured("exchange, PostgreSQL", 0.5, Programs::on_postgres, false),
        measured("refresh, PostgreSQL", 0.5, Programs::on_postgres, true),
    ];
    compare("Codes and refresh tokens, durable", &subjects, effort)
}

fn load(
    programs: &Programs,
    server: &Running,
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
    let request = Request::Tokens {
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
    let response = Request::Get {
        url: format!("{}/token_info", floor.base_url),
        header: Some(bearer.clone()),
    };
    let get = |path: &str| Request::Get {
        url: format!("{}{path}", server.base_url),
        header: Some(bearer.clone()),
    };
    let introspect = Request::Form {
        url: format!("{}/oauth/introspect", server.base_url),
        basic: seeded.basic,
        body: format!("token={}", seeded.access_token),
    };
    let subject = |name, request: Request| Subject {
        name,
        aim: Some(0.8),
        run: Box::new(move |connections, seconds| send(&request, connections, seconds)),
    };
    let subjects = [
        Subject {
            name: "floor: a body of the same size",
            aim: None,
            run: Box::new(move |connections, seconds| send(&response, connections, seconds)),
        },
        subject("token info", get("/oauth/token/info")),
        subject("userinfo", get("/oauth/userinfo")),
        subject("introspection", introspect),
    ];
    compare("Tokens looked up", &subjects, effort)
}

/// How many connections send passwords: more than there are cores, fewer than may wait.
const GUESTS: u32 = 4;
/// How many connections read meanwhile.
const READERS: u32 = 16;

/// Passwords that are checked, and what others notice of it.
fn passwords(programs: &Programs, effort: &Effort) -> Result<()> {
    let server = programs.on_sqlite()?;
    let (client, secret) = (
        server.text("/oauth/client_id")?,
        server.text("/oauth/client_secret")?,
    );
    let sign_in = Request::Form {
        url: format!("{}/oauth/token", server.base_url),
        basic: STANDARD.encode(format!("{client}:{secret}")),
        body: format!(
            "grant_type=password&username={}&password={}",
            server.text("/developer/username")?,
            server.text("/developer/password")?
        ),
    };
    let read = Request::Get {
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
        signed_in.push(sign_in.map_err(|_| anyhow::anyhow!("the load broke off"))??);
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
