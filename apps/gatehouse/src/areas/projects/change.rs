//! Creating and updating projects (`PATH-02`).

use actix_web::HttpResponse;
use alert_intake::model::KEY_PREFIX;
use api_conventions::access::Visibility;
use api_conventions::error::ApiError;
use api_conventions::ids::NamespaceId;
use api_conventions::params::{ParamReader, Params};
use api_conventions::reference::NamespaceRef;
use api_conventions::secret::PlainSecret;
use gatehouse_core::database::{ReadTransaction, WriteTransaction};
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::projects::{
    archive_project, change_project, create_project, move_project,
};
use gatehouse_core::randomness::OsRandomness;
use projects::flow::create_project::CreateProject;
use projects::flow::error::NamespaceError;
use projects::model::ProjectSettingTable;
use projects::{Project, ProjectContent, ProjectEdit};
use records::EditFields as _;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, post, put};

use super::view::{ProjectRelations, ProjectView};
use crate::frame::api::{ApiRequest, AsUser};
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, Owner, WriteApi};
use crate::frame::settings::setting_parameters;

const TAG: &str = "projects";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let one = |status, about| ResponseSpec::json::<ProjectView>(status, about);
    let name_conflict =
        || ResponseSpec::refusal(409, "The path or the name has already been taken.");
    let namespace = Parameter::body(
        "namespace_id",
        ParameterKind::ID,
        "Namespace of the project (default: the caller's own).",
    );
    let to = Parameter::body(
        "namespace",
        ParameterKind::Text { min: 1, max: 5120 },
        "Id or full path of the new namespace.",
    );
    vec![
        post("createProject", "/api/v4/projects", create)
            .documented(TAG, "Create a project; a name or a path is required")
            .takes(content())
            .takes([namespace, README])
            .response(one(201, "The project."))
            .response(name_conflict()),
        put("updateProject", "/api/v4/projects/{id}", update)
            .documented(
                TAG,
                "Update a project; only Owners can change its visibility and path",
            )
            .takes([PROJECT])
            .takes(content())
            .response(one(200, "The updated project."))
            .response(name_conflict()),
        post("archiveProject", "/api/v4/projects/{id}/archive", archive)
            .documented(TAG, "Archive a project, which makes it read-only")
            .takes([PROJECT])
            .response(one(201, "The updated project.")),
        post(
            "unarchiveProject",
            "/api/v4/projects/{id}/unarchive",
            unarchive,
        )
        .documented(TAG, "Unarchive a project")
        .takes([PROJECT])
        .response(one(201, "The updated project.")),
        put(
            "transferProject",
            "/api/v4/projects/{id}/transfer",
            transfer,
        )
        .documented(TAG, "Transfer a project to another namespace")
        .takes([PROJECT, to.required()])
        .response(one(200, "The updated project."))
        .response(name_conflict()),
    ]
}

/// Parameter for an initial README.
/// Repositories are not hosted, so a project cannot start with a file.
const README: Parameter = Parameter::body(
    "initialize_with_readme",
    ParameterKind::False,
    "Only `false` is accepted: projects have no repository.",
);

fn content() -> Vec<Parameter> {
    let mut all = vec![
        Parameter::body(
            "name",
            ParameterKind::Text { min: 1, max: 255 },
            "Display name.",
        ),
        Parameter::body(
            "path",
            ParameterKind::Text { min: 1, max: 255 },
            "Last segment of the full path (default: derived from the name).",
        ),
        Parameter::body(
            "description",
            ParameterKind::ANY_TEXT,
            "Description of the project.",
        ),
        Parameter::body(
            "visibility",
            ParameterKind::Word(&Visibility::NAMES),
            "Visibility, at most that of the group.",
        ),
        Parameter::body("topics", ParameterKind::Texts, "Topics of the project."),
        Parameter::body(
            "tag_list",
            ParameterKind::Texts,
            "Deprecated alias of `topics`.",
        ),
        Parameter::body(
            "issues_enabled",
            ParameterKind::True,
            "Only `true` is accepted: every project has issues.",
        ),
    ];
    all.extend(setting_parameters::<ProjectSettingTable>());
    let fixed = |(name, value): &(&'static str, &'static [&'static str])| {
        let about = "Only the value that all projects have is accepted.";
        Parameter::body(name, ParameterKind::Word(value), about)
    };
    all.extend(FIXED.iter().map(fixed));
    all
}

/// Settings of features that every project has, or that no project has, with their only value.
/// They control access, so the server must not store a value that it does not enforce.
const FIXED: [(&str, &[&str]); 4] = [
    ("import_url", &[""]),
    ("issues_access_level", &["enabled"]),
    ("monitor_access_level", &["enabled"]),
    ("operations_access_level", &["enabled"]),
];

/// Parses the changes to a project.
fn read_edit(read: &mut ParamReader<'_>) -> ProjectEdit {
    // An unused parameter is read too, so that invalid values are reported.
    read.texts("tag_list");
    let renamed: records::ParamNames = if read.is_given("topics") {
        &[]
    } else {
        &[("topics", Some("tag_list"))]
    };
    let edit = ProjectEdit::read(read, renamed);
    for (name, values) in FIXED {
        if read
            .text(name)
            .is_some_and(|text| !values.contains(&text.as_str()))
        {
            read.fault(name, NOT_CHANGED);
        }
    }
    if read.boolean("issues_enabled") == Some(false) {
        read.fault("issues_enabled", NOT_CHANGED);
    }
    edit
}

/// Message for a different value of a setting that is the same in every project.
const NOT_CHANGED: &str = "is a setting that this server does not support: leave it out";

/// Parses the content and the namespace of a new project.
fn read_new(params: &Params) -> Result<(ProjectEdit, Option<NamespaceId>), ApiError> {
    let mut read = params.reader();
    let edit = read_edit(&mut read);
    let namespace = read.integer("namespace_id").map(NamespaceId::new);
    if read.boolean(README.name) == Some(true) {
        read.fault(README.name, NOT_CHANGED);
    }
    read.demand_one_of(&["name", "path"]);
    read.finish()?;
    Ok((edit, namespace))
}

async fn create(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let (edit, namespace) = read_new(request.params())?;
    let actor = request.actor();
    let creation = CreateProject {
        content: edit.apply(ProjectContent::default()).completed(),
        namespace,
        viewer: actor.viewer,
        owner: actor.id,
        now: actor.now,
    };
    // The key is discarded: an Owner resets it to get a new one, which is shown once.
    let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness).digest();
    let created = request.write(move |tx| {
        let creation = creation.clone();
        with_relations(tx, actor, |tx| create_project(tx, creation, key, actor))
    });
    let (project, relations) = created.await?;
    Ok(HttpResponse::Created().json(relations.show(&project, false, request.base_url())))
}

async fn update(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let edit = read_edit(&mut read);
    read.finish()?;
    let actor = request.actor();
    let changed = request.manage(move |tx, project, access| {
        with_relations(tx, actor, |tx| {
            change_project(tx, project.id, &edit, access, actor)
        })
    });
    let (project, relations) = changed.await?;
    request.json(&relations.show(&project, false, request.base_url()))
}

async fn archive(request: InProject<Owner, WriteApi>) -> Result<HttpResponse, Failure> {
    set_archived(request, true).await
}

async fn unarchive(request: InProject<Owner, WriteApi>) -> Result<HttpResponse, Failure> {
    set_archived(request, false).await
}

async fn set_archived(
    request: InProject<Owner, WriteApi>,
    archived: bool,
) -> Result<HttpResponse, Failure> {
    let actor = request.actor();
    let changed = request.manage(move |tx, project, _| {
        with_relations(tx, actor, |tx| {
            archive_project(tx, project.id, archived, actor)
        })
    });
    let (project, relations) = changed.await?;
    Ok(HttpResponse::Created().json(relations.show(&project, false, request.base_url())))
}

async fn transfer(request: InProject<Owner, WriteApi>) -> Result<HttpResponse, Failure> {
    let to = read_target(&request)?;
    let actor = request.actor();
    let moved = request.manage(move |tx, project, _| {
        let to = namespace_id(tx, &to)?;
        with_relations(tx, actor, |tx| move_project(tx, project.id, to, actor))
    });
    let (project, relations) = moved.await?;
    request.json(&relations.show(&project, false, request.base_url()))
}

/// Parses the target namespace of a transfer.
fn read_target(request: &ApiRequest) -> Result<NamespaceRef, ApiError> {
    let mut read = request.params().reader();
    let namespace = read.word("namespace", NamespaceRef::parse_text);
    let namespace = read.required("namespace", namespace);
    read.finish()?;
    namespace.value()
}

/// Resolves a namespace to its id.
/// The flow that uses the id checks if the caller may view the namespace.
pub(super) fn namespace_id(
    tx: &mut dyn ReadTransaction,
    reference: &NamespaceRef,
) -> Result<NamespaceId, Failure> {
    match reference {
        NamespaceRef::Id(id) => Ok(*id),
        NamespaceRef::Path(path) => {
            let refused = || ApiError::from(NamespaceError::of("namespace", "is not valid"));
            let found = tx.find_namespace(path)?;
            Ok(found.ok_or_else(refused)?.id)
        }
    }
}

/// Runs some work on a project, and loads the data for its JSON.
fn with_relations(
    tx: &mut dyn WriteTransaction,
    actor: Actor,
    work: impl FnOnce(&mut dyn WriteTransaction) -> Result<Project, NamespaceError>,
) -> Result<(Project, ProjectRelations), Failure> {
    let project = work(tx).map_err(ApiError::from)?;
    let relations = ProjectRelations::read_one(tx, &project, actor.viewer, actor.now)?;
    Ok((project, relations))
}
