//! Allowed imports between crates: the table, and the rules that the table must follow.

/// Purpose of a crate, which decides its allowed imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Types that every crate shares.
    Vocabulary,
    /// Code generation at compile time for the contract. Not linked into any program.
    Macros,
    /// The storage contract. It links no dependency.
    Contract,
    /// A pattern that several domains share. It builds on the two above.
    Pattern,
    /// The product's domain. It builds on the three above and knows no technology.
    Domain,
    /// An implementation of the storage contract with some technology.
    Adapter,
    /// Tests that an adapter keeps the contract. They know no adapter.
    Conformance,
    /// A tool that an adapter or the program needs and no library provides. It imports none of our crates.
    Tool,
    /// External programs and files that tests need.
    TestSupport,
    /// Use cases over all of them, for any front end: they know no web framework.
    UseCases,
    /// HTTP code that is independent of the product: it knows no use case.
    Web,
    /// The program, the only one that sees everything.
    App,
    /// A host that shows how the crates are embedded. It knows no use case and nothing of the program.
    Example,
    /// The chores.
    Chores,
}

impl Layer {
    /// Layers that a crate of this layer may import from.
    fn imports(self) -> &'static [Self] {
        match self {
            Self::Vocabulary | Self::Macros | Self::Tool | Self::TestSupport | Self::Chores => &[],
            Self::Contract => &[Self::Macros],
            Self::Pattern => &[Self::Vocabulary, Self::Contract],
            Self::Domain | Self::Web => &[Self::Vocabulary, Self::Contract, Self::Pattern],
            Self::Adapter => &[
                Self::Vocabulary,
                Self::Contract,
                Self::Pattern,
                Self::Domain,
                Self::Tool,
            ],
            Self::Conformance => &[
                Self::Vocabulary,
                Self::Contract,
                Self::Pattern,
                Self::Domain,
            ],
            Self::UseCases | Self::Example => &[
                Self::Vocabulary,
                Self::Contract,
                Self::Pattern,
                Self::Domain,
                Self::Adapter,
            ],
            Self::App => &[
                Self::Vocabulary,
                Self::Contract,
                Self::Pattern,
                Self::Domain,
                Self::Adapter,
                Self::Tool,
                Self::UseCases,
                Self::Web,
            ],
        }
    }

    /// True if a crate of this layer may import one of the other.
    pub(crate) fn may_import(self, other: Self) -> bool {
        self.imports().contains(&other)
    }

    /// True if crates of this layer must work in any host, whatever its runtime, database and web framework.
    pub(crate) fn is_portable(self) -> bool {
        matches!(
            self,
            Self::Vocabulary | Self::Macros | Self::Contract | Self::Pattern | Self::Domain
        )
    }
}

impl Layer {
    /// Packages that a crate of this layer must not reach, at any depth. A name that ends in `*` matches every name
    /// with that prefix.
    pub(crate) fn unreachable(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::UseCases => &[FRAMEWORKS],
            Self::Web => &[DATABASES],
            _ if self.is_portable() => &[FRAMEWORKS, CLIENTS, DATABASES, TECHNOLOGY],
            _ => &[],
        }
    }

    /// True if a crate of this layer must not reach the package.
    pub(crate) fn must_not_reach(self, package: &str) -> bool {
        let is_match = |pattern: &&str| match pattern.strip_suffix('*') {
            Some(beginning) => package.starts_with(beginning),
            None => package == *pattern,
        };
        self.unreachable().iter().copied().flatten().any(is_match)
    }
}

/// A crate of ours: its layer, and the crates of ours that it imports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerRow {
    pub(crate) name: &'static str,
    pub(crate) layer: Layer,
    pub(crate) imports: &'static [&'static str],
}

const fn row(name: &'static str, layer: Layer, imports: &'static [&'static str]) -> LayerRow {
    LayerRow {
        name,
        layer,
        imports,
    }
}

/// Every crate and every edge. Development dependencies are exempt. A new edge is a decision: it needs an ADR.
pub(crate) const TABLE: &[LayerRow] = &[
    row("api-conventions", Layer::Vocabulary, &[]),
    row("storage-macros", Layer::Macros, &[]),
    row("storage", Layer::Contract, &["storage-macros"]),
    row("records", Layer::Pattern, &["api-conventions", "storage"]),
    row("accounts", Layer::Domain, &["api-conventions", "storage"]),
    row(
        "alert-intake",
        Layer::Domain,
        &["api-conventions", "storage"],
    ),
    row(
        "deprecations",
        Layer::Domain,
        &["api-conventions", "storage"],
    ),
    row("events", Layer::Domain, &["api-conventions", "storage"]),
    row(
        "error-tracking",
        Layer::Domain,
        &["api-conventions", "storage"],
    ),
    row("markdown", Layer::Domain, &[]),
    row(
        "oauth-provider",
        Layer::Domain,
        &["api-conventions", "storage"],
    ),
    row(
        "notifications",
        Layer::Domain,
        &["api-conventions", "storage"],
    ),
    row("pipelines", Layer::Domain, &["api-conventions", "storage"]),
    row(
        "projects",
        Layer::Domain,
        &["api-conventions", "records", "storage"],
    ),
    row(
        "storage-diesel",
        Layer::Adapter,
        &[
            "accounts",
            "alert-intake",
            "api-conventions",
            "deprecations",
            "error-tracking",
            "events",
            "notifications",
            "oauth-provider",
            "pipelines",
            "projects",
            "records",
            "sqlite-deadline",
            "storage",
            "storage-diesel-macros",
        ],
    ),
    row("storage-diesel-macros", Layer::Tool, &[]),
    row("freed-memory", Layer::Tool, &[]),
    row("sqlite-deadline", Layer::Tool, &[]),
    row("storage-conformance", Layer::Conformance, EVERY_DOMAIN),
    row("test-databases", Layer::TestSupport, &[]),
    row(
        "gatehouse-core",
        Layer::UseCases,
        &[
            "accounts",
            "alert-intake",
            "api-conventions",
            "deprecations",
            "error-tracking",
            "events",
            "markdown",
            "notifications",
            "oauth-provider",
            "pipelines",
            "projects",
            "records",
            "storage",
            "storage-diesel",
        ],
    ),
    row(
        "web-conventions",
        Layer::Web,
        &["api-conventions", "records", "storage"],
    ),
    row(
        "gatehouse",
        Layer::App,
        &[
            "accounts",
            "alert-intake",
            "api-conventions",
            "deprecations",
            "error-tracking",
            "events",
            "freed-memory",
            "gatehouse-core",
            "markdown",
            "notifications",
            "oauth-provider",
            "pipelines",
            "projects",
            "records",
            "storage",
            "web-conventions",
        ],
    ),
    row(
        "axum-host",
        Layer::Example,
        &[
            "alert-intake",
            "api-conventions",
            "storage",
            "storage-diesel",
        ],
    ),
    row(
        "plain-host",
        Layer::Example,
        &[
            "api-conventions",
            "oauth-provider",
            "storage",
            "storage-diesel",
        ],
    ),
    row(
        "redb-adapter",
        Layer::Example,
        &["alert-intake", "api-conventions", "events", "storage"],
    ),
    row("packaging", Layer::Chores, &[]),
    row("third-party", Layer::Chores, &[]),
    row("xtask", Layer::Chores, &[]),
];

/// Imports of a crate that knows every domain.
const EVERY_DOMAIN: &[&str] = &[
    "accounts",
    "alert-intake",
    "api-conventions",
    "deprecations",
    "error-tracking",
    "events",
    "notifications",
    "oauth-provider",
    "pipelines",
    "projects",
    "records",
    "storage",
];

/// Web frameworks.
const FRAMEWORKS: &[&str] = &["actix-*", "axum", "hyper", "hyper-*"];

/// Clients of HTTP and mail. Use cases may call other servers, as they may call a database (ADR 36).
const CLIENTS: &[&str] = &["isahc", "lettre", "reqwest", "ureq"];

/// Databases.
const DATABASES: &[&str] = &[
    "diesel*",
    "libsqlite3-sys",
    "pq-sys",
    "r2d2",
    "rusqlite",
    "sqlx*",
];

/// Runtimes and logging back ends.
const TECHNOLOGY: &[&str] = &[
    "async-std",
    "env_logger",
    "smol",
    "tokio",
    "tokio-*",
    "tracing-subscriber",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_star_match_by_prefix() {
        for package in ["tokio", "actix-web", "diesel", "diesel_migrations", "r2d2"] {
            assert!(Layer::Domain.must_not_reach(package), "{package}");
        }
        for package in ["tokyo", "actix", "serde", "r2d2x", "ureq-proto"] {
            assert!(!Layer::Domain.must_not_reach(package), "{package}");
        }
    }

    #[test]
    fn use_cases_may_have_a_database_and_no_web() {
        assert!(!Layer::UseCases.must_not_reach("diesel"));
        assert!(!Layer::UseCases.must_not_reach("ureq"));
        assert!(Layer::Domain.must_not_reach("ureq"));
        for package in ["actix-web", "actix-rt", "axum", "hyper"] {
            assert!(Layer::UseCases.must_not_reach(package), "{package}");
            assert!(!Layer::App.must_not_reach(package), "{package}");
        }
        assert!(!Layer::UseCases.may_import(Layer::App));
    }

    #[test]
    fn http_of_no_product_knows_no_database_and_no_use_case() {
        assert!(Layer::Web.must_not_reach("diesel"));
        assert!(!Layer::Web.must_not_reach("actix-web"));
        for other in [Layer::UseCases, Layer::Domain, Layer::Adapter, Layer::App] {
            assert!(!Layer::Web.may_import(other), "{other:?}");
        }
        assert!(Layer::App.may_import(Layer::Web));
    }

    #[test]
    fn domain_crates_see_neither_each_other_nor_adapters() {
        assert!(Layer::Domain.may_import(Layer::Contract));
        for other in [Layer::Domain, Layer::Adapter, Layer::App] {
            assert!(!Layer::Domain.may_import(other), "{other:?}");
        }
        assert!(!Layer::Conformance.may_import(Layer::Adapter));
        assert!(!Layer::Adapter.may_import(Layer::App));
    }
}
