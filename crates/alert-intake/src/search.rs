//! Searching the texts of alerts without reading all of them.
//!
//! A search is for a part of a text, in any case of any alphabet, so no index of words answers it. What an adapter can
//! keep instead is, for each block of [`BLOCK`] alerts, which short sequences of characters occur in it: a block that
//! lacks one of those that the searched text consists of cannot hold the text, and its alerts need not be read. The
//! blocks that are left are read and compared, so what is kept need not be exact. ADR 15 has the reasons and figures.
//!
//! The alerts of a project are prepared in parts of [`PART`] consecutive numbers, some time after they were stored,
//! because texts of alerts never change and intake shall not wait for it. What is not yet prepared is read.

use api_conventions::ids::{AlertIid, ProjectId};

/// Alerts that are looked at together: those whose numbers follow each other.
pub const BLOCK: i64 = 8;
/// [`BLOCK`] as a step between numbers.
const BLOCK_STEP: usize = 8;
/// Alerts that are prepared together: a multiple of [`BLOCK`].
pub const PART: i64 = 4096;
/// Bytes that hold a bit for each block of a part.
pub const SLICE_BYTES: usize = 64;

/// Sequences that a search asks for, at most: each is one row more for every part. Digits need many, because a sequence
/// of them is in a good share of all blocks, and only together few blocks have them.
const ASKED: usize = 16;
/// Stands where a sequence of two characters has no third; no character has this number.
const NO_THIRD: u64 = 0x1f_ffff;

/// A bit for each block of a part, the first block in the lowest bit of the first byte.
pub type Slice = [u8; SLICE_BYTES];

/// The texts of an alert that a search looks into, in lower case.
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

/// A part of a project's alerts, prepared for searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPart {
    /// The project.
    pub project_id: ProjectId,
    /// The place of the part in the project, from 0: it begins with the number `1 + number * PART`.
    pub number: i64,
    /// For each sequence that occurs, by its slot, the blocks that it occurs in. The slots ascend.
    pub slices: Vec<(u16, Slice)>,
}

impl SearchPart {
    /// Prepares the part `number` of a project, whose alerts are told by `alerts` in any order. Those that belong to
    /// another part are left out.
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
        }
    }
}

/// The number of the first alert of a part.
pub const fn first_iid(part: i64) -> i64 {
    1 + part * PART
}

/// The numbers of the alerts that may hold a text whose slots have these slices in the part: the first and the last
/// of each run of blocks, ascending. Without slices nothing is known, so it is the whole part.
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

/// A text that is searched for.
#[derive(Debug, Clone)]
pub struct SearchTerm {
    lowered: String,
    slots: Vec<u16>,
}

impl SearchTerm {
    /// The term for a text as it was typed.
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
        // Three characters occur in fewer blocks than two of them, so pairs are asked for only where nothing is longer.
        let mut slots = if triples.is_empty() { pairs } else { triples };
        slots.sort_unstable();
        slots.dedup();
        Self {
            lowered,
            slots: spread(&slots),
        }
    }

    /// The slots that a block must have to hold the text. None for a single character, which may be anywhere.
    pub fn slots(&self) -> &[u16] {
        &self.slots
    }

    /// Whether one of the texts holds the term, in any case.
    pub fn is_in(&self, texts: SearchedTexts<'_>) -> bool {
        let mut texts = texts.all().into_iter();
        texts.any(|text| text.to_lowercase().contains(&self.lowered))
    }
}

/// [`ASKED`] of the slots, evenly spread over all of them; all where there are no more.
fn spread(slots: &[u16]) -> Vec<u16> {
    let count = slots.len().min(ASKED);
    let places = (0..count).map(|place| place * slots.len() / count);
    places
        .filter_map(|place| slots.get(place).copied())
        .collect()
}

/// Where a sequence is kept. Several share a slot: then a block is read that need not be. The numbers stand in
/// databases, so this never changes.
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

/// All sequences of two and of three characters.
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

    /// The first part of a project, whose alerts have these titles.
    fn part_of<T: AsRef<str>>(titles: &[T]) -> SearchPart {
        let alerts = (1..)
            .map(AlertIid::new)
            .zip(titles.iter().map(|title| texts(title.as_ref())));
        SearchPart::of(ProjectId::new(1), 0, alerts)
    }

    /// The runs of numbers in which a search looks in this part.
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
    fn a_long_text_asks_for_a_few_sequences_of_its_whole_length() {
        let few = SearchTerm::new("since 77 checks");
        assert_eq!(few.slots().len(), 13, "all of them");
        for text in [
            "abcdefghijklmnopqrs".to_owned(),
            "what a long text it is ".repeat(40),
        ] {
            let slots = SearchTerm::new(&text).slots().to_vec();
            assert_eq!(slots.len(), ASKED);
            assert!(
                slots.is_sorted_by(|one, next| one < next),
                "none is asked for twice"
            );
        }
    }

    /// Texts of a part whose counters go on from `first`, each with a number that looks like any other.
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

    /// How many of a part's alerts a search looks at, in hundredths: the mean of one search for each number of two digits.
    fn share_looked_at(part: &SearchPart, search: impl Fn(i64) -> String) -> i64 {
        let alerts = (10..100)
            .flat_map(|number| runs_in(part, &search(number)))
            .map(|(first, last)| last - first + 1);
        alerts.sum::<i64>() * 100 / (PART * 90)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Counters hold any two digits somewhere in every run of a hundred, so digits say little about a large block. With
        /// blocks of 16 and eight sequences the shares were 33 and 23 hundredths.
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
        /// Nothing that holds the text is ever passed over, whatever the alphabet.
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
