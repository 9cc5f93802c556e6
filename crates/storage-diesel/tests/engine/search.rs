//! Case-insensitive text search, including non-ASCII letters, with the same results on both databases.

use api_conventions::access::Visibility;
use api_conventions::ids::UserId;
use api_conventions::page::OffsetPage;
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{
    InsertNamespace, NamespaceKind, NewNamespace, NewProject, ProjectFilter, ProjectOrder,
    ProjectRepository, Viewer,
};
use storage::{Store as _, StoreError};

use crate::databases::{TestSettings, postgres, sqlite};
use crate::support::insert;

const NAMES: [&str; 4] = ["ÄRGER mit 50%", "anna_b", "annaxb", "Zoë"];

fn create_projects<Tx>(tx: &mut Tx, owner: UserId) -> Result<(), StoreError>
where
    Tx: ProjectRepository + ?Sized,
{
    let group = NewNamespace {
        kind: NamespaceKind::Group,
        name: "Group".to_owned(),
        path: "group".to_owned(),
        parent: None,
        visibility: Visibility::Public,
        owner,
        created_at: Timestamp::MIN,
    };
    let InsertNamespace::Inserted(namespace) = tx.insert_namespace(&group)? else {
        panic!("the path is free");
    };
    for (number, name) in NAMES.into_iter().enumerate() {
        tx.insert_project(&NewProject {
            namespace: namespace.clone(),
            name: name.to_owned(),
            path: format!("p{number}"),
            description: String::new(),
            visibility: Visibility::Public,
            topics: Vec::new(),
            settings: projects::ProjectSettings::default(),
            creator_id: owner,
            created_at: Timestamp::MIN,
        })?;
    }
    Ok(())
}

/// Returns the names that a search finds, in descending order.
fn found<Tx>(tx: &mut Tx, search: Option<&str>) -> Result<Vec<String>, StoreError>
where
    Tx: ProjectRepository + ?Sized,
{
    let mut filter = ProjectFilter::new(Viewer::Anonymous);
    filter.search = search.map(str::to_owned);
    filter.order_by = ProjectOrder::Name;
    let today = CalendarDate::parse("2024-05-01").unwrap();
    let page = tx.list_projects(&filter, today, OffsetPage::default())?;
    Ok(page.items.into_iter().map(|project| project.name).collect())
}

/// Runs in one write transaction, which sees its own writes.
macro_rules! check {
    ($store:expr) => {{
        let outcome = $store.write(|tx| {
            let owner = insert(tx, "owner")?;
            create_projects(tx, owner)?;
            let cases: [(&str, &[&str]); 7] = [
                ("ÄRGER", &["ÄRGER mit 50%"]),
                ("ärger", &["ÄRGER mit 50%"]),
                ("zOË", &["Zoë"]),
                ("anna_", &["anna_b"]),
                ("ANNA", &["annaxb", "anna_b"]),
                ("0%", &["ÄRGER mit 50%"]),
                ("nothing", &[]),
            ];
            for (search, expected) in cases {
                assert_eq!(found(tx, Some(search))?, expected, "{search}");
            }
            found(tx, None)
        });
        assert_eq!(
            outcome.wait().unwrap(),
            ["ÄRGER mit 50%", "Zoë", "annaxb", "anna_b"]
        );
    }};
}

#[test]
fn texts_are_found_in_any_case_on_sqlite() {
    let (store, _directory) = sqlite(TestSettings::default());
    check!(store);
}

#[test]
fn texts_are_found_in_any_case_on_postgres() {
    let Some((store, _database)) = postgres(TestSettings::default()) else {
        return;
    };
    check!(store);
}
