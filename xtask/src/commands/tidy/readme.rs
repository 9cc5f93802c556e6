//! Features of a package: its README lists those of its manifest, and no others.

use std::collections::BTreeSet;

/// Heading of the section of a README that lists features.
const HEADING: &str = "## Features";

/// Faults of the list of features in a README. The feature `default` is not listed, since the features that it enables
/// are.
pub(crate) fn faults<'p>(readme: &str, features: impl Iterator<Item = &'p str>) -> Vec<String> {
    let listed: BTreeSet<&str> = listed(readme).collect();
    let declared: BTreeSet<&str> = features.filter(|name| *name != "default").collect();
    let missing = declared.difference(&listed);
    let unknown = listed.difference(&declared);
    let missing =
        missing.map(|name| format!("the feature `{name}` is not listed below `{HEADING}`"));
    let unknown = unknown.map(|name| format!("`{name}` is not a feature of the manifest"));
    missing.chain(unknown).collect()
}

/// Names in code spans at the beginning of each item (`* …:`) or row (`| … |`) below the heading.
fn listed(readme: &str) -> impl Iterator<Item = &str> {
    let below = readme.lines().skip_while(|line| *line != HEADING).skip(1);
    let section = below.take_while(|line| !line.starts_with("## "));
    let heads = section.filter_map(|line| {
        let item = line
            .strip_prefix("* ")
            .and_then(|rest| rest.split(':').next());
        item.or_else(|| line.strip_prefix("| ")?.split('|').next())
    });
    // Every second part of a text, split at backticks, is a code span.
    heads.flat_map(|head| head.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "# lamps\n\nNo `heading` here.\n\n## Features\n\n\
                          * `dim`, `blink` (all default): what `lamps` do.\n\n\
                          | feature | brings |\n|---|---|\n| `tls` | `OpenSSL` |\n\n## Else\n\n* `other`: x\n";

    #[test]
    fn a_list_that_names_each_feature_is_right() {
        let features = ["default", "blink", "dim", "tls"].into_iter();
        assert_eq!(faults(README, features), Vec::<String>::new());
        assert_eq!(
            faults("# lamps\n", std::iter::empty()),
            Vec::<String>::new()
        );
    }

    #[test]
    fn missing_and_unknown_features_are_reported() {
        let found = faults(README, ["blink", "dim", "glow"].into_iter());
        assert_eq!(
            found,
            [
                "the feature `glow` is not listed below `## Features`",
                "`tls` is not a feature of the manifest"
            ]
        );
        let found = faults("# lamps\n", ["dim"].into_iter());
        assert_eq!(
            found,
            ["the feature `dim` is not listed below `## Features`"]
        );
    }
}
