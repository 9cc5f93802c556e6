//! `gatehouse project …`: creates and lists projects.

use anyhow::Context as _;
use api_conventions::access::Visibility;
use api_conventions::ids::UserId;
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::reference::FullPath;
use api_conventions::time::Clock as _;
use clap::{Args, Subcommand};
use gatehouse_core::clock::SystemClock;
use projects::{Project, ProjectFilter, Viewer};
use serde_json::{Value, json};

use super::pages::{PER_PAGE, read};
use crate::cli::listing::{Listing, TableColumn};
use crate::cli::output;
use crate::config::Overrides;
use crate::error_list::ErrorList;
use crate::frame::intake_urls::IntakeUrls;
use crate::provision::{self, NewProjectRequest};

const COLUMNS: &[TableColumn] = &[
    ("id", 6),
    ("path", 32),
    ("visibility", 10),
    ("archived", 8),
    ("last_activity_at", 24),
    ("name", 0),
];

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ProjectCommand {
    /// Create a project; prints the URLs and the key of its alert endpoints, and the key only this once.
    Create(CreateProjectFlags),
    /// List all projects, oldest first.
    List(ListProjectsFlags),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ListProjectsFlags {
    /// Only projects whose name, full path or description contains this text.
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Only archived projects.
    #[arg(long)]
    archived: bool,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
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
    match command {
        ProjectCommand::Create(flags) => create(overrides, flags),
        ProjectCommand::List(flags) => list(overrides, flags),
    }
}

fn list(overrides: &Overrides, flags: ListProjectsFlags) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    // An administrator sees every project; no id means that none is the viewer's own.
    let mut filter = ProjectFilter::new(Viewer::Administrator(UserId::new(0)));
    filter.search = flags.search;
    filter.search_namespaces = true;
    filter.archived = flags.archived.then_some(true);
    let today = SystemClock.now().date();
    let listing = Listing::begin(COLUMNS, flags.json);
    loop {
        let (next, page) = (
            filter.clone(),
            KeysetPage::new(PER_PAGE, SortOrder::Ascending),
        );
        let slice = read(&database, move |tx| {
            tx.list_projects_by_key(&next, today, page)
        })?;
        filter.id_after = slice.items.last().map(|project| project.id);
        slice
            .items
            .iter()
            .try_for_each(|project| listing.row(&row(project)))?;
        if !slice.has_next {
            break;
        }
    }
    database.close();
    Ok(())
}

fn row(project: &Project) -> Value {
    json!({
        "id": project.id,
        "path": project.full_path.as_str(),
        "name": project.name,
        "visibility": project.visibility.as_str(),
        "archived": project.archived,
        "created_at": project.created_at.to_string(),
        "last_activity_at": project.last_activity_at.to_string(),
    })
}

fn create(overrides: &Overrides, flags: CreateProjectFlags) -> anyhow::Result<()> {
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
    let base_url = settings.server.base_url(&settings.server.listen);
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
