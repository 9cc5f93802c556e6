//! Pagination header of a tracker: both directions are always present, and `results` is true if there is such a page.

use url::Url;

/// Cursors of the pages before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursors {
    /// The cursor of the page before.
    pub previous: Option<String>,
    /// The cursor of the page after.
    pub next: Option<String>,
}

/// Longest cursor that is accepted, in bytes.
const MAX_LENGTH: usize = 200;

impl Cursors {
    /// Parses the header.
    /// A malformed link yields no cursor.
    pub fn of_header(header: &str) -> Self {
        let mut cursors = Self::default();
        for link in header.split(',') {
            let attribute = |name: &str| {
                let mut parts = link.split(';').map(str::trim);
                let value = parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
                value.map(|value| value.trim_matches('"'))
            };
            let cursor = attribute("cursor")
                .filter(|cursor| is_plain(cursor))
                .filter(|_| attribute("results") == Some("true"))
                .map(str::to_owned);
            match attribute("rel") {
                Some("previous") => cursors.previous = cursor,
                Some("next") => cursors.next = cursor,
                _ => {}
            }
        }
        cursors
    }
}

/// True if a cursor can be part of any URL without escaping.
fn is_plain(cursor: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.');
    !cursor.is_empty() && cursor.len() <= MAX_LENGTH && cursor.chars().all(is_plain)
}

/// Number of rows before the page of a cursor: the second number of what [`link_header`] writes.
pub fn offset_of(cursor: &str) -> Option<u64> {
    let mut parts = cursor.split(':');
    let _ = parts.next()?.parse::<u64>().ok()?;
    let offset = parts.next()?.parse().ok()?;
    matches!(parts.next(), Some("0" | "1")).then_some(offset)
}

/// Writes the header of a page at `address` that begins after `offset` rows and has `per_page`.
/// `has_next` is true if there are more rows.
pub fn link_header(address: &Url, offset: u64, per_page: u64, has_next: bool) -> String {
    let previous = offset.saturating_sub(per_page);
    let links = [
        ("previous", format!("0:{previous}:1"), offset > 0),
        ("next", format!("0:{}:0", offset + per_page), has_next),
    ];
    let links = links.map(|(relation, cursor, has_results)| {
        let mut address = address.clone();
        let kept: Vec<(String, String)> = address
            .query_pairs()
            .filter(|(name, _)| name != "cursor")
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        address
            .query_pairs_mut()
            .clear()
            .extend_pairs(kept)
            .append_pair("cursor", &cursor);
        format!("<{address}>; rel=\"{relation}\"; results=\"{has_results}\"; cursor=\"{cursor}\"")
    });
    links.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_only_if_results_is_true() {
        let header = "<https://t.example/?cursor=0:0:1>; rel=\"previous\"; results=\"false\"; cursor=\"0:0:1\", \
                      <https://t.example/?cursor=0:100:0>; rel=\"next\"; results=\"true\"; cursor=\"0:100:0\"";
        let cursors = Cursors::of_header(header);
        assert_eq!(
            (cursors.previous, cursors.next.as_deref()),
            (None, Some("0:100:0"))
        );
        assert_eq!(Cursors::of_header(""), Cursors::default());
        for cursor in [
            "",
            "; cursor=\"\"",
            "; cursor=\"0>; x\"",
            "; cursor=\"a b\"",
        ] {
            let header = format!("<x>; rel=\"next\"; results=\"true\"{cursor}");
            assert_eq!(Cursors::of_header(&header), Cursors::default(), "{header}");
        }
    }

    #[test]
    fn a_written_link_header_reads_back() {
        let address =
            Url::parse("https://t.example/api/0/issues/?query=is%3Aunresolved&cursor=0:20:0")
                .unwrap();
        let header = link_header(&address, 20, 20, true);
        assert!(header.contains("query=is%3Aunresolved"), "{header}");
        assert_eq!(header.matches("cursor=0%3A").count(), 2, "{header}");
        let cursors = Cursors::of_header(&header);
        assert_eq!(cursors.previous.as_deref(), Some("0:0:1"));
        assert_eq!(cursors.next.as_deref(), Some("0:40:0"));
        assert_eq!(offset_of("0:40:0"), Some(40));
        assert_eq!(offset_of("0:20:1"), Some(20));
        for cursor in ["", "0:x:0", "0:-1:0", "0:1", "0:1:2"] {
            assert_eq!(offset_of(cursor), None, "{cursor}");
        }
        let first = Cursors::of_header(&link_header(&address, 0, 20, false));
        assert_eq!(first, Cursors::default());
    }
}
