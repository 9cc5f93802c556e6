//! `/api/v4/namespaces`: the namespaces that can contain projects.

use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::NamespaceId;
use api_conventions::paging::Paging;
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef, is_slug};
use gatehouse_core::database::ReadTransaction;
use projects::flow::groups::find_visible_group;
use projects::wire::NamespaceJson;
use projects::{Namespace, NamespaceFilter, NamespaceKind, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, Unbuilt, get};

use crate::frame::api::AsUser;
use crate::frame::scopes::Read;
use gatehouse_core::flows::groups::Actor;

const TAG: &str = "namespaces";
const NAMESPACE: Parameter = Parameter::path(
    "id",
    Kind::Place,
    "The number of the namespace, or its full path, percent-encoded.",
);

/// The operations.
pub fn operations() -> Vec<Operation> {
    vec![
        get("listNamespaces", "/api/v4/namespaces", list)
            .documented(TAG, "List the caller's own namespace and the groups of the caller; for administrators all")
            .takes([
                Parameter::query(
                    "search",
                    Kind::ANY_TEXT,
                    "Only namespaces whose name or path contains this.",
                ),
                Parameter::query(
                    "owned_only",
                    Kind::Boolean,
                    "Only namespaces that the caller owns.",
                ),
            ])
            .lacks([Unbuilt::Flag("top_level_only")])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<NamespaceJson>>(200, "A page, by number.")),
        get("showNamespace", "/api/v4/namespaces/{id}", show)
            .documented(TAG, "Show a namespace that the caller sees")
            .takes([NAMESPACE])
            .answers(Answer::json::<NamespaceJson>(200, "The namespace.")),
        get(
            "namespaceExists",
            "/api/v4/namespaces/{id}/exists",
            exists,
        )
        .documented(TAG, "Tell whether a path is taken, and one that is free")
        .takes([
            Parameter::path("id", Kind::Text { min: 1, max: 255 }, "The path that is wanted."),
            Parameter::query(
                "parent_id",
                Kind::ANY_INTEGER,
                "The group in which it is wanted; among the outermost ones without it.",
            ),
        ])
        .answers(Answer::json::<Existence>(200, "Whether it is taken.")),
    ]
}

/// Availability of a path.
#[derive(Debug, Serialize, JsonSchema)]
struct Existence {
    exists: bool,
    /// Free paths to use if the requested one is in use.
    suggests: Vec<String>,
}

/// Numbers tried in the search for a free path.
const SUGGESTIONS: u32 = 9;

async fn exists(asked: AsUser<Read>) -> Result<HttpResponse, Failure> {
    let wanted = asked.segment(NAMESPACE.name, "Namespace")?;
    let mut read = asked.params().reader();
    let parent = read.integer("parent_id").map(NamespaceId::new);
    if !is_slug(&wanted) {
        read.fault("id", "is invalid");
    }
    read.finish()?;
    let actor = asked.by();
    let answer = asked.read(move |tx| {
        let above = match parent {
            None => String::new(),
            Some(parent) => {
                let group = NamespaceRef::Id(parent);
                let found = find_visible_group(tx, &group, actor.viewer, actor.now)?;
                let (group, _) = found.ok_or_else(|| ApiError::not_found("Group"))?;
                format!("{}/", group.full_path.as_str())
            }
        };
        existence(tx, &above, &wanted)
    });
    asked.json(&answer.await?)
}

/// Checks if a group, user or project has the path `wanted` below `above`.
fn existence(
    tx: &mut dyn ReadTransaction,
    above: &str,
    wanted: &str,
) -> Result<Existence, Failure> {
    let mut is_taken = |path: &str| -> Result<bool, Failure> {
        let Some(path) = FullPath::parse(&format!("{above}{path}")) else {
            return Ok(false);
        };
        let namespace = tx.find_namespace(&path)?;
        Ok(namespace.is_some() || tx.find_project(&ProjectRef::Path(path))?.is_some())
    };
    let exists = is_taken(wanted)?;
    let mut suggests = Vec::new();
    for number in 1..=SUGGESTIONS {
        let other = format!("{wanted}{number}");
        if exists && suggests.is_empty() && !is_taken(&other)? {
            suggests.push(other);
        }
    }
    Ok(Existence { exists, suggests })
}

async fn list(asked: AsUser<Read>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let search = read.text("search").filter(|text| !text.is_empty());
    let owned = read.boolean("owned_only").unwrap_or_default();
    read.finish()?;
    let page = Paging::offset(asked.params())?;
    let actor = asked.by();
    let sees_all = matches!(actor.viewer, Viewer::Administrator(_)) && !owned;
    let filter = NamespaceFilter {
        user: (!sees_all).then_some(actor.id),
        min_access_level: owned.then_some(AccessLevel::Owner),
        search,
    };
    let today = actor.now.date();
    let found = asked.read(move |tx| Ok(tx.list_namespaces(&filter, today, page)?));
    let found = found.await?;
    let base_url = asked.base_url();
    asked.page(page, found, |namespace| {
        NamespaceJson::new(&namespace, base_url)
    })
}

async fn show(asked: AsUser<Read>) -> Result<HttpResponse, Failure> {
    let unseen = || ApiError::not_found("Namespace");
    let reference = asked.segment(NAMESPACE.name, "Namespace")?;
    let reference = NamespaceRef::parse_text(&reference).ok_or_else(unseen)?;
    let actor = asked.by();
    let found = asked.read(move |tx| find(tx, &reference, actor));
    let namespace = found.await?.ok_or_else(unseen)?;
    asked.json(&NamespaceJson::new(&namespace, asked.base_url()))
}

/// Finds a namespace that the caller may see: a group by the rules for groups, a user's by the rules for users.
fn find(
    tx: &mut dyn ReadTransaction,
    reference: &NamespaceRef,
    actor: Actor,
) -> Result<Option<Namespace>, Failure> {
    let namespace = match reference {
        NamespaceRef::Id(id) => tx.find_namespace_by_id(*id)?,
        NamespaceRef::Path(path) => tx.find_namespace(path)?,
    };
    let Some(namespace) = namespace else {
        return Ok(None);
    };
    if namespace.kind == NamespaceKind::User {
        return Ok(Some(namespace));
    }
    let group = NamespaceRef::Id(namespace.id);
    let found = find_visible_group(tx, &group, actor.viewer, actor.now)?;
    Ok(found.map(|_| namespace))
}
