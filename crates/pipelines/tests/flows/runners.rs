//! Creating, updating and assigning runners.

use api_conventions::ids::{ProjectId, RunnerId, UserId};
use api_conventions::secret::SecretDigest;
use pipelines::flow::{
    CiError, MAX_RUNNERS, RunnerEdit, RunnerInput, assign_runner, create_runner, unassign_runner,
    update_runner,
};
use pipelines::model::{Runner, RunnerAccess, RunnerInfo, RunnerPlace};
use pipelines::store::CiWriteTx;
use storage_diesel::SqliteStore;

use super::{HERE, at, write};

const PLACE: RunnerPlace = RunnerPlace::Project(HERE);

fn input(place: RunnerPlace, token: &str, edit: RunnerEdit) -> RunnerInput {
    RunnerInput {
        place,
        edit,
        info: RunnerInfo::default(),
        digest: SecretDigest::of(token),
        creator_id: UserId::new(1),
        now: at(1),
    }
}

fn create(tx: &mut dyn CiWriteTx, edit: &RunnerEdit) -> Result<Runner, CiError> {
    create_runner(tx, &input(PLACE, "token", edit.clone()))
}

fn tags(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

#[test]
fn settings_are_set_and_changed_one_by_one() {
    let store = SqliteStore::in_memory().unwrap();
    let updated = write(&store, |tx| {
        let edit = RunnerEdit {
            description: Some("big".to_owned()),
            maintenance_note: Some("call Ann".to_owned()),
            tags: Some(tags("linux, big,,linux")),
            maximum_timeout: Some(Some(600)),
            ..RunnerEdit::default()
        };
        let created = create(tx, &edit)?;
        assert_eq!(created.settings.tags, ["linux", "big"]);
        assert!(created.settings.run_untagged && !created.settings.paused);
        let edit = RunnerEdit {
            maintenance_note: Some(String::new()),
            paused: Some(true),
            run_untagged: Some(false),
            access_level: Some(RunnerAccess::RefProtected),
            ..RunnerEdit::default()
        };
        let (before, after) = update_runner(tx, created.id, &edit)?;
        assert_eq!(before, created);
        assert_eq!(tx.find_runner(created.id)?.as_ref(), Some(&after));
        Ok(after.settings)
    });
    let settings = updated.unwrap();
    assert_eq!(settings.description, "big");
    assert_eq!(settings.maintenance_note, None);
    assert!(settings.paused && !settings.run_untagged);
    assert_eq!(settings.access_level, RunnerAccess::RefProtected);
    assert_eq!(settings.maximum_timeout, Some(600));
}

#[test]
fn invalid_settings_are_refused() {
    let store = SqliteStore::in_memory().unwrap();
    let many: Vec<String> = (0..51).map(|number| number.to_string()).collect();
    let edit = RunnerEdit::default;
    for (edit, expected) in [
        (
            RunnerEdit {
                description: Some("x".repeat(1025)),
                ..edit()
            },
            "description is too long (maximum is 1024 characters)",
        ),
        (
            RunnerEdit {
                maintenance_note: Some("x".repeat(1025)),
                ..edit()
            },
            "maintenance_note is too long (maximum is 1024 characters)",
        ),
        (
            RunnerEdit {
                maximum_timeout: Some(Some(599)),
                ..edit()
            },
            "maximum_timeout needs to be at least 10 minutes",
        ),
        (
            RunnerEdit {
                run_untagged: Some(false),
                ..edit()
            },
            "tags_list can not be empty when runner is not allowed to pick untagged jobs",
        ),
        (
            RunnerEdit {
                tags: Some(many),
                ..edit()
            },
            "tags_list Too many tags specified. Please limit the number of tags to 50",
        ),
        (
            RunnerEdit {
                tags: Some(tags("a\nb")),
                ..edit()
            },
            "tags_list must be tags of at most 255 characters, without line breaks",
        ),
    ] {
        let refused = write(&store, move |tx| create(tx, &edit)).unwrap_err();
        let CiError::Invalid(failures) = refused else {
            unreachable!("{refused}");
        };
        assert_eq!(failures.to_string(), expected);
    }
}

#[test]
fn a_runner_keeps_at_least_one_project() {
    let store = SqliteStore::in_memory().unwrap();
    let other = ProjectId::new(2);
    let outcome = write(&store, move |tx| {
        let id = create(tx, &RunnerEdit::default())?.id;
        let only = unassign_runner(tx, id, HERE).unwrap_err().to_string();
        assign_runner(tx, id, other)?;
        let again = assign_runner(tx, id, other).unwrap_err().to_string();
        unassign_runner(tx, id, HERE)?;
        let ended = unassign_runner(tx, id, HERE).unwrap_err().to_string();
        let instance = input(RunnerPlace::Instance, "other", RunnerEdit::default());
        let instance = create_runner(tx, &instance)?.id;
        let kind = assign_runner(tx, instance, HERE).unwrap_err().to_string();
        let unknown = assign_runner(tx, RunnerId::new(99), HERE);
        Ok([only, again, ended, kind, unknown.unwrap_err().to_string()])
    });
    let expected = [
        "this is the only project of the runner; delete the runner instead",
        "the runner is already assigned to the project",
        "the Runner does not exist",
        "only a runner with the type project_type can be assigned to a project",
        "the Runner does not exist",
    ];
    assert_eq!(outcome.unwrap(), expected);
}

#[test]
fn a_place_has_a_limited_number_of_runners() {
    let store = SqliteStore::in_memory().unwrap();
    let refused = write(&store, |tx| {
        for number in 0..MAX_RUNNERS {
            let token = number.to_string();
            create_runner(tx, &input(PLACE, &token, RunnerEdit::default()))?;
        }
        create(tx, &RunnerEdit::default())
    });
    let expected = "there are already 1000 runners here; delete some first";
    assert_eq!(refused.unwrap_err().to_string(), expected);
}
