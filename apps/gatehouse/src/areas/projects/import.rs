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
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get, post};

use super::change::namespace_id;
use super::import_status::ImportStatus;
use crate::frame::api::AsUser;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::{Read, Write};
use crate::state::Behaviour;

const TAG: &str = "projects";

/// Form field of the archive.
const FILE: &str = "file";

/// Hash of the values that override those of the archive.
const OVERRIDES: &str = "override_params";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let status = |status, about| Answer::json::<ImportStatus>(status, about);
    vec![
        post("importProject", "/api/v4/projects/import", import)
            .documented(
                TAG,
                "Make a project of an archive; into a group, it takes a Maintainer",
            )
            .takes(form())
            .answers(status(
                201,
                "The project is there with all that is in the archive.",
            ))
            .answers(Answer::refusal(
                409,
                "The path or the name has already been taken.",
            ))
            .answers(Answer::refusal(
                413,
                "The archive is too large, or unpacks to too much.",
            )),
        get("showProjectImport", "/api/v4/projects/{id}/import", show)
            .documented(TAG, "Show whether a project was made of an archive")
            .takes([PROJECT])
            .answers(status(200, "How its import went.")),
    ]
}

fn form() -> [Parameter; 10] {
    let short = Kind::Text { min: 1, max: 255 };
    [
        Parameter::form(
            FILE,
            Kind::File,
            "The archive, as the export of a project gives it.",
        )
        .required(),
        Parameter::form("path", short, "The last segment of the full path.").required(),
        Parameter::form(
            "name",
            short,
            "The name to show; the path when it is absent.",
        ),
        Parameter::form(
            "namespace",
            Kind::Text { min: 1, max: 5120 },
            "The number or the full path of the namespace to put it in; the caller's own one when it is absent.",
        ),
        Parameter::form(
            "overwrite",
            Kind::False,
            "Whether to take the place of the project at the path, which is not offered.",
        ),
        Parameter::form(
            "override_params[description]",
            Kind::ANY_TEXT,
            "What it is for, instead of what the archive says.",
        ),
        Parameter::form(
            "override_params[visibility]",
            Kind::Word(&Visibility::NAMES),
            "Who may see it; as the archive says when it is absent, as far as its group allows.",
        ),
        Parameter::form(
            "override_params[name]",
            short,
            "The name to show, where `name` is absent.",
        ),
        Parameter::form(
            "override_params[topics]",
            Kind::Texts,
            "What it is about, instead of what the archive says.",
        ),
        Parameter::form(
            "avatar",
            Kind::Text { min: 0, max: 0 },
            "Accepted and ignored: python-gitlab sends an empty one with every file.",
        ),
    ]
}

/// Fields of a project that `override_params` does not accept: they have their own parameter, or cannot be overridden.
const NOT_OVERRIDDEN: [(&str, Option<&str>); 2] = [("path", None), ("settings", None)];

/// Values of an import request besides the archive.
#[derive(Debug, Clone)]
struct Wanted {
    namespace: Option<NamespaceRef>,
    name: Option<String>,
    path: String,
    overrides: ProjectEdit,
}

impl Wanted {
    fn read(asked: &AsUser<Write>) -> Result<Self, ApiError> {
        let overrides = asked.params().nested(OVERRIDES)?.unwrap_or_default();
        let mut nested = overrides.reader();
        let overrides = ProjectEdit::read(&mut nested, &NOT_OVERRIDDEN);
        nested.finish()?;
        let mut read = asked.params().reader();
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
            "is not offered: delete the project at the path, or choose another path",
        );
    }
}

async fn import(asked: AsUser<Write>) -> Result<HttpResponse, Failure> {
    let wanted = Wanted::read(&asked)?;
    let archive = Arc::new(unpacked(&asked).await?);
    let (actor, importer) = (asked.by(), Arc::new(asked.who().user.clone()));
    let developers_import = asked.has(Behaviour::DeveloperImports);
    // The key is discarded: an Owner resets it to get a new one, which is shown once.
    let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness).digest();
    let made = asked.write(move |tx| {
        let request = ImportProject {
            place: wanted.place(tx, &archive, actor)?,
            visibility: wanted.overrides.visibility,
            archive: Arc::clone(&archive),
            importer: Arc::clone(&importer),
            developers_import,
        };
        let project = import_project(tx, &request, key, actor).map_err(ApiError::from)?;
        named(tx, project)
    });
    let (project, names) = made.await?;
    let service = &asked.settings().naming.service;
    let status = ImportStatus::finished(&project, &names, service, asked.request_id());
    Ok(HttpResponse::Created().json(status))
}

/// Reads the archive of a request.
async fn unpacked(asked: &AsUser<Write>) -> Result<Archive, Failure> {
    let file = asked.file(FILE).ok_or_else(|| missing_file(asked))?;
    let archive = asked.aside(move || read(&file)).await?;
    Ok(archive.map_err(ApiError::from)?)
}

/// Error for a form without its file.
/// The archive cannot be sent as text.
fn missing_file(asked: &AsUser<Write>) -> ApiError {
    if asked.params().get(FILE).is_some() {
        let problem = format!("{FILE} is invalid: send it as a file of multipart/form-data");
        return ApiError::invalid_parameters(&[problem]);
    }
    ApiError::missing_attribute(FILE)
}

fn named(tx: &mut dyn WriteTransaction, project: Project) -> Result<(Project, FullNames), Failure> {
    let names = full_names(tx, std::slice::from_ref(&project))?;
    Ok((project, names))
}

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let found = asked.read(move |tx, project, _| {
        let names = full_names(tx, std::slice::from_ref(&project))?;
        Ok((was_imported(tx, project.id)?, project, names))
    });
    let (was_imported, project, names) = found.await?;
    let service = &asked.settings().naming.service;
    let status = if was_imported {
        ImportStatus::finished(&project, &names, service, None)
    } else {
        ImportStatus::none(&project, &names)
    };
    asked.json(&status)
}
