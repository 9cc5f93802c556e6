//! Numbered migrations, and the parts of them that a build needs.
//!
//! A line `-- crate: events` names the crate whose tables the statements below it are about, up to the next such line.
//! A build applies the parts of the domain crates that it serves. ADR 22 has the reasons.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// Domain crates that this build serves, and `store` for the tables that every build needs.
pub(super) const SERVED: &[&str] = &[
    "store",
    #[cfg(feature = "accounts")]
    "accounts",
    #[cfg(feature = "projects")]
    "projects",
    #[cfg(feature = "alert-intake")]
    "alert-intake",
    #[cfg(feature = "events")]
    "events",
    #[cfg(feature = "oauth-provider")]
    "oauth-provider",
    #[cfg(feature = "error-tracking")]
    "error-tracking",
    #[cfg(feature = "deprecations")]
    "deprecations",
    #[cfg(feature = "pipelines")]
    "pipelines",
    #[cfg(feature = "notifications")]
    "notifications",
];

/// Prefix of a line that names the crate of the following statements.
const MARK: &str = "-- crate: ";

/// Migration as it is in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MigrationFile {
    /// Number and name of the migration.
    pub(super) name: &'static str,
    /// SQL statements of the migration.
    pub(super) up: &'static str,
}

/// Embeds the migrations of one database.
macro_rules! steps {
    ($database:literal: $($name:literal),+ $(,)?) => {
        &[$($crate::migrate::steps::MigrationFile {
            name: $name,
            up: include_str!(concat!("../../migrations/", $database, "/", $name, "/up.sql")),
        }),+]
    };
}

/// Embeds all migrations of one database, by its folder.
macro_rules! all_steps {
    ($database:literal) => {
        $crate::migrate::steps::steps!(
            $database: "00000000000001_accounts",
            "00000000000002_projects",
            "00000000000003_alerts",
            "00000000000004_events",
            "00000000000005_credentials",
            "00000000000006_oauth",
            "00000000000007_alert_intake",
            "00000000000008_lists",
            "00000000000009_groups_and_sign_out",
            "00000000000010_revocations",
            "00000000000011_store_probe",
            "00000000000012_finer_lists",
            "00000000000013_labels",
            "00000000000014_milestones",
            "00000000000015_groups",
            "00000000000016_issues",
            "00000000000017_members",
            "00000000000018_notes",
            "00000000000020_users",
            "00000000000021_audit",
            "00000000000022_paths_and_feeds",
            "00000000000023_counts_of_issues",
            "00000000000024_errors",
            "00000000000025_pipelines",
            "00000000000026_deprecation_uses",
            "00000000000027_private_profiles",
            "00000000000028_spam_logs",
            "00000000000029_project_settings",
            "00000000000030_application_options",
            "00000000000031_list_indexes",
            "00000000000032_error_bounds",
            "00000000000033_refused_deliveries",
            "00000000000035_sign_ins",
            "00000000000036_errors_by_id",
            "00000000000037_application_tokens",
            "00000000000038_token_families",
            "00000000000039_place_tokens",
            "00000000000040_deploy_tokens",
            "00000000000041_audit_reads",
            "00000000000042_push_events",
            "00000000000043_image_repositories",
            "00000000000044_runners",
            "00000000000045_snippets",
            "00000000000046_user_states",
            "00000000000047_user_deletions",
            "00000000000048_event_ids",
            "00000000000050_contributions",
            "00000000000051_regressions",
            "00000000000052_invitations",
            "00000000000053_user_statuses",
            "00000000000054_token_creators",
            "00000000000058_image_cleanups",
            "00000000000059_alert_endpoints",
            "00000000000060_incidents",
            "00000000000061_alert_life",
            "00000000000062_alert_environments",
            "00000000000063_alert_reports",
            "00000000000064_heartbeats",
            "00000000000065_notifications",
            "00000000000066_silences",
            "00000000000067_monitors",
            "00000000000068_owners_of_channels",
            "00000000000069_on_call_schedules",
            "00000000000070_project_hooks",
            "00000000000071_assignment_events",
        )
    };
}

pub(super) use {all_steps, steps};

/// Statements that are applied at once, and recorded under one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MigrationPart {
    /// Number of the migration.
    /// A part that is applied without the others also names its crate.
    pub(super) version: String,
    /// Name shown to an operator.
    pub(super) name: String,
    /// SQL statements of the part.
    pub(super) sql: String,
}

impl MigrationFile {
    /// Returns the number and the name of the migration.
    #[cfg(test)]
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> &'static str {
        self.name.split('_').next().unwrap_or(self.name)
    }

    /// Returns the statements by the crates that they are about.
    fn sections(&self) -> BTreeMap<&'static str, String> {
        let mut sections = BTreeMap::<_, String>::new();
        let mut section = None;
        for line in self.up.lines() {
            if let Some(of) = line.strip_prefix(MARK) {
                section = Some(sections.entry(of.trim()).or_default());
            } else if let Some(text) = &mut section {
                text.push_str(line);
                text.push('\n');
            }
        }
        sections
    }

    fn version_of(&self, of: &str) -> String {
        format!("{}-{of}", self.version())
    }
}

/// Returns the pending parts that a database needs for the crates `served`, in the order in which they are applied.
pub(super) fn pending(
    steps: &[MigrationFile],
    served: &[&str],
    applied: &[String],
) -> Vec<MigrationPart> {
    let is_applied = |version: &str| applied.iter().any(|applied| applied == version);
    let absent = LazyCell::new(|| tables_of_others(steps, served));
    let mut parts = Vec::new();
    for step in steps.iter().filter(|step| !is_applied(step.version())) {
        let mut sections = step.sections();
        let all = sections.len();
        sections.retain(|of, _| served.contains(of) && !is_applied(&step.version_of(of)));
        if sections.len() == all {
            parts.push(MigrationPart {
                version: step.version().to_owned(),
                name: step.name.to_owned(),
                sql: without_references(step.up, &absent),
            });
            continue;
        }
        parts.extend(sections.into_iter().map(|(of, sql)| MigrationPart {
            version: step.version_of(of),
            name: format!("{} ({of})", step.name),
            sql: without_references(&sql, &absent),
        }));
    }
    parts
}

/// True if a version is that of a known migration, or of a part of one.
/// It does not matter whether this program serves the crate: several programs may share a database.
pub(super) fn is_known(steps: &[MigrationFile], version: &str) -> bool {
    steps
        .iter()
        .any(|step| match version.strip_prefix(step.version()) {
            Some("") => true,
            Some(part) => {
                let of = part.strip_prefix('-');
                of.is_some_and(|of| step.sections().contains_key(of))
            }
            None => false,
        })
}

/// Suffix of the number of a migration that only adds something: `00000000000072+`.
const ADDITIVE: char = '+';

/// True if a migration only adds something, so that programs without it may serve beside those that have it.
pub(super) fn is_additive(version: &str) -> bool {
    let number = version.split('-').next();
    number.is_some_and(|number| number.ends_with(ADDITIVE))
}

/// Returns all tables that the migrations ever create.
/// Any other table in a database does not belong to this program.
pub(crate) fn tables(steps: &[MigrationFile]) -> BTreeSet<String> {
    tables_of_others(steps, &[])
}

/// Returns the tables of crates that are not served.
/// Nothing may refer to them, because they may not exist.
fn tables_of_others(steps: &[MigrationFile], served: &[&str]) -> BTreeSet<String> {
    let mut tables = BTreeSet::new();
    for (of, sql) in steps.iter().flat_map(MigrationFile::sections) {
        let created = sql.lines().filter_map(|line| {
            let rest = line.strip_prefix("CREATE TABLE ")?;
            rest.split([' ', '(']).next().map(str::to_owned)
        });
        if !served.contains(&of) {
            tables.extend(created);
        }
    }
    tables
}

/// Removes the references to some tables: ` REFERENCES users (id) ON DELETE CASCADE`.
fn without_references(sql: &str, absent: &BTreeSet<String>) -> String {
    const WORD: &str = " REFERENCES ";
    const CASCADE: &str = " ON DELETE CASCADE";
    let mut kept = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some((before, after)) = rest.split_once(WORD) {
        kept.push_str(before);
        let table = after.split(' ').next().unwrap_or_default();
        match after.split_once(')') {
            Some((_, after)) if absent.contains(table) => {
                rest = after.strip_prefix(CASCADE).unwrap_or(after);
            }
            _ => {
                kept.push_str(WORD);
                rest = after;
            }
        }
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[MigrationFile] = &[
        MigrationFile {
            name: "1_people",
            up: "-- crate: people\nCREATE TABLE people (id INTEGER);\n",
        },
        MigrationFile {
            name: "2_notes",
            up: "-- Why.\n-- crate: notes\nCREATE TABLE notes (author INTEGER REFERENCES people (id) ON DELETE CASCADE,\n\
                 parent INTEGER REFERENCES notes (id));\n-- crate: people\nCREATE INDEX i ON people (id);\n",
        },
    ];

    fn versions(served: &[&str], applied: &[&str]) -> Vec<String> {
        let applied: Vec<String> = applied
            .iter()
            .map(|version| (*version).to_owned())
            .collect();
        let parts = pending(STEPS, served, &applied);
        parts.into_iter().map(|part| part.version).collect()
    }

    #[test]
    fn a_build_applies_the_parts_of_its_crates_and_each_once() {
        assert_eq!(versions(&["people", "notes"], &[]), ["1", "2"]);
        assert_eq!(versions(&["people"], &[]), ["1", "2-people"]);
        assert_eq!(versions(&["notes"], &[]), ["2-notes"]);
        // Another crate is served later, and its parts are applied then.
        assert_eq!(
            versions(&["people", "notes"], &["2-notes"]),
            ["1", "2-people"]
        );
        assert_eq!(versions(&["notes"], &["1", "2"]), Vec::<String>::new());
    }

    #[test]
    fn only_tables_that_are_there_are_referred_to() {
        let sql = |served: &[&str]| pending(STEPS, served, &[]).pop().unwrap().sql;
        let alone = sql(&["notes"]);
        assert!(alone.contains("(author INTEGER,"), "{alone}");
        assert!(alone.contains("REFERENCES notes (id)"), "{alone}");
        assert_eq!(sql(&["people", "notes"]), STEPS[1].up);
    }

    #[test]
    fn versions_of_newer_programs_are_not_known() {
        for known in ["1", "2", "2-notes", "1-people"] {
            assert!(is_known(STEPS, known), "{known}");
        }
        for unknown in ["3", "2-others", "2+", "3+"] {
            assert!(!is_known(STEPS, unknown), "{unknown}");
        }
        for (version, only_adds) in [
            ("3+", true),
            ("3+-notes", true),
            ("3", false),
            ("3-a+", false),
        ] {
            assert_eq!(is_additive(version), only_adds, "{version}");
        }
    }

    /// Returns the statements of an additive migration that an older program could stumble over. It neither knows new columns nor
    /// gives them a value.
    fn changes(sql: &str) -> Vec<String> {
        let lines = sql.lines().filter(|line| !line.starts_with("--"));
        let text = lines.collect::<Vec<_>>().join(" ");
        let adds = |statement: &str| {
            let is_column = statement.starts_with("ALTER TABLE ")
                && statement.contains(" ADD COLUMN ")
                && (statement.contains(" DEFAULT ") || !statement.contains(" NOT NULL"));
            let creates = ["CREATE TABLE ", "CREATE INDEX "];
            let is_added = is_column || creates.iter().any(|word| statement.starts_with(word));
            // What an older program deletes must take the rows with it that it does not know.
            let [all, ending] = [" REFERENCES ", " ON DELETE CASCADE"]
                .map(|words| statement.matches(words).count());
            is_added && all == ending
        };
        let statements = text.split(';').map(str::trim);
        let others = statements.filter(|statement| !statement.is_empty() && !adds(statement));
        others.map(str::to_owned).collect()
    }

    #[test]
    fn additive_migrations_only_add() {
        for step in all_steps!("sqlite")
            .iter()
            .chain(all_steps!("postgres") as &[MigrationFile])
            .filter(|step| is_additive(step.version()))
        {
            assert_eq!(changes(step.up), Vec::<String>::new(), "{}", step.name);
        }
        for (sql, is_change) in [
            ("CREATE TABLE a (b INTEGER NOT NULL);", false),
            (
                "-- crate: x\nCREATE INDEX a ON b (c);\nALTER TABLE a ADD COLUMN d TEXT;",
                false,
            ),
            (
                "ALTER TABLE a ADD COLUMN b INTEGER NOT NULL DEFAULT 0;",
                false,
            ),
            ("ALTER TABLE a ADD COLUMN b INTEGER NOT NULL;", true),
            ("CREATE UNIQUE INDEX a ON b (c);", true),
            ("ALTER TABLE a DROP COLUMN b;", true),
            ("UPDATE a SET b = 1;", true),
            (
                "CREATE TABLE a (b INTEGER REFERENCES c (id) ON DELETE CASCADE);",
                false,
            ),
            ("CREATE TABLE a (b INTEGER REFERENCES c (id));", true),
        ] {
            assert_eq!(!changes(sql).is_empty(), is_change, "{sql}");
        }
    }

    /// A migration with a folder that is missing from the list would never be applied.
    #[test]
    fn the_list_names_every_folder() {
        for (database, steps) in [
            ("sqlite", all_steps!("sqlite") as &[MigrationFile]),
            ("postgres", all_steps!("postgres")),
        ] {
            // Tests run in the folder of their package.
            let folder = format!("migrations/{database}");
            let entries = std::fs::read_dir(folder).unwrap();
            let mut folders: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            folders.sort();
            let listed: Vec<&str> = steps.iter().map(|step| step.name).collect();
            assert_eq!(listed, folders, "{database}");
        }
    }

    /// A statement above the first mark would belong to no crate, and an unknown crate would never be served.
    #[test]
    fn every_migration_statement_belongs_to_a_known_crate() {
        let known = [
            "store",
            "accounts",
            "projects",
            "alert-intake",
            "events",
            "oauth-provider",
            "error-tracking",
            "deprecations",
            "pipelines",
            "notifications",
        ];
        for steps in [all_steps!("sqlite"), all_steps!("postgres")] as [&[MigrationFile]; 2] {
            for step in steps {
                let (before, _) = step.up.split_once(MARK).expect(step.name);
                let is_comment = |line: &str| line.is_empty() || line.starts_with("--");
                assert!(before.lines().all(is_comment), "{}", step.name);
                for of in step.sections().keys() {
                    assert!(known.contains(of), "{}: {of}", step.name);
                }
            }
        }
    }
}
