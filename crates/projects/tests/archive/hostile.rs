//! Files that are not archives, and malicious archives.

use std::fmt::Write as _;

use projects::archive::{
    ArchiveError, MAX_LINE_BYTES, MAX_RECORDS, MAX_UNPACKED_BYTES, Origin, read,
};
use proptest::prelude::*;

use crate::{archive, gzip, read_issues, refusal, tar};

const PROJECT: (&str, &[u8]) = ("tree/project.json", b"{}");

#[test]
fn files_that_are_not_archives_are_refused() {
    for nothing in [&b""[..], b"\x1f", b"PK\x03\x04", b"{}"] {
        assert_eq!(read(nothing), Err(ArchiveError::NotGzip), "{nothing:?}");
    }
    for no_tar in [&b""[..], b"text", &[0; 1024], &[b'x'; 2048]] {
        assert_eq!(read(&gzip(no_tar)), Err(ArchiveError::NotTar));
    }
    let other = gzip(&tar(&[("project.json", b"{}"), ("tree/project", b"")]));
    assert_eq!(
        refusal(&other),
        "the archive does not contain tree/project.json"
    );
}

#[test]
fn truncated_and_corrupted_archives_are_refused() {
    let whole = archive(&[(
        "tree/project/issues.ndjson",
        "{\"iid\":1,\"title\":\"a\"}\n",
    )]);
    assert!(read(&whole).is_ok());
    for length in 2..whole.len() {
        let found = read(&whole[..length]).unwrap_err();
        assert!(
            matches!(found, ArchiveError::Damaged(_)),
            "{length}: {found}"
        );
    }
    let plain = tar(&[
        PROJECT,
        (
            "tree/project/issues.ndjson",
            b"{\"iid\":1,\"title\":\"a\"}\n",
        ),
    ]);
    for blocks in 1..plain.len() / 512 {
        assert!(read(&gzip(&plain[..blocks * 512])).is_err(), "{blocks}");
    }
    let mut changed = whole.clone();
    let middle = changed.len() - 6;
    changed[middle] ^= 1;
    assert!(matches!(read(&changed), Err(ArchiveError::Damaged(_))));
}

#[test]
fn unsafe_paths_and_link_entries_are_ignored() {
    let text = &b"{\"description\":\"from elsewhere\"}"[..];
    for name in [
        "/tree/project.json",
        "../tree/project.json",
        "tree/../tree/project.json",
        ".//tree/project.json",
        "././tree/project.json",
        "tree/project.json/",
    ] {
        let found = read(&gzip(&tar(&[(name, text)])));
        assert_eq!(found, Err(ArchiveError::NoProject), "{name}");
    }
    for kind in [
        tar::EntryType::Symlink,
        tar::EntryType::Link,
        tar::EntryType::Directory,
    ] {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        let linked = builder.append_link(&mut header, "tree/project.json", "/etc/passwd");
        linked.unwrap();
        let packed = gzip(&builder.into_inner().unwrap());
        assert_eq!(read(&packed), Err(ArchiveError::NoProject), "{kind:?}");
    }
    let twice = gzip(&tar(&[PROJECT, ("./tree/project.json", b"{}")]));
    assert_eq!(read(&twice), Err(ArchiveError::Twice("tree/project.json")));
}

#[test]
fn a_bomb_is_refused_at_the_bound() {
    let much = vec![0; usize::try_from(MAX_UNPACKED_BYTES).unwrap()];
    let bomb = gzip(&tar(&[PROJECT, ("much", &much)]));
    assert!(bomb.len() < 1 << 20);
    assert_eq!(read(&bomb), Err(ArchiveError::TooLarge));
    // The limit also applies to data after the end of the tar file.
    let mut after = tar(&[PROJECT]);
    after.extend_from_slice(&much);
    assert_eq!(read(&gzip(&after)), Err(ArchiveError::TooLarge));
    let less = gzip(&tar(&[PROJECT, ("much", &much[..1 << 20])]));
    assert!(read(&less).is_ok());
    assert!(ArchiveError::TooLarge.is_about_size() && !ArchiveError::NotTar.is_about_size());
}

#[test]
fn a_line_is_bounded() {
    let most = usize::try_from(MAX_LINE_BYTES).unwrap();
    let line = |length: usize| {
        let frame = "{\"iid\":1,\"title\":\"\"}".len();
        let title = "x".repeat(length - frame);
        format!("{{\"iid\":1,\"title\":\"{title}\"}}")
    };
    assert!(read_issues(&line(most)).is_ok());
    assert!(read_issues(&format!("{}\n", line(most))).is_ok());
    let origin = Origin {
        file: "tree/project/issues.ndjson",
        line: 1,
    };
    for long in [line(most + 1), " ".repeat(most + 1)] {
        let found = read_issues(&long);
        assert_eq!(found, Err(ArchiveError::LongLine(origin)));
    }
    let project = " ".repeat(most + 1);
    let project = gzip(&tar(&[("tree/project.json", project.as_bytes())]));
    assert!(matches!(read(&project), Err(ArchiveError::LongLine(_))));
}

#[test]
fn records_are_bounded_in_all() {
    let milestones = |count: usize| {
        (0..count).fold(String::new(), |mut lines, number| {
            writeln!(lines, "{{\"title\":\"{number}\"}}").unwrap();
            lines
        })
    };
    let note = "{\"note\":\"a\"},{\"note\":\"a\",\"system\":true},{\"note\":\"b\"}";
    let issue = format!(
        "{{\"iid\":1,\"title\":\"a\",\"notes\":[{note}],\"milestone\":{{\"title\":\"0\"}},\
         \"label_links\":[{{\"label\":{{\"title\":\"l\"}}}}]}}"
    );
    // An issue, two notes by users, and a label.
    for (count, is_taken) in [(MAX_RECORDS - 4, true), (MAX_RECORDS - 3, false)] {
        let lines = milestones(count);
        let files = [
            ("tree/project/milestones.ndjson", lines.as_str()),
            ("tree/project/issues.ndjson", issue.as_str()),
        ];
        let found = read(&archive(&files)).map(drop);
        let wanted = if is_taken {
            Ok(())
        } else {
            Err(ArchiveError::TooManyRecords)
        };
        assert_eq!(found, wanted, "{count}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_an_archive_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        let _ = read(&bytes);
        let _ = read(&gzip(&bytes));
        let _ = read(&gzip(&tar(&[PROJECT, ("tree/project/issues.ndjson", &bytes)])));
    }

    #[test]
    fn a_damaged_archive_is_read_or_refused(
        place in any::<prop::sample::Index>(),
        change in 1_u8..,
    ) {
        let mut plain = tar(&[PROJECT, ("tree/project/labels.ndjson", b"{\"title\":\"a\"}\n")]);
        let index = place.index(plain.len());
        plain[index] ^= change;
        let _ = read(&gzip(&plain));
        let mut packed = archive(&[("tree/project/labels.ndjson", "{\"title\":\"a\"}\n")]);
        let index = place.index(packed.len());
        packed[index] ^= change;
        let _ = read(&packed);
    }
}
