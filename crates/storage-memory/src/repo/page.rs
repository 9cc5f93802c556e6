//! Lists: which part of the rows that match is a page of them.

use api_conventions::page::{OffsetPage, Page, SortOrder, Total};

/// The page `asked` of `matching`, which is in ascending order and is turned round for the other one.
pub(super) fn page<T: Clone>(mut matching: Vec<&T>, sort: SortOrder, asked: OffsetPage) -> Page<T> {
    if sort == SortOrder::Descending {
        matching.reverse();
    }
    let counted = usize::try_from(Total::COUNT_LIMIT).unwrap_or(usize::MAX);
    let count = matching.len().min(counted);
    let skipped = usize::try_from(asked.offset()).unwrap_or(usize::MAX);
    let fetched = usize::try_from(asked.fetch_limit()).unwrap_or(usize::MAX);
    let rows = matching.into_iter().skip(skipped).take(fetched).cloned();
    Page::from_fetched(
        rows.collect(),
        asked,
        u64::try_from(count).unwrap_or(u64::MAX),
    )
}

/// Whether any of `texts` holds `part`, in any case.
#[cfg(any(feature = "projects", feature = "alert-intake"))]
pub(super) fn any_holds(texts: &[&str], part: &str) -> bool {
    let part = part.to_lowercase();
    texts.iter().any(|text| text.to_lowercase().contains(&part))
}
