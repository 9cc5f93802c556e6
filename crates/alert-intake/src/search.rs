//! Search in alert texts without reading all of them.
//!
//! A search matches any part of a text, ignoring case in any alphabet, so a word index cannot answer it. Instead, an
//! adapter can record for each block of [`BLOCK`] alerts which short character sequences occur in it: a block that
//! lacks one of the sequences of the searched text cannot contain the text, so its alerts need not be read. The
//! remaining blocks are read and compared, so the record need not be exact. ADR 15 has the reasons and figures.
//!
//! The alerts of a project are indexed in parts of [`PART`] consecutive numbers, some time after they were stored,
//! because intake should not wait for indexing. Alerts that are not yet indexed are read. So are the few whose texts
//! changed since, until they are resolved and their new texts are added to the index of their part; what it says about
//! their old texts only makes more blocks candidates.

use api_conventions::ids::{AlertIid, ProjectId};

use crate::model::ReportDigest;

/// Number of alerts in a block; their numbers are consecutive.
pub const BLOCK: i64 = 8;
/// [`BLOCK`] as the step between blocks.
const BLOCK_STEP: usize = 8;
/// Number of alerts indexed together: a multiple of [`BLOCK`].
pub const PART: i64 = 4096;
/// Size in bytes of a bitmap with one bit for each block of a part.
pub const SLICE_BYTES: usize = 64;

/// Most sequences looked up for one search: each costs one more row for every part. Digits need many, because each
/// digit sequence occurs in a large share of all blocks, and only in combination are they selective.
const MAX_SLOTS: usize = 16;
/// Placeholder for the missing third character of a pair; no character has this number.
const NO_THIRD: u64 = 0x1f_ffff;

/// Bitmap with one bit for each block of a part, the first block in the lowest bit of the first byte.
pub type Slice = [u8; SLICE_BYTES];

/// Searchable texts of an alert, in lower case.
#[derive(Debug, Clone, Copy)]
pub struct SearchedTexts<'t> {
    /// The title.
    pub title: &'t str,
    /// The description.
    pub description: &'t str,
    /// The affected service.
    pub service: &'t str,
    /// The monitoring tool.
    pub monitoring_tool: &'t str,
}

impl<'t> SearchedTexts<'t> {
    fn all(self) -> [&'t str; 4] {
        [
            self.title,
            self.description,
            self.service,
            self.monitoring_tool,
        ]
    }
}

/// Search index of one part of a project's alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPart {
    /// The project.
    pub project_id: ProjectId,
    /// Index of the part in the project, from 0: it begins with the alert number `1 + number * PART`.
    pub number: i64,
    /// Bitmaps of the blocks in which each occurring sequence is found, by slot. The slots ascend.
    pub slices: Vec<(u16, Slice)>,
    /// Alerts whose texts changed after the part was indexed, with the digests of the reports that have the indexed texts.
    /// If there are some, this index is about them only.
    pub revised: Vec<(AlertIid, ReportDigest)>,
}

impl SearchPart {
    /// Builds the index of the part `number` of a project from its `alerts`, in any order. Ignores alerts that belong
    /// to another part.
    pub fn of<'t>(
        project_id: ProjectId,
        number: i64,
        alerts: impl IntoIterator<Item = (AlertIid, SearchedTexts<'t>)>,
    ) -> Self {
        let mut matrix = vec![[0_u8; SLICE_BYTES]; usize::from(u16::MAX) + 1];
        for (iid, texts) in alerts {
            let place = iid.get() - first_iid(number);
            let Ok(block) = usize::try_from(place.div_euclid(BLOCK)) else {
                continue;
            };
            for text in texts.all() {
                each_slot(&text.to_lowercase(), |slot| {
                    let slice = matrix.get_mut(usize::from(slot));
                    if let Some(byte) = slice.and_then(|slice| slice.get_mut(block / 8)) {
                        *byte |= 1 << (block % 8);
                    }
                });
            }
        }
        let slices = (0..=u16::MAX).zip(matrix);
        Self {
            project_id,
            number,
            slices: slices
                .filter(|(_, slice)| *slice != [0; SLICE_BYTES])
                .collect(),
            revised: Vec::new(),
        }
    }
}

/// Returns the number of the first alert of a part.
pub const fn first_iid(part: i64) -> i64 {
    1 + part * PART
}

/// Returns the part to which the alert with this number belongs.
pub const fn part_of(iid: i64) -> i64 {
    (iid - 1).div_euclid(PART)
}

/// Returns the numbers of the alerts in a part that may contain a text whose slots have these bitmaps: the first and
/// last of each run of blocks, ascending. Without bitmaps it returns the whole part.
pub fn candidates(part: i64, slices: &[Slice]) -> Vec<(i64, i64)> {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    let mut blocks = (first_iid(part)..first_iid(part + 1)).step_by(BLOCK_STEP);
    for byte in 0..SLICE_BYTES {
        let common = slices.iter().filter_map(|slice| slice.get(byte));
        let common = common.fold(u8::MAX, |common, byte| common & byte);
        for (bit, first) in (0..8).zip(blocks.by_ref()) {
            if common & (1 << bit) == 0 {
                continue;
            }
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == first => *last += BLOCK,
                _ => runs.push((first, first + BLOCK - 1)),
            }
        }
    }
    runs
}

/// A text to search for.
#[derive(Debug, Clone)]
pub struct SearchTerm {
    lowered: String,
    slots: Vec<u16>,
}

impl SearchTerm {
    /// Creates the term for a text as typed.
    pub fn new(text: &str) -> Self {
        let lowered = text.to_lowercase();
        let mut triples = Vec::new();
        let mut pairs = Vec::new();
        each_sequence(&lowered, |first, second, third| {
            let list = if third == NO_THIRD {
                &mut pairs
            } else {
                &mut triples
            };
            list.push(slot(first, second, third));
        });
        // Triples are more selective than pairs, so pairs are used only if there are no triples.
        let mut slots = if triples.is_empty() { pairs } else { triples };
        slots.sort_unstable();
        slots.dedup();
        Self {
            lowered,
            slots: spread(&slots),
        }
    }

    /// Slots that a block must have to contain the text. Empty for a single character, which may be anywhere.
    pub fn slots(&self) -> &[u16] {
        &self.slots
    }

    /// True if one of the texts contains the term, ignoring case.
    pub fn is_in(&self, texts: SearchedTexts<'_>) -> bool {
        let mut texts = texts.all().into_iter();
        texts.any(|text| text.to_lowercase().contains(&self.lowered))
    }
}

/// Returns [`MAX_SLOTS`] of the slots, evenly spread, or all of them if there are fewer.
fn spread(slots: &[u16]) -> Vec<u16> {
    let count = slots.len().min(MAX_SLOTS);
    let places = (0..count).map(|place| place * slots.len() / count);
    places
        .filter_map(|place| slots.get(place).copied())
        .collect()
}

/// Returns the slot of a sequence. Several sequences share a slot, which only means that some blocks are read
/// unnecessarily. Databases store these numbers, so this function must never change.
fn slot(first: u64, second: u64, third: u64) -> u16 {
    let sequence = (first << 42) ^ (second << 21) ^ third;
    let mixed = sequence.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let [high, low, ..] = (mixed ^ (mixed >> 29))
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .to_be_bytes();
    u16::from_be_bytes([high, low])
}

fn each_slot(lowered: &str, mut take: impl FnMut(u16)) {
    each_sequence(lowered, |first, second, third| {
        take(slot(first, second, third));
    });
}

/// Yields all sequences of two and of three characters.
fn each_sequence(lowered: &str, mut take: impl FnMut(u64, u64, u64)) {
    let mut before: (Option<u64>, Option<u64>) = (None, None);
    for character in lowered
        .chars()
        .map(|character| u64::from(u32::from(character)))
    {
        if let Some(second) = before.1 {
            take(second, character, NO_THIRD);
            if let Some(first) = before.0 {
                take(first, second, character);
            }
        }
        before = (before.1, Some(character));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(title: &str) -> SearchedTexts<'_> {
        SearchedTexts {
            title,
            description: "",
            service: "",
            monitoring_tool: "",
        }
    }

    /// Returns the first part of a project whose alerts have these titles.
    fn part_of<T: AsRef<str>>(titles: &[T]) -> SearchPart {
        let alerts = (1..)
            .map(AlertIid::new)
            .zip(titles.iter().map(|title| texts(title.as_ref())));
        SearchPart::of(ProjectId::new(1), 0, alerts)
    }

    /// Returns the runs of numbers that a search reads in this part.
    fn runs_in(part: &SearchPart, search: &str) -> Vec<(i64, i64)> {
        let slices: Vec<Slice> = SearchTerm::new(search)
            .slots()
            .iter()
            .map(|wanted| {
                let found = part.slices.iter().find(|(slot, _)| slot == wanted);
                found.map_or([0; SLICE_BYTES], |(_, slice)| *slice)
            })
            .collect();
        candidates(0, &slices)
    }

    fn looked_at(titles: &[&str], search: &str) -> Vec<(i64, i64)> {
        runs_in(&part_of(titles), search)
    }

    #[test]
    fn a_search_looks_only_into_blocks_that_may_hold_it() {
        let mut titles = vec!["Disk full"; 40];
        titles[17] = "CHECKOUT slow";
        assert_eq!(looked_at(&titles, "Checkout"), [(17, 24)]);
        assert_eq!(looked_at(&titles, "disk"), [(1, 40)]);
        assert_eq!(looked_at(&titles, "zzqqxx"), []);
        assert_eq!(
            looked_at(&titles, "ch"),
            [(17, 24)],
            "two characters are a pair"
        );
        assert_eq!(looked_at(&titles, "k"), [(1, PART)], "one may be anywhere");
    }

    #[test]
    fn slots_are_those_that_databases_hold() {
        let slots = |text: &str| SearchTerm::new(text).slots().to_vec();
        assert_eq!(slots("abc"), slots("ABC"));
        assert_eq!(
            (slots("abc"), slots("ab"), slots("a")),
            (vec![SLOT_OF_ABC], vec![SLOT_OF_AB], vec![])
        );
    }

    const SLOT_OF_ABC: u16 = 5_257;
    const SLOT_OF_AB: u16 = 49_702;

    #[test]
    fn long_search_texts_use_max_slots_without_duplicates() {
        let few = SearchTerm::new("since 77 checks");
        assert_eq!(few.slots().len(), 13, "all of them");
        for text in [
            "abcdefghijklmnopqrs".to_owned(),
            "what a long text it is ".repeat(40),
        ] {
            let slots = SearchTerm::new(&text).slots().to_vec();
            assert_eq!(slots.len(), MAX_SLOTS);
            assert!(
                slots.is_sorted_by(|one, next| one < next),
                "none is asked for twice"
            );
        }
    }

    /// Returns texts for a part whose counters continue from `first`, each with a pseudorandom number.
    fn counters(first: u64) -> Vec<String> {
        (first..first + PART.cast_unsigned())
            .map(|counter| {
                let scattered = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let scattered = (scattered ^ (scattered >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let rack = scattered % 977;
                format!("node {scattered:016x} in rack {rack} uses too much since {counter} checks")
            })
            .collect()
    }

    /// Returns the percentage of a part's alerts that a search reads: the mean of one search for each two-digit number.
    fn share_looked_at(part: &SearchPart, search: impl Fn(i64) -> String) -> i64 {
        let alerts = (10..100)
            .flat_map(|number| runs_in(part, &search(number)))
            .map(|(first, last)| last - first + 1);
        alerts.sum::<i64>() * 100 / (PART * 90)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Counters contain any two digits somewhere in every run of a hundred, so digits say little about a large
        /// block. With blocks of 16 and eight sequences the shares were 33 and 23 percent.
        #[test]
        fn digits_are_looked_for_in_few_blocks(first in 100_000..10_000_000_u64) {
            let part = part_of(&counters(first));
            let alone = share_looked_at(&part, |number| format!("{number} checks"));
            prop_assert!(alone < 20, "{alone}");
            let with_a_word = share_looked_at(&part, |number| format!("since {number} checks"));
            prop_assert!(with_a_word < 4, "{with_a_word}");
        }
    }

    proptest! {
        /// No alert that contains the text is skipped, whatever the alphabet.
        #[test]
        fn no_alert_that_matches_is_passed_over(
            titles in prop::collection::vec("[aAbßẞσΣςİiIıé日本K ]{0,12}", 1..60),
            search in "[aAbßẞσΣςİiIıé日本K ]{1,5}",
        ) {
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            let runs = looked_at(&titles, &search);
            let term = SearchTerm::new(&search);
            for (iid, title) in (1..).zip(&titles) {
                if term.is_in(texts(title)) {
                    prop_assert!(runs.iter().any(|(first, last)| (*first..=*last).contains(&iid)));
                }
            }
        }
    }
}
