//! The published records compared with the specification: its table of removals, the rules beside the table, and its
//! introductions by release. All numbers are repeated here and are never read from a record.

use std::collections::BTreeSet;

use api_conventions::release::Release;
use deprecations::published::FILES;
use deprecations::{Edition, Milestone, RecordStatus, calendar, published};

use self::TableRemoval::{Api, At, Later};

/// Removal, as this test encodes it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TableRemoval {
    /// Removal in the release with these two numbers.
    At(u16, u16),
    /// Removal with version 5 of the API.
    Api,
    /// Removal without a date.
    Later,
}

/// Major and minor number of a release.
type Numbers = (u16, u16);

/// A record: its id, the release that announced it, and its removal.
type TableRecord = (&'static str, Numbers, TableRemoval);

/// A row of the table: the item, the removal, and the records about it.
type TableRow = (&'static str, &'static str, &'static [TableRecord]);

/// The table of the specification (Versioning 4), row by row.
const TABLE: &[TableRow] = &[
    (
        "`merged_by` field, merge request API",
        "v5",
        &[("14-7-merged-by", (14, 7), Api)],
    ),
    (
        "`merge_status` field, merge request API",
        "v5",
        &[("15-6-merge-status", (15, 6), Api)],
    ),
    (
        "Single merge request changes endpoint",
        "v5",
        &[("15-7-merge-request-changes", (15, 7), Api)],
    ),
    (
        "`approvers`, `approval_groups` in the project approval configuration endpoint (already returning empty arrays)",
        "v5",
        &[("12-3-approvers-of-projects", (12, 3), Api)],
    ),
    (
        "Runner property `active` (endpoints GET `/runners`, GET `/runners/all`, GET and PUT `/runners/:id`, GET and POST `/projects/:id/runners`, GET `/groups/:id/runners`)",
        "v5",
        &[("14-8-runner-active", (14, 8), Api)],
    ),
    (
        "Runner status values `paused` and `active`",
        "v5 (GraphQL: 16.0)",
        &[
            ("14-5-runner-status-values", (14, 5), Api),
            ("14-5-graphql-runner-status", (14, 5), At(16, 0)),
        ],
    ),
    (
        "`filepath` on release asset links (Releases and Release Links APIs)",
        "17.0",
        &[("15-9-asset-link-filepath", (15, 9), At(17, 0))],
    ),
    (
        "`external` field in Releases, Release Links APIs and the GraphQL asset link type",
        "16.0",
        &[("15-9-asset-link-external", (15, 9), At(16, 0))],
    ),
    (
        "POST `/api/v4/runners` registration tokens and some server-side runner arguments",
        "17.0",
        &[("15-6-runner-registration-tokens", (15, 6), At(17, 0))],
    ),
    (
        "POST `/runners/reset_registration_token`, POST `/projects/:id/runners/reset_registration_token`, POST `/groups/:id/runners/reset_registration_token`",
        "17.0",
        &[("15-7-registration-token-resets", (15, 7), At(17, 0))],
    ),
    (
        "Changing merge request approvals through `/approvals`",
        "16.0",
        &[("14-0-merge-request-approvals", (14, 0), At(16, 0))],
    ),
    (
        "`private_profile` null in the user API",
        "16.0",
        &[("15-8-private-profile-null", (15, 8), At(16, 0))],
    ),
    (
        "`pipelines` attribute in the package list response of `/api/v4/projects/:id/packages`",
        "16.0",
        &[("14-5-package-pipelines", (14, 5), At(16, 0))],
    ),
    (
        "`operations_access_level` in the projects API",
        "deprecated",
        &[("15-8-operations-access-level", (15, 8), Later)],
    ),
    (
        "`job_age` parameter returned by POST `/jobs/request`",
        "16.0",
        &[("15-2-job-age", (15, 2), At(16, 0))],
    ),
    (
        "Deployments: `updated_at` filter without `updated_at` sort",
        "16.0",
        &[("15-8-deployments-updated-at", (15, 8), At(16, 0))],
    ),
    (
        "Project-level package search returning other projects' packages",
        "16.0",
        &[("15-8-package-search-of-other-projects", (15, 8), At(16, 0))],
    ),
    (
        "Legacy requirement IID",
        "17.0",
        &[("15-9-requirement-iid", (15, 9), At(17, 0))],
    ),
    (
        "GraphQL `CiCdSettingsUpdate` mutation",
        "16.0",
        &[("15-0-ci-cd-settings-update", (15, 0), At(16, 0))],
    ),
    (
        "GraphQL `Note.confidential`",
        "deprecated",
        &[("15-5-note-confidential", (15, 5), Later)],
    ),
    (
        "GraphQL `SharedRunnersSetting` value `DISABLED_WITH_OVERRIDE`",
        "16.0",
        &[("15-8-shared-runners-setting", (15, 8), At(16, 0))],
    ),
    (
        "GraphQL finding field `name`",
        "16.0",
        &[("15-1-finding-name", (15, 1), At(16, 0))],
    ),
    (
        "GraphQL finding field `projectFingerprint`",
        "16.0",
        &[("14-8-finding-project-fingerprint", (14, 8), At(16, 0))],
    ),
    (
        "GraphQL `legacyMode` argument of runner `status`",
        "17.0",
        &[("15-0-runner-legacy-mode", (15, 0), At(17, 0))],
    ),
    (
        "GraphQL queries `runnerPlatforms`, `runnerSetup`",
        "17.0",
        &[("15-9-runner-platforms-and-setup", (15, 9), At(17, 0))],
    ),
    (
        "Token information fields `scopes`, `expires_in_seconds`",
        "later release",
        &[("12-0-token-info-aliases", (12, 0), Later)],
    ),
    (
        "Legacy URLs lacking the `/-/` delimiter",
        "16.0",
        &[("15-9-legacy-page-addresses", (15, 9), At(16, 0))],
    ),
    (
        "Developer role importing projects to a group",
        "16.0",
        &[("15-8-developer-imports", (15, 8), At(16, 0))],
    ),
    (
        "Error tracking feature (deprecated in 15.9; planned 16.0); error tracking UI",
        "16.0 / 16.6",
        &[
            ("15-9-error-tracking", (15, 9), At(16, 0)),
            ("15-9-error-tracking-pages", (15, 9), At(16, 6)),
        ],
    ),
];

/// Rules of the specification that change with a release and are not in its table: their section, and their record.
const RULES: &[(&str, TableRecord)] = &[
    (
        "Limits: name-like CI parameters",
        ("15-9-ci-text-lengths", (15, 9), At(16, 0)),
    ),
    (
        "Limits: environment search",
        ("15-10-environment-search", (15, 10), At(16, 0)),
    ),
    (
        "Limits: default access-token expiry",
        ("15-4-tokens-without-expiry", (15, 4), At(16, 0)),
    ),
    (
        "Endpoints, Conventions: content types",
        ("13-8-plain-text-bodies", (13, 8), At(13, 10)),
    ),
    (
        "Endpoints, Pagination: `Links`",
        ("13-9-links-header", (13, 9), At(14, 0)),
    ),
];

/// Introductions by release, according to the specification.
const INTRODUCED: &[(&str, Numbers)] = &[
    ("14-2-integrated-error-tracking", (14, 2)),
    ("14-3-client-keys", (14, 3)),
    ("14-5-answers-of-alert-intake", (14, 5)),
    ("14-8-runner-paused", (14, 8)),
    ("14-9-captcha-headers", (14, 9)),
    ("15-1-preflight-of-oauth-endpoints", (15, 1)),
    ("15-2-keyset-group-audit-events", (15, 2)),
    ("15-9-direct-asset-path", (15, 9)),
    ("15-9-keyset-jobs", (15, 9)),
    ("15-10-error-tracking-settings-put", (15, 10)),
    ("15-10-keyset-project-audit-events", (15, 10)),
    ("15-11-keyset-instance-audit-events", (15, 11)),
];

/// Removals in 16.0, according to the table and the limits of the specification.
const REMOVED_WITH_16_0: [&str; 18] = [
    "14-0-merge-request-approvals",
    "14-5-graphql-runner-status",
    "14-5-package-pipelines",
    "14-8-finding-project-fingerprint",
    "15-0-ci-cd-settings-update",
    "15-1-finding-name",
    "15-10-environment-search",
    "15-2-job-age",
    "15-4-tokens-without-expiry",
    "15-8-deployments-updated-at",
    "15-8-developer-imports",
    "15-8-package-search-of-other-projects",
    "15-8-private-profile-null",
    "15-8-shared-runners-setting",
    "15-9-asset-link-external",
    "15-9-ci-text-lengths",
    "15-9-error-tracking",
    "15-9-legacy-page-addresses",
];

const DOCUMENT: &str = include_str!("../../../docs/deprecations.md");

fn going() -> impl Iterator<Item = TableRecord> {
    let in_table = TABLE.iter().flat_map(|(.., records)| records.iter());
    in_table
        .chain(RULES.iter().map(|(_, record)| record))
        .copied()
}

/// Major and minor numbers of all releases.
fn releases() -> Vec<Numbers> {
    let all = calendar::between(Release(13, 10), Release(18, 0));
    all.map(|Release(major, minor)| (major, minor)).collect()
}

/// The expected status of a removal, by the rules of the specification.
/// A removal with a version of the API or without a date is available in every release, and removed in the preview.
fn expected(announced: Numbers, end: TableRemoval, at: Numbers, is_preview: bool) -> RecordStatus {
    let is_gone = match end {
        At(major, minor) => (major, minor) <= at,
        Api | Later => is_preview,
    };
    if is_gone {
        RecordStatus::Removed
    } else if announced <= at {
        RecordStatus::Deprecated
    } else {
        RecordStatus::Current
    }
}

fn edition((major, minor): Numbers, is_preview: bool) -> Edition {
    let release = Release(major, minor);
    if is_preview {
        Edition::preview(release)
    } else {
        Edition::of(release)
    }
}

#[test]
fn record_statuses_match_the_table_at_every_release() {
    for (id, announced, end) in going() {
        let record = published().find(id).unwrap_or_else(|| panic!("no {id}"));
        for at in releases() {
            for is_preview in [false, true] {
                let status = record.status(edition(at, is_preview));
                let expected = expected(announced, end, at, is_preview);
                assert_eq!(status, expected, "{id} {at:?} {is_preview}");
            }
        }
    }
    for (id, since) in INTRODUCED {
        let record = published().find(id).unwrap_or_else(|| panic!("no {id}"));
        for at in releases() {
            let expected = if *since <= at {
                RecordStatus::Current
            } else {
                RecordStatus::Absent
            };
            for is_preview in [false, true] {
                let status = record.status(edition(at, is_preview));
                assert_eq!(status, expected, "{id} {at:?} {is_preview}");
            }
        }
    }
}

/// Three releases from 13.10 to 13.12, 11 of 14, 12 each of 15, 16 and 17, and 18.0.
#[test]
fn there_are_as_many_releases_as_months() {
    let releases = releases();
    assert_eq!(releases.len(), 3 + 11 + 12 + 12 + 12 + 1);
    assert_eq!((releases[0], releases[50]), ((13, 10), (18, 0)));
    for (at, day) in [
        ((15, 10), "2023-03-22"),
        ((16, 0), "2023-05-22"),
        ((16, 6), "2023-11-16"),
    ] {
        let found = calendar::day_of(Release(at.0, at.1)).map(|day| day.to_string());
        assert_eq!(found.as_deref(), Some(day));
    }
}

/// The removal of each row matches the removals of its records.
#[test]
fn the_removals_of_a_row_are_those_of_its_records() {
    assert_eq!(TABLE.len(), 29);
    for (item, removal, records) in TABLE {
        let words: BTreeSet<&str> = removal
            .split([' ', '(', ')', ':', '/'])
            .filter(|word| word.starts_with(|first: char| first.is_ascii_digit() || first == 'v'))
            .collect();
        let of_records: BTreeSet<String> = records
            .iter()
            .filter_map(|(_, _, end)| match end {
                At(major, minor) => Some(format!("{major}.{minor}")),
                Api => Some("v5".to_owned()),
                Later => None,
            })
            .collect();
        assert!(words.iter().copied().eq(&of_records), "{item}: {removal}");
    }
}

#[test]
fn no_status_goes_back() {
    let rank = |status| match status {
        RecordStatus::Absent => 0,
        RecordStatus::Current => 1,
        RecordStatus::Deprecated => 2,
        RecordStatus::Removed => 3,
    };
    for record in published().records() {
        let mut last = 0;
        for at in releases() {
            let [plain, preview] = [false, true].map(|it| rank(record.status(edition(at, it))));
            assert!(last <= plain, "{} {at:?}", record.id);
            assert!(plain <= preview, "{} {at:?}", record.id);
            last = plain;
        }
    }
}

#[test]
fn every_record_is_listed_once() {
    let here: Vec<&str> = going()
        .map(|(id, ..)| id)
        .chain(INTRODUCED.iter().map(|(id, _)| *id))
        .collect();
    let once: BTreeSet<&str> = here.iter().copied().collect();
    assert_eq!(once.len(), here.len());
    let published: BTreeSet<&str> = published()
        .records()
        .iter()
        .map(|it| it.id.as_str())
        .collect();
    assert_eq!(once, published);
    assert_eq!(FILES.len(), published.len());
}

#[test]
fn titles_are_unique() {
    let mut seen = BTreeSet::new();
    for record in published().records() {
        assert!(seen.insert(&record.title), "{}", record.title);
    }
}

#[test]
fn names_begin_with_the_release_that_announces() {
    for record in published().records() {
        let Release(major, minor) = record.announced();
        let start = format!("{major}-{minor}-");
        assert!(record.id.starts_with(&start), "{}", record.id);
    }
}

#[test]
fn the_last_removal_comes_first() {
    let order = |end| match end {
        At(major, minor) => (0, major, minor),
        Api => (1, 0, 0),
        Later => (2, 0, 0),
    };
    let mut expected: Vec<_> = going()
        .map(|(id, _, end)| {
            let title = &published().find(id).map(|record| record.title.as_str());
            (std::cmp::Reverse(order(end)), *title, id)
        })
        .collect();
    expected.sort_unstable();
    let expected = expected.iter().map(|(.., id)| *id);
    let found = published().deprecations().map(|record| record.id.as_str());
    assert!(found.eq(expected));

    let introduced = published().records().iter().skip(going().count());
    let found: Vec<Numbers> = introduced
        .map(|record| {
            assert!(!record.is_deprecation(), "{}", record.id);
            (record.announced().0, record.announced().1)
        })
        .collect();
    let mut newest_first: Vec<Numbers> = INTRODUCED.iter().map(|(_, since)| *since).collect();
    newest_first.sort_unstable_by(|left, right| right.cmp(left));
    assert_eq!(found, newest_first);

    let removals = published().removals();
    let text: Vec<String> = removals.iter().map(Milestone::to_string).collect();
    assert_eq!(
        text,
        ["undated", "v5", "17.0", "16.6", "16.0", "14.0", "13.10"]
    );
}

#[test]
fn the_changes_of_16_0_are_those_of_the_specification() {
    let changes = published().changes(Release(16, 0));
    let removed: BTreeSet<&str> = changes.removed.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(removed, BTreeSet::from(REMOVED_WITH_16_0));
    assert!(changes.announced.is_empty() && changes.introduced.is_empty());
}

#[test]
fn every_change_belongs_to_one_release() {
    let of = |at: Numbers| published().changes(Release(at.0, at.1));
    for at in releases() {
        let mut removed: Vec<&str> = of(at).removed.iter().map(|it| it.id.as_str()).collect();
        let mut expected: Vec<&str> = going()
            .filter(|(_, _, end)| *end == At(at.0, at.1))
            .map(|(id, ..)| id)
            .collect();
        removed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(removed, expected, "{at:?}");

        let mut announced: Vec<&str> = of(at).announced.iter().map(|it| it.id.as_str()).collect();
        let mut expected: Vec<&str> = going()
            .filter(|(_, announced, _)| *announced == at)
            .map(|(id, ..)| id)
            .collect();
        announced.sort_unstable();
        expected.sort_unstable();
        assert_eq!(announced, expected, "{at:?}");

        let mut introduced: Vec<&str> = of(at).introduced.iter().map(|it| it.id.as_str()).collect();
        let mut expected: Vec<&str> = INTRODUCED
            .iter()
            .filter(|(_, since)| *since == at)
            .map(|(id, _)| *id)
            .collect();
        introduced.sort_unstable();
        expected.sort_unstable();
        assert_eq!(introduced, expected, "{at:?}");
    }
}

/// A number without quotes is refused, so that no record of 15.10 becomes one of 15.1.
#[test]
fn minor_numbers_of_two_digits_are_kept() {
    for (id, minor) in [
        ("15-10-environment-search", 10),
        ("15-10-error-tracking-settings-put", 10),
        ("15-11-keyset-instance-audit-events", 11),
    ] {
        let announced = published().find(id).map(deprecations::Record::announced);
        assert_eq!(announced, Some(Release(15, minor)), "{id}");
    }
}

#[test]
fn the_document_has_every_record() {
    for record in published().records() {
        let cell = format!("`{}`", record.id);
        assert!(DOCUMENT.contains(&cell), "{}", record.id);
    }
}

#[test]
fn the_document_has_every_row_of_the_table() {
    let lines: Vec<&str> = DOCUMENT.lines().collect();
    for (item, _, records) in TABLE {
        for (id, (major, minor), end) in *records {
            let removal = match end {
                At(major, minor) => format!("{major}.{minor}"),
                Api => "v5".to_owned(),
                Later => "undated".to_owned(),
            };
            let cells = format!("| {major}.{minor} | {removal} | `{id}` |");
            let has_it = |line: &&str| line.contains(&cells);
            assert_eq!(
                lines.iter().filter(|line| has_it(line)).count(),
                1,
                "{item}: {cells}"
            );
        }
    }
}
