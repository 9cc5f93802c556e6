//! `gatehouse version`.

use clap::Args;
use serde_json::json;

use super::output;

/// Commit of the sources; packagers set the variable, other builds do not know it.
const COMMIT: Option<&str> = option_env!("GATEHOUSE_BUILD_COMMIT");

/// Optional features of the build.
const FEATURES: [(&str, bool); 2] = [
    ("mimalloc", cfg!(feature = "mimalloc")),
    ("postgres-tls", cfg!(feature = "postgres-tls")),
];

#[derive(Debug, Args)]
pub(super) struct VersionFlags {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints the version, the commit, the features and the platform of the program.
pub(super) fn version(flags: &VersionFlags) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let features = FEATURES.iter().filter(|(_, is_on)| *is_on);
    let features: Vec<&str> = features.map(|(name, _)| *name).collect();
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    if flags.json {
        return output::json(&json!({
            "version": version,
            "commit": COMMIT,
            "features": features,
            "target": target,
        }));
    }
    output::table(&[
        ("version", version.to_owned()),
        ("commit", COMMIT.unwrap_or("unknown").to_owned()),
        ("features", features.join(" ")),
        ("target", target),
    ]);
    Ok(())
}
