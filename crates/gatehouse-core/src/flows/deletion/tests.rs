//! Tokens and runners end with their place, and with every group and project in it.

use accounts::{
    DeployTokenFilter, InsertUser, NewDeployToken, NewToken, NewUser, TokenFilter, TokenKind,
    TokenPlace, UserKind, Username,
};
use api_conventions::page::OffsetPage;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::CalendarDate;
use pipelines::model::{NewRunner, RunnerFilter, RunnerInfo, RunnerSettings, RunnersOf};
use projects::{
    ImageName, ImageSelection, InsertNamespace, InsertProject, Namespace, NamespaceKind,
    NewImageRepository, NewNamespace, NewProject, ProjectSettings, Viewer,
};
use storage::Store as _;
use storage_diesel::SqliteStore;

use super::*;
use crate::flows::git_access::GitCaller;
use crate::flows::registry_access::{ImageActions, grant};
use crate::registry_keys::TOKEN_SECONDS;

/// Image repositories of the project.
const IMAGES: [&str; 3] = ["top/sub/thing", "top/sub/thing/a", "top/sub/thing/b"];

fn start() -> Timestamp {
    Timestamp::parse_rfc3339("2024-02-28T12:00:00Z").unwrap()
}

/// Runs a transaction as the server does.
fn run<T: Send + 'static>(
    store: &SqliteStore,
    work: impl Fn(&mut (dyn WriteTransaction + '_)) -> Result<T, NamespaceError> + Send + 'static,
) -> T {
    let done: Result<T, NamespaceError> = store.write(move |tx| work(tx)).wait();
    done.unwrap()
}

fn insert_user(tx: &mut dyn WriteTransaction) -> Result<UserId, StoreError> {
    let user = NewUser {
        username: Username::parse("ann").unwrap(),
        name: "ann".to_owned(),
        email: String::new(),
        kind: UserKind::Human,
        is_admin: false,
        password: None,
        created_at: start(),
    };
    match tx.insert_user(&user)? {
        InsertUser::Inserted(id) => Ok(id),
        taken => panic!("{taken:?}"),
    }
}

fn insert_group(
    tx: &mut dyn WriteTransaction,
    path: &str,
    parent: Option<Namespace>,
    owner: UserId,
) -> Result<Namespace, StoreError> {
    let group = NewNamespace {
        kind: NamespaceKind::Group,
        name: path.to_owned(),
        path: path.to_owned(),
        parent,
        visibility: Visibility::Private,
        owner,
        created_at: start(),
    };
    match tx.insert_namespace(&group)? {
        InsertNamespace::Inserted(group) => Ok(group),
        InsertNamespace::PathTaken => panic!("the path is free"),
    }
}

/// Inserts a deploy token of a place, a runner and an access token.
fn insert_tokens(
    tx: &mut dyn WriteTransaction,
    place: TokenPlace,
    name: &str,
    user_id: UserId,
) -> Result<(), StoreError> {
    tx.insert_deploy_token(&NewDeployToken {
        place,
        name: name.to_owned(),
        chosen_username: None,
        scopes: ScopeSet::parse("read_repository").unwrap(),
        digest: SecretDigest::of(name),
        expires_at: None,
        creator_id: user_id,
        created_at: start(),
    })?;
    tx.insert_runner(&NewRunner {
        place: match place {
            TokenPlace::Project(id) => RunnerPlace::Project(id),
            TokenPlace::Group(id) => RunnerPlace::Group(id),
        },
        settings: RunnerSettings {
            description: name.to_owned(),
            ..RunnerSettings::default()
        },
        info: RunnerInfo::default(),
        digest: SecretDigest::of(name),
        creator_id: user_id,
        created_at: start(),
    })?;
    let kind = match place {
        TokenPlace::Project(id) => TokenKind::Project(id),
        TokenPlace::Group(id) => TokenKind::Group(id),
    };
    let token = NewToken {
        user_id,
        name: name.to_owned(),
        kind,
        family_id: None,
        scopes: ScopeSet::parse("api").unwrap(),
        digest: SecretDigest::of(name),
        expires_on: CalendarDate::parse("2030-01-01").unwrap(),
        creator_id: None,
        created_at: start(),
    };
    tx.insert_token(&token).map(drop)
}

/// Creates a group with a subgroup with a project, and another group, each with tokens named after it. Returns the user
/// and the first group.
fn fill(store: &SqliteStore) -> (UserId, NamespaceId) {
    run(store, |tx| {
        let ann = insert_user(tx)?;
        let top = insert_group(tx, "top", None, ann)?;
        let sub = insert_group(tx, "sub", Some(top.clone()), ann)?;
        let other = insert_group(tx, "other", None, ann)?;
        for (group, name) in [(&top, "top"), (&sub, "sub"), (&other, "other")] {
            insert_tokens(tx, TokenPlace::Group(group.id), name, ann)?;
        }
        let project = NewProject {
            visibility: Visibility::Private,
            topics: Vec::new(),
            settings: ProjectSettings::default(),
            created_at: start(),
            namespace: sub,
            name: "thing".to_owned(),
            path: "thing".to_owned(),
            description: String::new(),
            creator_id: ann,
        };
        let InsertProject::Inserted(project) = tx.insert_project(&project)? else {
            panic!("the path is free");
        };
        insert_tokens(tx, TokenPlace::Project(project.id), "thing", ann)?;
        for name in IMAGES {
            tx.put_image_repository(&NewImageRepository {
                project_id: project.id,
                name: name.to_owned(),
                created_at: start(),
            })?;
        }
        Ok((ann, top.id))
    })
}

#[test]
fn tokens_runners_and_images_of_subgroups_and_projects_end_with_their_group() {
    let store = SqliteStore::in_memory().unwrap();
    let (ann, top) = fill(&store);
    let schedule = DeletionSchedule {
        delay_seconds: 0,
        at_once: true,
    };
    let actor = Actor {
        id: ann,
        viewer: Viewer::Administrator(ann),
        now: start(),
    };
    let deletion = run(&store, move |tx| delete_group(tx, top, schedule, actor));
    let later = start().plus_seconds(LEAST_DELAY_SECONDS);
    for _ in 0..100 {
        let progress = run(&store, move |tx| {
            Ok(run_deletion_step(tx, &deletion, 2, later)?)
        });
        if progress == DeletionProgress::Done {
            break;
        }
    }
    let all = OffsetPage::new(1, 100);
    let (deploy, runners, active) = run(&store, move |tx| {
        let deploy = tx.list_deploy_tokens(&DeployTokenFilter::default(), all)?;
        let active = TokenFilter {
            is_revoked: Some(false),
            ..TokenFilter::default()
        };
        let runners = tx.list_runners(&RunnerFilter::new(RunnersOf::Everything), all)?;
        Ok((deploy, runners, tx.list_tokens(&active, all)?))
    });
    let deploy: Vec<&str> = deploy.items.iter().map(|token| &*token.name).collect();
    let active: Vec<&str> = active.items.iter().map(|token| &*token.name).collect();
    let runners = runners.items.iter();
    let runners: Vec<&str> = runners.map(|one| &*one.settings.description).collect();
    assert_eq!(
        (deploy, runners, active),
        (vec!["other"], vec!["other"], vec!["other"])
    );
    // Images are deleted once no token can push any more.
    let expired = start().plus_seconds(TOKEN_SECONDS);
    run(&store, move |tx| {
        let before = expired.plus_seconds(-1);
        assert_eq!(tx.find_due_image_cleanup(before)?, None);
        for name in IMAGES {
            assert_eq!(tx.find_image_repository_by_name(name)?, None);
            let due = tx.find_due_image_cleanup(expired)?.unwrap();
            assert_eq!((&*due.name, &due.selection), (name, &ImageSelection::All));
            let requested = [ImageActions {
                name: ImageName::parse(name).unwrap(),
                pull: true,
                push: true,
            }];
            let granted = grant(tx, &requested, &GitCaller::Anonymous, expired)?;
            assert_eq!(granted, []);
            tx.delete_image_cleanup(name)?;
        }
        assert_eq!(tx.find_due_image_cleanup(Timestamp::MAX)?, None);
        Ok(())
    });
}
