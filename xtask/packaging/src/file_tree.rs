//! Files of a package, sorted by path.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use anyhow::{Context as _, Result};
use tar::{Builder, EntryType, Header};

/// Mode of programs and directories.
pub const EXECUTABLE: u32 = 0o755;
/// Mode of other files.
pub const READABLE: u32 = 0o644;

/// Owner and group of a file, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileOwner(pub u64);

impl FileOwner {
    /// The administrator of the machine.
    pub const ROOT: Self = Self(0);
}

#[derive(Debug)]
enum EntryContent<'c> {
    Directory,
    File(Cow<'c, [u8]>),
    Link(String),
}

#[derive(Debug)]
struct TreeEntry<'c> {
    mode: u32,
    owner: FileOwner,
    content: EntryContent<'c>,
}

/// Files, directories and links below one root.
#[derive(Debug, Default)]
pub struct FileTree<'c> {
    entries: BTreeMap<String, TreeEntry<'c>>,
}

impl<'c> FileTree<'c> {
    /// Adds a file of root at a path without a leading slash.
    pub fn file(&mut self, path: &str, mode: u32, content: impl Into<Cow<'c, [u8]>>) {
        let content = EntryContent::File(content.into());
        self.add(path, mode, FileOwner::ROOT, content);
    }

    /// Adds a directory. The parents of a path are added anyway, as directories of root.
    pub fn directory(&mut self, path: &str, mode: u32, owner: FileOwner) {
        self.add(path, mode, owner, EntryContent::Directory);
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, path: &str, target: &str) {
        let content = EntryContent::Link(target.to_owned());
        self.add(path, 0o777, FileOwner::ROOT, content);
    }

    fn add(&mut self, path: &str, mode: u32, owner: FileOwner, content: EntryContent<'c>) {
        let entry = TreeEntry {
            mode,
            owner,
            content,
        };
        self.entries.insert(path.to_owned(), entry);
    }

    /// Sum of the sizes of all files, in bytes.
    pub fn size(&self) -> u64 {
        let sizes = self.entries.values().map(|entry| match &entry.content {
            EntryContent::File(bytes) => bytes.len() as u64,
            EntryContent::Directory | EntryContent::Link(_) => 0,
        });
        sizes.sum()
    }

    /// Writes the tree as a tar archive in which every path begins with `prefix`, and every file is of the time `mtime`.
    ///
    /// # Errors
    /// If `to` cannot be written, or a path does not fit into an archive.
    pub fn write_tar<W: Write>(&self, prefix: &str, mtime: u64, to: W) -> Result<W> {
        let mut archive = Builder::new(to);
        let parents: BTreeSet<&str> = self.entries.keys().flat_map(|path| parents(path)).collect();
        let missing = parents
            .into_iter()
            .filter(|path| !self.entries.contains_key(*path));
        let directory = TreeEntry {
            mode: EXECUTABLE,
            owner: FileOwner::ROOT,
            content: EntryContent::Directory,
        };
        let mut all: BTreeMap<&str, &TreeEntry<'_>> =
            missing.map(|path| (path, &directory)).collect();
        all.extend(
            self.entries
                .iter()
                .map(|(path, entry)| (path.as_str(), entry)),
        );
        for (path, entry) in all {
            append(&mut archive, &format!("{prefix}{path}"), mtime, entry)
                .with_context(|| format!("cannot pack {path}"))?;
        }
        Ok(archive.into_inner()?)
    }
}

/// Directories above a path, without the root.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/')
        .filter_map(|(end, _)| path.get(..end))
}

fn append<W: Write>(
    archive: &mut Builder<W>,
    path: &str,
    mtime: u64,
    entry: &TreeEntry<'_>,
) -> Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(entry.mode);
    header.set_mtime(mtime);
    header.set_uid(entry.owner.0);
    header.set_gid(entry.owner.0);
    if entry.owner == FileOwner::ROOT {
        header.set_username("root")?;
        header.set_groupname("root")?;
    }
    header.set_size(0);
    match &entry.content {
        EntryContent::Directory => {
            header.set_entry_type(EntryType::Directory);
            archive.append_data(&mut header, format!("{path}/"), &[][..])?;
        }
        EntryContent::Link(target) => {
            header.set_entry_type(EntryType::Symlink);
            archive.append_link(&mut header, path, target)?;
        }
        EntryContent::File(bytes) => {
            header.set_entry_type(EntryType::Regular);
            header.set_size(bytes.len() as u64);
            archive.append_data(&mut header, path, bytes.as_ref())?;
        }
    }
    Ok(())
}
