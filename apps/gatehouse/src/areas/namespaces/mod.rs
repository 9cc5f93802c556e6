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
use web_conventions::operations::{
    Operation, Pages, Parameter, ParameterKind, ResponseSpec, UnsupportedFilter, get,
};

use crate::frame::api::AsUser;
use crate::frame::scopes::ReadApi;
use gatehouse_core::flows::groups::Actor;

const TAG: &str = "namespaces";
const NAMESPACE: Parameter = Parameter::path(
    "id",
    ParameterKind::IdOrPath,
    "ID of the namespace, or its percent-encoded full path.",
);

/// The operations.
pub fn operations() -> Vec<Operation> {
    vec![
        get("listNamespaces", "/api/v4/namespaces", list)
            .documented(
                TAG,
                "List the namespaces of the caller (administrators: all namespaces)",
            )
            .takes([
                Parameter::query(
                    "search",
                    ParameterKind::ANY_TEXT,
                    "Text to search for in names and paths.",
                ),
                Parameter::query(
                    "owned_only",
                    ParameterKind::Boolean,
                    "Only namespaces that the caller owns.",
                ),
            ])
            .without_filters([UnsupportedFilter::Flag("top_level_only")])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<NamespaceJson>>(
                200,
                "A page of namespaces, by ID.",
            )),
        get("showNamespace", "/api/v4/namespaces/{id}", show)
            .documented(TAG, "Get a namespace")
            .takes([NAMESPACE])
            .response(ResponseSpec::json::<NamespaceJson>(200, "The namespace.")),
        get("namespaceExists", "/api/v4/namespaces/{id}/exists", exists)
            .documented(
                TAG,
                "Check whether a path is in use, and suggest a free one",
            )
            .takes([
                Parameter::path(
                    "id",
                    ParameterKind::Text { min: 1, max: 255 },
                    "Path to check.",
                ),
                Parameter::query(
                    "parent_id",
                    ParameterKind::ANY_INTEGER,
                    "ID of the parent group (default: the top level).",
                ),
            ])
            .response(ResponseSpec::json::<Existence>(
                200,
                "True if the path is in use, with suggestions.",
            )),
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

async fn exists(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let path_to_check = request.segment(NAMESPACE.name, "Namespace")?;
    let mut read = request.params().reader();
    let parent = read.integer("parent_id").map(NamespaceId::new);
    if !is_slug(&path_to_check) {
        read.fault("id", "is invalid");
    }
    read.finish()?;
    let actor = request.actor();
    let answer = request.read(move |tx| {
        let above = match parent {
            None => String::new(),
            Some(parent) => {
                let group = NamespaceRef::Id(parent);
                let found = find_visible_group(tx, &group, actor.viewer, actor.now)?;
                let (group, _) = found.ok_or_else(|| ApiError::not_found("Group"))?;
                format!("{}/", group.full_path.as_str())
            }
        };
        existence(tx, &above, &path_to_check)
    });
    request.json(&answer.await?)
}

/// Checks if a group, user or project has the path `path_to_check` below `above`.
fn existence(
    tx: &mut dyn ReadTransaction,
    above: &str,
    path_to_check: &str,
) -> Result<Existence, Failure> {
    let mut is_taken = |path: &str| -> Result<bool, Failure> {
        let Some(path) = FullPath::parse(&format!("{above}{path}")) else {
            return Ok(false);
        };
        let namespace = tx.find_namespace(&path)?;
        Ok(namespace.is_some() || tx.find_project(&ProjectRef::Path(path))?.is_some())
    };
    let exists = is_taken(path_to_check)?;
    let mut suggests = Vec::new();
    for number in 1..=SUGGESTIONS {
        let other = format!("{path_to_check}{number}");
        if exists && suggests.is_empty() && !is_taken(&other)? {
            suggests.push(other);
        }
    }
    Ok(Existence { exists, suggests })
}

async fn list(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let search = read.text("search").filter(|text| !text.is_empty());
    let owned = read.boolean("owned_only").unwrap_or_default();
    read.finish()?;
    let page = Paging::offset(request.params())?;
    let actor = request.actor();
    let sees_all = matches!(actor.viewer, Viewer::Administrator(_)) && !owned;
    let filter = NamespaceFilter {
        user: (!sees_all).then_some(actor.id),
        min_access_level: owned.then_some(AccessLevel::Owner),
        search,
    };
    let today = actor.now.date();
    let found = request.read(move |tx| Ok(tx.list_namespaces(&filter, today, page)?));
    let found = found.await?;
    let base_url = request.base_url();
    request.page(page, found, |namespace| {
        NamespaceJson::new(&namespace, base_url)
    })
}

async fn show(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let unseen = || ApiError::not_found("Namespace");
    let reference = request.segment(NAMESPACE.name, "Namespace")?;
    let reference = NamespaceRef::parse_text(&reference).ok_or_else(unseen)?;
    let actor = request.actor();
    let found = request.read(move |tx| find(tx, &reference, actor));
    let namespace = found.await?.ok_or_else(unseen)?;
    request.json(&NamespaceJson::new(&namespace, request.base_url()))
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
