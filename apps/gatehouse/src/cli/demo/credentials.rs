//! Output of the demo, and storage of its credentials.
//! The database holds only digests, so a second start on the same data reads the credentials from a file next to it
//! that only its owner can read.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use api_conventions::ids::ProjectId;
use api_conventions::reference::FullPath;
use api_conventions::secret::PlainSecret;
use error_tracking::model::PublicKey;
use error_tracking::wire::dsn_with;
use serde::{Deserialize, Serialize};
use storage::{Lane, StoreError};

use crate::cli::output;
use crate::config::DatabaseUrl;
use crate::data_files::DEMO_CREDENTIALS;
use crate::frame::intake_urls::{IntakeUrls, collector_url};
use gatehouse_core::database::Database;

/// All secrets of the sample data.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct DemoCredentials {
    pub(super) admin: DemoUser,
    pub(super) developer: DemoUser,
    pub(super) reporter: DemoUser,
    pub(super) project: DemoProject,
    pub(super) alert_key: String,
    /// Client key.
    /// Data created by an older version has none.
    #[serde(default)]
    pub(super) tracker_key: Option<String>,
    pub(super) oauth: DemoOAuth,
}

/// Applications of the demo: a confidential one and a public one.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct DemoOAuth {
    pub(super) client_id: String,
    pub(super) client_secret: String,
    /// Redirect URI of both; the public one may use another port.
    pub(super) redirect_uri: String,
    pub(super) public_client_id: String,
}

/// User of the demo.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct DemoUser {
    pub(super) id: i64,
    pub(super) username: String,
    pub(super) password: String,
    pub(super) token: String,
}

/// Project of the demo.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct DemoProject {
    pub(super) id: i64,
    pub(super) path: String,
}

impl DemoCredentials {
    fn file(directory: &Path) -> PathBuf {
        directory.join(DEMO_CREDENTIALS)
    }

    /// Loads the credentials of an earlier start on the same data.
    pub(super) fn load(directory: &Path) -> anyhow::Result<Option<Self>> {
        let file = Self::file(directory);
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.with_context(|| format!("cannot read {}", file.display()))?,
        };
        let read = serde_json::from_str(&text).with_context(|| {
            let (file, directory) = (file.display(), directory.display());
            format!("{file} is not valid; restore it, or delete {directory} to start over")
        });
        read.map(Some)
    }

    /// Checks that the credentials belong to this database.
    ///
    /// # Errors
    /// If they do not, or if the store fails.
    pub(super) fn check(
        &self,
        database: &Database,
        directory: &Path,
        url: &DatabaseUrl,
    ) -> anyhow::Result<()> {
        let digest = PlainSecret::new(&self.admin.token).digest();
        let found: Result<_, StoreError> = database
            .read(Lane::Shared, move |tx| tx.find_token_by_digest(&digest))
            .wait();
        let file = Self::file(directory);
        anyhow::ensure!(
            found?.is_some(),
            "the credentials in {file} do not belong to the database {url}; delete {file} if the database is new, \
             or choose another directory with --data",
            file = file.display(),
        );
        Ok(())
    }

    /// Saves the credentials for the next start.
    pub(super) fn save(&self, directory: &Path) -> anyhow::Result<()> {
        let file = Self::file(directory);
        let text = serde_json::to_string(self)?;
        write_private(&file, &text).with_context(|| format!("cannot write {}", file.display()))
    }
}

/// Writes a new file that only its owner can read.
fn write_private(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Credentials with their URLs, for printing.
#[derive(Serialize)]
pub(super) struct Demo {
    base_url: String,
    admin: DemoUser,
    developer: DemoUser,
    reporter: DemoUser,
    project: DemoProject,
    alerts: DemoAlerts,
    #[serde(skip_serializing_if = "Option::is_none")]
    tracker: Option<DemoTracker>,
    oauth: DemoOAuth,
}

/// Target of error reports.
#[derive(Serialize)]
struct DemoTracker {
    dsn: String,
}

#[derive(Serialize)]
struct DemoAlerts {
    generic_url: String,
    metrics_url: String,
    key: String,
}

impl Demo {
    pub(super) fn new(credentials: DemoCredentials, base_url: &str) -> Self {
        let urls =
            FullPath::parse(&credentials.project.path).map(|path| IntakeUrls::new(base_url, &path));
        let (generic_url, metrics_url) = urls
            .map(|urls| (urls.generic, urls.metrics))
            .unwrap_or_default();
        let project = ProjectId::new(credentials.project.id);
        let key = credentials.tracker_key.as_deref();
        let collector = collector_url(base_url);
        let dsn = key.and_then(|key| dsn_with(PublicKey::parse(key)?, project, &collector));
        Self {
            tracker: dsn.map(|dsn| DemoTracker { dsn }),
            base_url: base_url.to_owned(),
            alerts: DemoAlerts {
                generic_url,
                metrics_url,
                key: credentials.alert_key,
            },
            admin: credentials.admin,
            developer: credentials.developer,
            reporter: credentials.reporter,
            project: credentials.project,
            oauth: credentials.oauth,
        }
    }

    /// Prints everything in readable form, with lines to paste.
    pub(super) fn print(&self) {
        output::line(&format!("Gatehouse is at {}\n", self.base_url));
        output::line(&format!(
            "Open {}/{}/-/alert_management first, and sign in as {} / {}\n",
            self.base_url, self.project.path, self.developer.username, self.developer.password
        ));
        let user = |user: &DemoUser| format!("{} / {}", user.username, user.password);
        output::table(&[
            ("administrator", user(&self.admin)),
            ("  token (api, sudo)", self.admin.token.clone()),
            ("developer", user(&self.developer)),
            ("  token (api)", self.developer.token.clone()),
            ("reporter", user(&self.reporter)),
            ("  token (api)", self.reporter.token.clone()),
            (
                "project",
                format!("{} (id {})", self.project.path, self.project.id),
            ),
            ("alerts, generic", self.alerts.generic_url.clone()),
            ("alerts, Alertmanager", self.alerts.metrics_url.clone()),
            ("alert key", self.alerts.key.clone()),
            (
                "errors, DSN",
                self.tracker
                    .as_ref()
                    .map_or_else(String::new, |tracker| tracker.dsn.clone()),
            ),
            ("client ID", self.oauth.client_id.clone()),
            ("  secret", self.oauth.client_secret.clone()),
            ("public client ID", self.oauth.public_client_id.clone()),
            ("redirect URI", self.oauth.redirect_uri.clone()),
        ]);
        output::line(&self.lines_to_paste());
    }

    fn lines_to_paste(&self) -> String {
        let Self {
            base_url,
            developer,
            project,
            alerts,
            ..
        } = self;
        format!(
            "\nList the alerts and the events:\n  \
               curl -H 'PRIVATE-TOKEN: {token}' '{base_url}/api/v4/projects/{id}/alert_management_alerts'\n  \
               curl -H 'PRIVATE-TOKEN: {token}' '{base_url}/api/v4/projects/{id}/events'\n\
             \nSend an alert:\n  \
               curl -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \
               -d '{{\"title\":\"Disk full\",\"severity\":\"high\"}}' '{generic}'\n\
             \nReceiver for the configuration of Alertmanager:\n  \
               receivers:\n  \
               - name: gatehouse\n    \
                 webhook_configs:\n    \
                 - url: '{metrics}'\n      \
                   http_config: {{ authorization: {{ credentials: '{key}' }} }}\n",
            token = developer.token,
            id = project.id,
            key = alerts.key,
            generic = alerts.generic_url,
            metrics = alerts.metrics_url,
        )
    }
}
