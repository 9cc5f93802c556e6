//! Seed of the benchmark of lists: many projects in many groups, and many issues and notes.
//!
//! `list_seed DATABASE_URL PROJECT_ID COUNT` writes COUNT projects, COUNT issues of the given project, and COUNT notes
//! on its first issue, into a migrated database. The reporter of the sample data becomes a member of half of the
//! groups, the developer of a few.

#[path = "seeding/database.rs"]
mod database;
#[path = "seeding/groups.rs"]
mod groups;
#[path = "seeding/maintenance.rs"]
mod maintenance;
#[path = "seeding/scatter.rs"]
mod scatter;

use std::collections::VecDeque;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use api_conventions::access::Visibility;
use api_conventions::ids::{IssueIid, LabelId, ProjectId, UserId};
use api_conventions::time::{Clock as _, Timestamp};
use database::open_at;
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::{Database, WriteTransaction};
use groups::{SeedGroup, unexpected};
use maintenance::run_maintenance;
use projects::InsertProject;
use projects::model::{
    Closing, IssueBody, IssueContent, LabelContent, Namespace, NewIssue, NewNote, NewProject,
    Noteable, NoteableKind, ProjectContent,
};
use records::{NewRecord, SaveRecord};
use scatter::scatter;
use storage::{Pending, Store as _, StoreError};

/// Rows per transaction: few, so that the journal is checkpointed in time.
const BATCH: i64 = 200;
/// Concurrent transactions, if the database supports more than one.
const MAX_PENDING: usize = 4;
/// Number of groups of the projects. The reporter is a member of every second one.
const GROUPS: i64 = 4000;
/// Ratio of all groups to groups of the developer.
const DEVELOPER_GROUP_ONE_IN: i64 = 200;
/// Ratio of all rows to rows of a rare kind.
const RARE_ONE_IN: i64 = 20_000;

/// The users of the sample data.
const ROOT: UserId = UserId::new(1);
const DEVELOPER: UserId = UserId::new(2);
const REPORTER: UserId = UserId::new(3);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, project, count] = arguments.as_slice() else {
        anyhow::bail!("list_seed DATABASE_URL PROJECT_ID COUNT");
    };
    let database = open_at(url)?;
    let seed = ListSeed {
        project: ProjectId::new(project.parse()?),
        count: count.parse()?,
        now: SystemClock.now(),
    };
    let groups = Arc::new(seed.groups(&database)?);
    in_batches(&database, seed.count, move |tx, number| {
        seed.insert_project(tx, &groups, number)
    })?;
    let labels = Arc::new(seed.labels(&database)?);
    in_batches(&database, seed.count, move |tx, number| {
        seed.insert_issue(tx, &labels, number)
    })?;
    seed.notes(&database)?;
    database.close();
    run_maintenance(url)
}

/// Calls a function for each number from 1 to `count`, several numbers per transaction and several transactions at a
/// time.
fn in_batches(
    database: &Database,
    count: i64,
    each: impl Fn(&mut dyn WriteTransaction, i64) -> Result<(), StoreError> + Send + Sync + 'static,
) -> Result<()> {
    let each = Arc::new(each);
    let mut running: VecDeque<Pending<(), StoreError>> = VecDeque::new();
    for first in (1..=count).step_by(usize::try_from(BATCH)?) {
        let each = Arc::clone(&each);
        running.push_back(database.write(move |tx| {
            let last = count.min(first + BATCH - 1);
            (first..=last).try_for_each(|number| each(tx, number))
        }));
        if running.len() > MAX_PENDING {
            running.pop_front().map_or(Ok(()), Pending::wait)?;
        }
    }
    running.into_iter().try_for_each(Pending::wait)?;
    Ok(())
}

/// Rows to write.
#[derive(Clone, Copy)]
struct ListSeed {
    project: ProjectId,
    count: i64,
    now: Timestamp,
}

impl ListSeed {
    /// The time of a row: rows are ten seconds apart, and the last one is now.
    fn time(&self, number: i64) -> Timestamp {
        self.now.plus_seconds((number - self.count) * 10)
    }

    fn groups(&self, database: &Database) -> Result<Vec<Namespace>> {
        let mut groups = Vec::new();
        for first in (0..GROUPS).step_by(100) {
            let now = self.now;
            let created: Result<Vec<Namespace>, StoreError> = database
                .write(move |tx| {
                    (first..first + 100)
                        .map(|number| group(tx, number, now))
                        .collect()
                })
                .wait();
            groups.extend(created?);
        }
        Ok(groups)
    }

    fn insert_project(
        &self,
        tx: &mut dyn WriteTransaction,
        groups: &[Namespace],
        number: i64,
    ) -> Result<(), StoreError> {
        let place = usize::try_from(number % GROUPS).unwrap_or_default();
        let namespace = groups.get(place).ok_or_else(unexpected)?.clone();
        let scattered = scatter(number);
        let language = match scattered % 3 {
            0 => "rust",
            1 => "python",
            _ => "go",
        };
        let mut topics = vec![language.to_owned()];
        if number % RARE_ONE_IN == 7 {
            topics.push("seldom".to_owned());
        }
        let content = ProjectContent {
            name: format!("Service {} {number}", scattered % 9973),
            path: format!("service-{number}"),
            description: format!("Answers what {scattered:016x} asks."),
            visibility: match scattered % 50 {
                0 => Visibility::Public,
                1 => Visibility::Internal,
                _ => Visibility::Private,
            },
            topics,
            settings: projects::ProjectSettings::default(),
        };
        let new = NewProject::new(namespace, content, ROOT, self.time(number));
        match tx.insert_project(&new)? {
            InsertProject::Inserted(_) => Ok(()),
            InsertProject::PathTaken | InsertProject::NameTaken => Err(unexpected()),
        }
    }

    /// Creates a label for every second issue, and one for very few.
    fn labels(&self, database: &Database) -> Result<[LabelId; 2]> {
        let (project, now) = (self.project, self.now);
        let created: Result<[LabelId; 2], StoreError> = database
            .write(move |tx| {
                Ok([
                    label(tx, project, "often", now)?,
                    label(tx, project, "seldom", now)?,
                ])
            })
            .wait();
        Ok(created?)
    }

    fn insert_issue(
        &self,
        tx: &mut dyn WriteTransaction,
        [often, seldom]: &[LabelId; 2],
        number: i64,
    ) -> Result<(), StoreError> {
        let at = self.time(number);
        let scattered = scatter(number);
        let is_seldom = number % RARE_ONE_IN == 7;
        let mut body = IssueBody {
            content: IssueContent {
                title: format!("Node {} answers slowly", scattered % 9973),
                description: Some(format!(
                    "Since {number} checks the node {scattered:016x} needs more than it should. {}",
                    "Look at the runbook of the team. ".repeat(7)
                )),
                confidential: scattered.is_multiple_of(100),
                ..IssueContent::default()
            },
            ..IssueBody::default()
        };
        if !scattered.is_multiple_of(10) {
            body.closing = Some(Closing { at, by: DEVELOPER });
        }
        if scattered.is_multiple_of(2) {
            body.labels.insert(*often);
        }
        if is_seldom {
            body.labels.insert(*seldom);
            body.assignees.insert(DEVELOPER);
        }
        let author_id = if is_seldom { REPORTER } else { ROOT };
        tx.insert_issue(&NewIssue {
            project_id: self.project,
            author_id,
            body,
            created_at: at,
        })
        .map(drop)
    }

    fn notes(&self, database: &Database) -> Result<()> {
        let project = self.project;
        let issue: Result<_, StoreError> = database
            .write(move |tx| tx.find_issue(project, IssueIid::new(1)))
            .wait();
        let issue = issue?.context("the project has no issue")?;
        let on = Noteable {
            project_id: project,
            kind: NoteableKind::Issue,
            id: issue.id.get(),
            iid: issue.iid.get(),
        };
        for first in (1..=self.count).step_by(usize::try_from(BATCH)?) {
            let last = self.count.min(first + BATCH - 1);
            let notes: Vec<NewNote> = (first..=last).map(|number| self.note(on, number)).collect();
            let written: Result<(), StoreError> = database
                .write(move |tx| tx.insert_notes(&notes).map(drop))
                .wait();
            written?;
        }
        Ok(())
    }

    fn note(&self, on: Noteable, number: i64) -> NewNote {
        let scattered = scatter(number);
        NewNote {
            on,
            author_id: DEVELOPER,
            body: format!("After {number} checks the node {scattered:016x} is as slow as before."),
            system: scattered.is_multiple_of(10),
            internal: scattered % 100 == 1,
            created_at: self.time(number),
        }
    }
}

/// Creates a group with its members.
fn group(
    tx: &mut dyn WriteTransaction,
    number: i64,
    now: Timestamp,
) -> Result<Namespace, StoreError> {
    let members = [(REPORTER, 2), (DEVELOPER, DEVELOPER_GROUP_ONE_IN)];
    let members = members
        .into_iter()
        .filter(|(_, one_in)| number % one_in == 0);
    let group = SeedGroup {
        name: format!("Team {number}"),
        path: format!("team-{number}"),
        visibility: Visibility::Public,
        owner: ROOT,
        members: members.map(|(user, _)| user).collect(),
    };
    group.insert(tx, now)
}

fn label(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    title: &str,
    now: Timestamp,
) -> Result<LabelId, StoreError> {
    let content = LabelContent {
        title: title.to_owned(),
        description: None,
        color: "#336699".to_owned(),
        priority: None,
    };
    match tx.insert_record(&NewRecord::new(project, content, now))? {
        SaveRecord::Saved(label) => Ok(label.id),
        SaveRecord::Conflict => Err(unexpected()),
    }
}
