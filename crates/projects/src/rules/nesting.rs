//! Limits of group nesting and of path lengths.

use api_conventions::reference::FullPath;

use crate::model::MAX_DEPTH;

/// Greatest depth and path length in a group, including the group itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The most segments that the full path of a group has.
    pub segments: usize,
    /// The longest full path of a group or a project, in bytes.
    pub bytes: usize,
}

/// True if everything in a group still has a valid path after the group moves from one path to another.
/// Groups are nested at most [`MAX_DEPTH`] deep, and a path has at most [`FullPath::MAX_BYTES`] bytes.
pub fn fits(before: &FullPath, after: &FullPath, extent: Extent) -> bool {
    let segments = |path: &FullPath| path.as_str().split('/').count();
    let bytes = |path: &FullPath| path.as_str().len();
    let deepest = extent.segments.saturating_sub(segments(before)) + segments(after);
    let longest = extent.bytes.saturating_sub(bytes(before)) + bytes(after);
    deepest <= MAX_DEPTH && longest <= FullPath::MAX_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_limits_count_descendants_but_not_former_ancestors() {
        let path = |segments: usize| FullPath::parse(&vec!["ab"; segments].join("/")).unwrap();
        let extent = |segments, bytes| Extent { segments, bytes };
        for (before, after, extent, is_sound) in [
            (1, 20, extent(1, 2), true),
            (1, 20, extent(2, 5), false),
            (10, 1, extent(29, 90), true),
            (10, 1, extent(30, 90), false),
            (1, 1, extent(1, FullPath::MAX_BYTES), true),
            (1, 2, extent(1, FullPath::MAX_BYTES), false),
        ] {
            let found = fits(&path(before), &path(after), extent);
            assert_eq!(found, is_sound, "{before} {after} {extent:?}");
        }
    }
}
