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
use projects::flow::error::PlaceError;
use projects::model::OfProjects;
use projects::{Project, ProjectContent, ProjectEdit};
use records::EditFields as _;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, post, put};

use super::shown::{Described, Shown};
use crate::frame::api::{ApiRequest, AsUser};
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, Owner, Write};
use crate::frame::settings::setting_parameters;

const TAG: &str = "projects";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let one = |status, about| Answer::json::<Shown>(status, about);
    let taken = || Answer::refusal(409, "The path or the name has already been taken.");
    let namespace = Parameter::body(
        "namespace_id",
        Kind::ID,
        "The namespace to put it in; the caller's own one when it is absent.",
    );
    let to = Parameter::body(
        "namespace",
        Kind::Text { min: 1, max: 5120 },
        "The number or the full path of the namespace to move it to.",
    );
    vec![
        post("createProject", "/api/v4/projects", create)
            .documented(TAG, "Make a project: it needs a name or a path")
            .takes(content())
            .takes([namespace, README])
            .answers(one(201, "The project."))
            .answers(taken()),
        put("updateProject", "/api/v4/projects/{id}", update)
            .documented(
                TAG,
                "Change a project; its visibility and its path are changed by Owners",
            )
            .takes([PROJECT])
            .takes(content())
            .answers(one(200, "The project as it is now."))
            .answers(taken()),
        post("archiveProject", "/api/v4/projects/{id}/archive", archive)
            .documented(
                TAG,
                "Archive a project: nothing in it is written from then on",
            )
            .takes([PROJECT])
            .answers(one(201, "The project as it is now.")),
        post(
            "unarchiveProject",
            "/api/v4/projects/{id}/unarchive",
            unarchive,
        )
        .documented(TAG, "End the archiving of a project")
        .takes([PROJECT])
        .answers(one(201, "The project as it is now.")),
        put(
            "transferProject",
            "/api/v4/projects/{id}/transfer",
            transfer,
        )
        .documented(TAG, "Move a project into another namespace")
        .takes([PROJECT, to.required()])
        .answers(one(200, "The project as it is now."))
        .answers(taken()),
    ]
}

/// Parameter for an initial README.
/// Repositories are not hosted, so a project cannot start with a file.
const README: Parameter = Parameter::body(
    "initialize_with_readme",
    Kind::False,
    "Accepted as `false` alone: there is no repository to begin.",
);

fn content() -> Vec<Parameter> {
    let mut all = vec![
        Parameter::body("name", Kind::Text { min: 1, max: 255 }, "The name to show."),
        Parameter::body(
            "path",
            Kind::Text { min: 1, max: 255 },
            "The last segment of the full path; made of the name when it is absent.",
        ),
        Parameter::body("description", Kind::ANY_TEXT, "What it is for."),
        Parameter::body(
            "visibility",
            Kind::Word(&Visibility::NAMES),
            "Who may see it; nobody who does not see its group.",
        ),
        Parameter::body("topics", Kind::Texts, "What it is about."),
        Parameter::body("tag_list", Kind::Texts, "The old name of `topics`."),
        Parameter::body(
            "issues_enabled",
            Kind::True,
            "Accepted as `true` alone: every project has issues.",
        ),
    ];
    all.extend(setting_parameters::<OfProjects>());
    let fixed = |(name, value): &(&'static str, &'static [&'static str])| {
        let about = "Accepted with the value that every project has.";
        Parameter::body(name, Kind::Word(value), about)
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
    let renamed: records::Renamed = if read.is_given("topics") {
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
const NOT_CHANGED: &str = "is a setting that this server does not have: leave it out";

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

async fn create(asked: AsUser<Write>) -> Result<HttpResponse, Failure> {
    let (edit, namespace) = read_new(asked.params())?;
    let actor = asked.by();
    let request = CreateProject {
        content: edit.apply(ProjectContent::default()).completed(),
        namespace,
        viewer: actor.viewer,
        owner: actor.id,
        now: actor.now,
    };
    // The key is discarded: an Owner resets it to get a new one, which is shown once.
    let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness).digest();
    let made = asked.write(move |tx| {
        let request = request.clone();
        described(tx, actor, |tx| create_project(tx, request, key, actor))
    });
    let (project, described) = made.await?;
    Ok(HttpResponse::Created().json(described.show(&project, false, asked.base_url())))
}

async fn update(asked: InProject<Maintainer, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let edit = read_edit(&mut read);
    read.finish()?;
    let actor = asked.by();
    let changed = asked.manage(move |tx, project, access| {
        described(tx, actor, |tx| {
            change_project(tx, project.id, &edit, (access, actor))
        })
    });
    let (project, described) = changed.await?;
    asked.json(&described.show(&project, false, asked.base_url()))
}

async fn archive(asked: InProject<Owner, Write>) -> Result<HttpResponse, Failure> {
    set_archived(asked, true).await
}

async fn unarchive(asked: InProject<Owner, Write>) -> Result<HttpResponse, Failure> {
    set_archived(asked, false).await
}

async fn set_archived(
    asked: InProject<Owner, Write>,
    archived: bool,
) -> Result<HttpResponse, Failure> {
    let actor = asked.by();
    let changed = asked.manage(move |tx, project, _| {
        described(tx, actor, |tx| {
            archive_project(tx, project.id, archived, actor)
        })
    });
    let (project, described) = changed.await?;
    Ok(HttpResponse::Created().json(described.show(&project, false, asked.base_url())))
}

async fn transfer(asked: InProject<Owner, Write>) -> Result<HttpResponse, Failure> {
    let to = read_target(&asked)?;
    let actor = asked.by();
    let moved = asked.manage(move |tx, project, _| {
        let to = namespace_id(tx, &to)?;
        described(tx, actor, |tx| move_project(tx, project.id, to, actor))
    });
    let (project, described) = moved.await?;
    asked.json(&described.show(&project, false, asked.base_url()))
}

/// Parses the target namespace of a transfer.
fn read_target(asked: &ApiRequest) -> Result<NamespaceRef, ApiError> {
    let mut read = asked.params().reader();
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
            let refused = || ApiError::from(PlaceError::of("namespace", "is not valid"));
            let found = tx.find_namespace(path)?;
            Ok(found.ok_or_else(refused)?.id)
        }
    }
}

/// Runs some work on a project, and loads the data for its JSON.
fn described(
    tx: &mut dyn WriteTransaction,
    actor: Actor,
    work: impl FnOnce(&mut dyn WriteTransaction) -> Result<Project, PlaceError>,
) -> Result<(Project, Described), Failure> {
    let project = work(tx).map_err(ApiError::from)?;
    let described = Described::read_one(tx, &project, actor.viewer, actor.now)?;
    Ok((project, described))
}
