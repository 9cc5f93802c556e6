//! Tier of an environment, guessed from its name.

use crate::model::EnvironmentTier;

/// Returns the tier that the name of an environment suggests, for environments without an explicit one.
pub fn tier_of(name: &str) -> EnvironmentTier {
    let name = name.to_ascii_lowercase();
    let holds = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if holds(&["dev", "review", "trunk"]) {
        EnvironmentTier::Development
    } else if holds(&["test", "tst", "qa", "qc", "acceptance"]) {
        EnvironmentTier::Testing
    } else if holds(&["st", "mod", "pre", "demo", "non"]) {
        EnvironmentTier::Staging
    } else if holds(&["pr", "live"]) {
        EnvironmentTier::Production
    } else {
        EnvironmentTier::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_name_determines_the_tier() {
        for (name, tier) in [
            ("production", EnvironmentTier::Production),
            ("live", EnvironmentTier::Production),
            ("Staging", EnvironmentTier::Staging),
            ("preprod", EnvironmentTier::Staging),
            ("qa-1", EnvironmentTier::Testing),
            ("review/feature", EnvironmentTier::Development),
            ("anything", EnvironmentTier::Other),
        ] {
            assert_eq!(tier_of(name), tier, "{name}");
        }
    }
}
