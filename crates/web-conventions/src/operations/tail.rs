//! Paths whose beginning may be anything: `/{*project}/alerts/notify/{slug}/{endpoint}`.

/// Segments of a path after a parameter for everything before them. A segment is a text or a parameter, never both.
#[derive(Debug)]
pub(super) struct Tail {
    /// Name of the parameter for everything before the tail.
    parameter: &'static str,
    /// Segments, the last one first.
    segments: Vec<&'static str>,
}

impl Tail {
    /// Returns the tail of a declared path; `None` if the path does not begin with a parameter for several segments, or
    /// has nothing after it.
    pub(super) fn of(path: &'static str) -> Option<Self> {
        let (parameter, tail) = path.strip_prefix("/{*")?.split_once('}')?;
        let tail = tail.strip_prefix('/')?;
        Some(Self {
            parameter,
            segments: tail.rsplit('/').collect(),
        })
    }

    /// Returns the values of all parameters if a path has this tail and something before it.
    pub(super) fn match_path(&self, path: &str) -> Option<Vec<(&'static str, String)>> {
        let mut rest = path.strip_prefix('/')?;
        let mut values = Vec::new();
        for segment in &self.segments {
            let (before, last) = rest.rsplit_once('/')?;
            match parameter_of(segment) {
                Some(name) if !last.is_empty() => values.push((name, last.to_owned())),
                None if *segment == last => {}
                _ => return None,
            }
            rest = before;
        }
        values.push((self.parameter, rest.to_owned()));
        values.reverse();
        (!rest.is_empty()).then_some(values)
    }
}

/// Returns the name of the parameter that is a segment.
fn parameter_of(segment: &'static str) -> Option<&'static str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_has_texts_and_parameters_after_anything() {
        let tail = Tail::of("/{*project}/notify/{slug}/{end}").unwrap();
        let values = |path: &str| {
            let values = tail.match_path(path)?;
            Some(
                values
                    .into_iter()
                    .map(|(_, value)| value)
                    .collect::<Vec<_>>(),
            )
        };
        let found = values("/a/b/notify/s/e.json").unwrap();
        assert_eq!(found, ["a/b", "s", "e.json"]);
        for other in [
            "/notify/s/e",
            "/a/notify//e",
            "/a/notify/s",
            "/a/notice/s/e",
            "a/notify/s/e",
            "/",
        ] {
            assert_eq!(values(other), None, "{other}");
        }
        let names: Vec<&str> = tail
            .match_path("/a/notify/s/e")
            .unwrap()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["project", "slug", "end"]);
        for path in ["/{*rest}", "/static/{*rest}", "/api/{id}"] {
            assert!(Tail::of(path).is_none(), "{path}");
        }
    }
}
