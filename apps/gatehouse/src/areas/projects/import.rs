//! Project imports (`PATH-02`).

use std::sync::Arc;

use actix_web::HttpResponse;
use alert_intake::model::KEY_PREFIX;
use api_conventions::access::Visibility;
use api_conventions::error::ApiError;
use api_conventions::params::ParamReader;
use api_conventions::reference::NamespaceRef;
use api_conventions::secret::PlainSecret;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::import_project::{ImportProject, import_project, was_imported};
use gatehouse_core::randomness::OsRandomness;
use projects::archive::{Archive, read};
use projects::flow::create_project::CreateProject;
use projects::flow::full_names::full_names;
use projects::{FullNames, Project, ProjectContent, ProjectEdit};
use records::EditFields as _;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get, post};

use super::change::namespace_id;
use super::import_status::ImportStatus;
use crate::frame::api::AsUser;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::{ReadApi, WriteApi};
use crate::state::Behaviour;

const TAG: &str = "projects";

/// Form field of the archive.
const FILE: &str = "file";

/// Hash of the values that override those of the archive.
const OVERRIDES: &str = "override_params";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let status = |status, about| ResponseSpec::json::<ImportStatus>(status, about);
    vec![
        post("importProject", "/api/v4/projects/import", import)
            .documented(
                TAG,
                "Import a project from an archive; importing into a group requires the Maintainer role",
            )
            .takes(form())
            .response(status(
                201,
                "The project, with everything from the archive.",
            ))
            .response(ResponseSpec::refusal(
                409,
                "The path or the name has already been taken.",
            ))
            .response(ResponseSpec::refusal(
                413,
                "The archive is too large, before or after decompression.",
            )),
        get("showProjectImport", "/api/v4/projects/{id}/import", show)
            .documented(TAG, "Get the import status of a project")
            .takes([PROJECT])
            .response(status(200, "The import status.")),
    ]
}

fn form() -> [Parameter; 10] {
    let short = ParameterKind::Text { min: 1, max: 255 };
    [
        Parameter::form(FILE, ParameterKind::File, "Archive from a project export.").required(),
        Parameter::form("path", short, "Last segment of the full path.").required(),
        Parameter::form("name", short, "Display name (default: the path)."),
        Parameter::form(
            "namespace",
            ParameterKind::Text { min: 1, max: 5120 },
            "Id or full path of the namespace (default: the caller's own).",
        ),
        Parameter::form(
            "overwrite",
            ParameterKind::False,
            "Only `false` is accepted: an existing project cannot be overwritten.",
        ),
        Parameter::form(
            "override_params[description]",
            ParameterKind::ANY_TEXT,
            "Description, instead of the one in the archive.",
        ),
        Parameter::form(
            "override_params[visibility]",
            ParameterKind::Word(&Visibility::NAMES),
            "Visibility, at most that of the group (default: the one in the archive).",
        ),
        Parameter::form(
            "override_params[name]",
            short,
            "Display name, if `name` is absent.",
        ),
        Parameter::form(
            "override_params[topics]",
            ParameterKind::Texts,
            "Topics, instead of those in the archive.",
        ),
        Parameter::form(
            "avatar",
            ParameterKind::Text { min: 0, max: 0 },
            "Accepted and ignored: python-gitlab sends an empty one with every file.",
        ),
    ]
}

/// Fields of a project that `override_params` does not accept: they have their own parameter, or cannot be overridden.
const NOT_OVERRIDDEN: [(&str, Option<&str>); 2] = [("path", None), ("settings", None)];

/// Values of an import request besides the archive.
#[derive(Debug, Clone)]
struct ImportRequest {
    namespace: Option<NamespaceRef>,
    name: Option<String>,
    path: String,
    overrides: ProjectEdit,
}

impl ImportRequest {
    fn read(request: &AsUser<WriteApi>) -> Result<Self, ApiError> {
        let overrides = request.params().nested(OVERRIDES)?.unwrap_or_default();
        let mut nested = overrides.reader();
        let overrides = ProjectEdit::read(&mut nested, &NOT_OVERRIDDEN);
        nested.finish()?;
        let mut read = request.params().reader();
        let namespace = read.word("namespace", NamespaceRef::parse_text);
        let name = read.text("name");
        let path = read.text("path").filter(|path| !path.is_empty());
        let path = read.required("path", path);
        refuse_overwrite(&mut read);
        read.finish()?;
        Ok(Self {
            namespace,
            name: name.filter(|name| !name.is_empty()),
            path: path.value()?,
            overrides,
        })
    }

    /// Returns the project to create, and its namespace.
    fn place(
        &self,
        tx: &mut dyn WriteTransaction,
        archive: &Archive,
        actor: Actor,
    ) -> Result<CreateProject, Failure> {
        let namespace = self.namespace.as_ref();
        Ok(CreateProject {
            content: self.content(archive),
            namespace: namespace.map(|one| namespace_id(tx, one)).transpose()?,
            viewer: actor.viewer,
            owner: actor.id,
            now: actor.now,
        })
    }

    /// Returns the content of the archive, with the overrides of the request applied.
    fn content(&self, archive: &Archive) -> ProjectContent {
        let archived = ProjectContent {
            description: archive.project.description.clone(),
            topics: archive.project.topics.clone(),
            settings: archive.project.settings.clone(),
            ..ProjectContent::default()
        };
        let mut content = self.overrides.apply(archived);
        content.path.clone_from(&self.path);
        if let Some(name) = &self.name {
            content.name.clone_from(name);
        }
        content.completed()
    }
}

/// Refuses `overwrite`.
/// An existing project is never replaced, because the lost data could not be restored.
fn refuse_overwrite(read: &mut ParamReader<'_>) {
    if read.boolean("overwrite") == Some(true) {
        read.fault(
            "overwrite",
            "is not supported: delete the project at the path, or choose another path",
        );
    }
}

async fn import(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let values = ImportRequest::read(&request)?;
    let archive = Arc::new(read_archive(&request).await?);
    let (actor, importer) = (request.actor(), Arc::new(request.caller().user.clone()));
    let developers_import = request.has(Behaviour::DeveloperImports);
    // The key is discarded: an Owner resets it to get a new one, which is shown once.
    let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness).digest();
    let created = request.write(move |tx| {
        let import = ImportProject {
            place: values.place(tx, &archive, actor)?,
            visibility: values.overrides.visibility,
            archive: Arc::clone(&archive),
            importer: Arc::clone(&importer),
            developers_import,
        };
        let project = import_project(tx, &import, key, actor).map_err(ApiError::from)?;
        with_names(tx, project)
    });
    let (project, names) = created.await?;
    let service = &request.settings().naming.service;
    let status = ImportStatus::finished(&project, &names, service, request.request_id());
    Ok(HttpResponse::Created().json(status))
}

/// Reads the archive of a request.
async fn read_archive(request: &AsUser<WriteApi>) -> Result<Archive, Failure> {
    let file = request.file(FILE).ok_or_else(|| missing_file(request))?;
    let archive = request.run_blocking(move || read(&file)).await?;
    Ok(archive.map_err(ApiError::from)?)
}

/// Error for a form without its file.
/// The archive cannot be sent as text.
fn missing_file(request: &AsUser<WriteApi>) -> ApiError {
    if request.params().get(FILE).is_some() {
        let problem = format!("{FILE} is invalid: send it as a file of multipart/form-data");
        return ApiError::invalid_parameters(&[problem]);
    }
    ApiError::missing_attribute(FILE)
}

fn with_names(
    tx: &mut dyn WriteTransaction,
    project: Project,
) -> Result<(Project, FullNames), Failure> {
    let names = full_names(tx, std::slice::from_ref(&project))?;
    Ok((project, names))
}

async fn show(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let found = request.read(move |tx, project, _| {
        let names = full_names(tx, std::slice::from_ref(&project))?;
        Ok((was_imported(tx, project.id)?, project, names))
    });
    let (was_imported, project, names) = found.await?;
    let service = &request.settings().naming.service;
    let status = if was_imported {
        ImportStatus::finished(&project, &names, service, None)
    } else {
        ImportStatus::none(&project, &names)
    };
    request.json(&status)
}
