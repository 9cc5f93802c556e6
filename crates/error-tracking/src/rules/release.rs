//! The order of releases.

use std::cmp::Ordering;

use semver::Version;

/// Order of two releases of a project, by their versions; `None` if no order is known.
///
/// A release is `package@version`, or the version alone. A version that lacks its last parts has zeros there, so `1.2`
/// is `1.2.0`; build numbers count last. Releases of different packages have no order.
pub fn compare(first: &str, second: &str) -> Option<Ordering> {
    if first == second {
        return Some(Ordering::Equal);
    }
    let [first, second] = [first, second].map(parts);
    if first.0 != second.0 {
        return None;
    }
    let [first, second] = [version(first.1)?, version(second.1)?];
    Some(first.cmp(&second))
}

fn parts(release: &str) -> (Option<&str>, &str) {
    match release.rsplit_once('@') {
        Some((package, version)) => (Some(package), version),
        None => (None, release),
    }
}

fn version(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let count = numbers.split('.').count();
    if count > 3 {
        return None;
    }
    let missing = ".0".repeat(3 - count);
    Version::parse(&format!("{numbers}{missing}{rest}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_an_order() {
        for (first, second, expected) in [
            ("1.0.0", "1.0.0", Some(Ordering::Equal)),
            ("1.9.0", "1.10.0", Some(Ordering::Less)),
            ("web@1.9", "web@1.10", Some(Ordering::Less)),
            ("v2", "v10", Some(Ordering::Less)),
            ("1.0.0-rc.1", "1.0.0", Some(Ordering::Less)),
            ("1.0", "1.0.0", Some(Ordering::Equal)),
            ("web@1.0.0", "api@2.0.0", None),
            ("web@1.0.0", "2.0.0", None),
            ("3f2a9c1", "8b1d2e4", None),
            ("3f2a9c1", "3f2a9c1", Some(Ordering::Equal)),
            ("1.2.3.4", "1.2.3.5", None),
            ("", "1.0", None),
        ] {
            assert_eq!(compare(first, second), expected, "{first} {second}");
            let back = expected.map(Ordering::reverse);
            assert_eq!(compare(second, first), back, "{second} {first}");
        }
    }
}
