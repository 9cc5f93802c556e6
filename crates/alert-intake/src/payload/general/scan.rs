//! Scan of a body for the fields of the general rule.

use api_conventions::time::Timestamp;
use serde_json::Value;

use super::table::{FoldedName, MEANINGS, Meaning};
use crate::payload::fields::{text_of, texts};
use crate::rules::datetime;

/// Deepest object whose fields are looked at; the body itself is 0.
const MAX_DEPTH: usize = 4;

/// Largest number of fields that are looked at.
const MAX_FIELDS: usize = 2_000;

/// Longest list of hosts.
const MAX_TEXTS: usize = 100;

/// Names of the specification that are read before. At the top of a body they count only in this spelling.
const SPECIFIED: [&str; 7] = [
    "description",
    "end_time",
    "fingerprint",
    "monitoring_tool",
    "severity",
    "start_time",
    "title",
];

/// A field with a meaning.
#[derive(Debug, Clone)]
pub(super) struct FieldMatch {
    pub(super) rank: usize,
    pub(super) depth: usize,
    /// Names of the objects around it and its own, joined by dots.
    pub(super) path: String,
    /// Value as text; empty if it has none.
    pub(super) text: String,
    /// All texts of a list.
    pub(super) texts: Vec<String>,
    /// Value as a flag.
    pub(super) flag: Option<bool>,
}

impl FieldMatch {
    /// True for a title at the top of the body that is spelled in another way than the specification's, such as `Title`.
    pub(super) fn is_other_title(&self) -> bool {
        self.depth == 0 && self.path.eq_ignore_ascii_case("title")
    }
}

/// All fields with a meaning, in one pass over the body.
pub(super) struct FieldScan<'v> {
    found: [Vec<(usize, usize, String, &'v Value)>; MEANINGS],
    left: usize,
}

/// Position of an object in the body.
#[derive(Clone, Copy)]
struct ObjectPlace<'p> {
    depth: usize,
    path: &'p str,
    name: FoldedName,
    /// The names of the objects around it that are no containers, and its own.
    full_name: FoldedName,
    /// The object's fields count as if they were at the top.
    is_container: bool,
    /// The object describes the alert and says nothing about its state.
    is_description: bool,
}

impl<'v> FieldScan<'v> {
    pub(super) fn of(body: &'v Value) -> Self {
        let mut scan = Self {
            found: std::array::from_fn(|_| Vec::new()),
            left: MAX_FIELDS,
        };
        let top = ObjectPlace {
            depth: 0,
            path: "",
            name: FoldedName::default(),
            full_name: FoldedName::default(),
            is_container: true,
            is_description: false,
        };
        scan.visit(body, top);
        for list in &mut scan.found {
            list.sort_by(|one, other| (one.0, one.1, &one.2).cmp(&(other.0, other.1, &other.2)));
        }
        scan
    }

    fn visit(&mut self, object: &'v Value, place: ObjectPlace<'_>) {
        for (name, value) in object.as_object().into_iter().flatten() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let is_specified =
                place.depth == 0 && SPECIFIED.contains(&name.as_str()) && !value.is_object();
            let Some(folded) = FoldedName::of(name).filter(|_| !is_specified) else {
                continue;
            };
            let path = if place.path.is_empty() {
                name.clone()
            } else {
                format!("{}.{name}", place.path)
            };
            match value {
                Value::Object(_) => self.visit_inner(value, folded, &path, place),
                // A list of one object is that object.
                Value::Array(items) if items.len() == 1 && items.iter().all(Value::is_object) => {
                    for item in items {
                        self.visit_inner(item, folded, &path, place);
                    }
                }
                _ => self.note(folded, name, &path, value, place),
            }
        }
    }

    fn visit_inner(
        &mut self,
        object: &'v Value,
        name: FoldedName,
        path: &str,
        place: ObjectPlace<'_>,
    ) {
        if place.depth >= MAX_DEPTH {
            return;
        }
        let name_of_list = name.as_str().strip_suffix('s').and_then(FoldedName::of);
        let known = [Some(name), name_of_list]
            .into_iter()
            .flatten()
            .find(FoldedName::is_container);
        let full_name = if place.is_container {
            Some(known.unwrap_or(name))
        } else {
            place.full_name.and(name.as_str())
        };
        let inner = ObjectPlace {
            depth: place.depth + 1,
            path,
            name: known.unwrap_or(name),
            full_name: full_name.unwrap_or_default(),
            is_container: place.is_container && known.is_some(),
            is_description: place.is_description || known.is_some_and(|name| name.is_description()),
        };
        self.visit(object, inner);
    }

    /// Notes a field by the name with that of its object, or in a container by its own name.
    fn note(
        &mut self,
        folded: FoldedName,
        name: &str,
        path: &str,
        value: &'v Value,
        place: ObjectPlace<'_>,
    ) {
        let joined = |object: FoldedName| {
            let joined = Some(object).filter(|_| place.depth > 0);
            let joined = joined.and_then(|object| object.and(name));
            joined.map(|joined| joined.meanings()).unwrap_or_default()
        };
        let by_both = joined(place.name);
        // In a container the full name is that of the container.
        let (by_own, by_full) = if place.is_container {
            (folded.meanings(), &[][..])
        } else {
            (&[][..], joined(place.full_name))
        };
        let by_full = by_full.iter().filter(|found| !by_both.contains(found));
        for (meaning, rank) in by_full.chain(by_both).chain(by_own) {
            let is_state = matches!(
                meaning,
                Meaning::State
                    | Meaning::StateNumber
                    | Meaning::StateHint
                    | Meaning::OverFlag
                    | Meaning::FiringFlag
            );
            let is_time = matches!(meaning, Meaning::Start | Meaning::ReportTime | Meaning::End);
            let is_inner_flag = *meaning == Meaning::FiringFlag && place.depth > 0;
            if ((is_state || is_time) && place.is_description) || is_inner_flag {
                continue;
            }
            if let Some(list) = self.found.get_mut(*meaning as usize) {
                list.push((*rank, place.depth, path.to_owned(), value));
            }
        }
    }

    /// Returns all fields of a meaning that have a text or a flag, the best first.
    pub(super) fn all(&self, meaning: Meaning) -> Vec<FieldMatch> {
        let list = self
            .found
            .get(meaning as usize)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let usable = |(rank, depth, path, value): &(usize, usize, String, &Value)| {
            let mut texts = texts(Some(value));
            texts.truncate(MAX_TEXTS);
            let found = FieldMatch {
                rank: *rank,
                depth: *depth,
                path: path.clone(),
                text: text_of(value).unwrap_or_default().into_owned(),
                texts,
                flag: flag_of(value),
            };
            (!found.text.is_empty() || !found.texts.is_empty() || found.flag.is_some())
                .then_some(found)
        };
        list.iter().filter_map(usable).collect()
    }

    /// Returns the best field of a meaning that has a text.
    pub(super) fn best(&self, meaning: Meaning) -> Option<FieldMatch> {
        let has_text = |found: &FieldMatch| {
            if meaning == Meaning::Host {
                !found.texts.is_empty()
            } else {
                !found.text.is_empty()
            }
        };
        self.all(meaning).into_iter().find(has_text)
    }

    pub(super) fn text(&self, meaning: Meaning) -> Option<String> {
        self.best(meaning).map(|found| found.text)
    }

    /// Returns the first field of a meaning that is a time.
    pub(super) fn time(&self, meaning: Meaning) -> Option<Timestamp> {
        self.all(meaning)
            .iter()
            .find_map(|found| datetime::parse(&found.text))
    }
}

/// Returns a flag: a boolean, or a word for one.
fn flag_of(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// True if a top-level field changes from one report about an alert to the next.
pub(super) fn is_volatile(name: &str) -> bool {
    let volatile = |(meaning, _): &(Meaning, usize)| {
        !matches!(
            meaning,
            Meaning::Title
                | Meaning::Host
                | Meaning::Service
                | Meaning::Environment
                | Meaning::Part
                | Meaning::Key
                | Meaning::RuleKey
                | Meaning::Tool
        )
    };
    let meanings = FoldedName::of(name)
        .map(|name| name.meanings())
        .unwrap_or_default();
    SPECIFIED.contains(&name) && name != "title" || meanings.iter().any(volatile)
}
