//! `gatehouse project create`.

use anyhow::Context as _;
use api_conventions::access::Visibility;
use api_conventions::reference::FullPath;
use api_conventions::time::Clock as _;
use clap::{Args, Subcommand};
use gatehouse_core::clock::SystemClock;
use serde_json::json;

use crate::cli::output;
use crate::config::Overrides;
use crate::error_list::ErrorList;
use crate::frame::intake_urls::IntakeUrls;
use crate::provision::{self, NewProjectRequest};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ProjectCommand {
    /// Create a project; prints the URLs and the key of its alert endpoints, and the key only this once.
    Create(CreateProjectFlags),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CreateProjectFlags {
    /// Full path, GROUP/PROJECT; missing groups are created.
    #[arg(long)]
    path: String,
    /// Display name.
    #[arg(long)]
    name: Option<String>,
    /// Description.
    #[arg(long, default_value = "")]
    description: String,
    /// Visibility: private, internal or public.
    #[arg(long, default_value = "private")]
    visibility: String,
    /// Username of the creator.
    #[arg(long)]
    creator: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs `gatehouse project …`.
pub(in crate::cli) fn project(
    overrides: &Overrides,
    command: ProjectCommand,
) -> anyhow::Result<()> {
    let ProjectCommand::Create(flags) = command;
    let mut errors = ErrorList::default();
    let path = FullPath::parse(&flags.path).context("the path has an empty segment");
    let path = path.and_then(|path| {
        let is_inside = path.as_str().contains('/');
        anyhow::ensure!(is_inside, "the path must be GROUP/PROJECT");
        Ok(path)
    });
    let path = errors.take(path);
    let visibility = Visibility::parse(&flags.visibility);
    let visibility =
        errors.take(visibility.context("the visibility must be private, internal or public"));
    let opened = errors.take(super::open(overrides));
    let database = opened.as_ref().map(|(_, database)| database);
    let creator = super::find_named(&mut errors, database, &flags.creator);
    let (Some(path), Some(visibility), Some((settings, database)), Some(creator)) =
        (path, visibility, opened, creator)
    else {
        return Err(errors.into_error());
    };
    let request = NewProjectRequest {
        path,
        name: flags.name,
        description: flags.description,
        visibility,
        creator_id: creator.id,
        created_at: SystemClock.now(),
    };
    let (project, key) = provision::project(&database, request)?;
    database.close();
    let base_url = settings.server.base_url(settings.server.listen);
    let urls = IntakeUrls::new(&base_url, &project.full_path);
    if flags.json {
        let alerts = json!({ "generic_url": urls.generic, "metrics_url": urls.metrics, "key": key.reveal() });
        let body =
            json!({ "id": project.id, "path": project.full_path.as_str(), "alerts": alerts });
        return output::json(&body);
    }
    output::table(&[
        ("id", project.id.to_string()),
        ("path", project.full_path.as_str().to_owned()),
        ("generic alerts", urls.generic),
        ("Alertmanager alerts", urls.metrics),
        ("key", key.reveal().to_owned()),
    ]);
    Ok(())
}
