//! Names of functions, modules and files without the parts that a compiler or a runtime generates.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($pattern).expect("the pattern is well-formed"));
    };
}

pattern!(
    JAVA_MODULE,
    r"(\$\$[\w_]*?(?:CGLIB|Proxy|Lambda)\w*?\$\$|_\$\$_javassist(?:_seam)?_|\$\$Lambda(?:\$|/)?|(?:sun|jdk\.internal)\.reflect\.Generated\w*?Accessor|\$Proxy)[0-9a-fA-F$/x]*"
);
pattern!(JAVA_LAMBDA, r"^lambda\$(.*?)\$\d+$");
pattern!(CLOJURE, r"__\d+");
pattern!(
    RUBY_BLOCK,
    r"^(?:block|rescue|ensure)(?: \(\d+ levels\))? in (.*)$"
);
pattern!(RUBY_ERB, r"__\d{4,}_\d{4,}$");
pattern!(PHP_ANONYMOUS, r"^(.*?class@anonymous).*$");
pattern!(RUST_HASH, r"::h[0-9a-f]{16}$");
pattern!(DIGEST, r"[-.][0-9a-f]{6,40}(\.chunk)?(\.[a-z]+)$");

/// True if source lines say more about a place than the function name in this language.
pub(super) fn has_context_lines(platform: &str) -> bool {
    matches!(
        platform,
        "javascript" | "node" | "python" | "php" | "ruby" | "perl" | "elixir"
    )
}

/// Function name without generated parts; `None` if there is no name at all.
pub(super) fn function<'n>(name: &'n str, platform: &str) -> Option<Cow<'n, str>> {
    let name = name.trim();
    let is_none = matches!(
        name,
        "" | "?"
            | "??"
            | "<anonymous>"
            | "(anonymous)"
            | "anonymous"
            | "[native code]"
            | "eval"
            | "<unknown>"
            | "unknown"
    );
    if is_none {
        return None;
    }
    Some(match platform {
        "java" | "kotlin" | "scala" | "clojure" => {
            let name = JAVA_LAMBDA.replace(name, "lambda$$$1");
            Cow::Owned(CLOJURE.replace_all(&name, "").into_owned())
        }
        "ruby" => {
            let name = RUBY_BLOCK.replace(name, "$1");
            Cow::Owned(RUBY_ERB.replace(&name, "").into_owned())
        }
        "php" => PHP_ANONYMOUS.replace(name, "$1"),
        "javascript" | "node" => {
            let name = name.strip_prefix("async ").unwrap_or(name);
            let own = name.strip_prefix("Object.").unwrap_or(name);
            if matches!(own, "<anonymous>" | "eval") {
                return None;
            }
            Cow::Borrowed(own)
        }
        "native" | "rust" | "c" | "cocoa" | "objc" | "go" => {
            let name = RUST_HASH.replace(name, "");
            Cow::Owned(without_arguments(&name).to_owned())
        }
        _ => Cow::Borrowed(name),
    })
}

/// Function name of C++ and related languages without its arguments, unless the brackets are part of the name.
fn without_arguments(name: &str) -> &str {
    let is_of_name = name.starts_with(['-', '+', '(']) || name.contains("operator()");
    match name.find('(') {
        Some(at) if at > 0 && !is_of_name => name.get(..at).unwrap_or(name).trim_end(),
        _ => name,
    }
}

/// Module name without generated parts.
pub(super) fn module<'n>(name: &'n str, platform: &str) -> Cow<'n, str> {
    match platform {
        "java" | "kotlin" | "scala" | "clojure" => {
            let name = JAVA_MODULE.replace_all(name, "$1");
            Cow::Owned(CLOJURE.replace_all(&name, "").into_owned())
        }
        "php" => PHP_ANONYMOUS.replace(name, "$1"),
        _ => Cow::Borrowed(name),
    }
}

/// Last part of a file name in lower case, without the digest of a bundler; `None` if the name is not that of a file.
pub(super) fn file(name: &str) -> Option<String> {
    let name = name.split(['?', '#']).next().unwrap_or_default();
    let is_none = name.starts_with("blob:")
        || name.starts_with("data:")
        || matches!(
            name,
            "" | "<anonymous>" | "[native code]" | "native" | "<unknown>" | "<string>" | "<stdin>"
        );
    if is_none {
        return None;
    }
    let base = name
        .trim_end_matches(['/', '\\'])
        .rsplit(['/', '\\'])
        .next()?;
    let base = base.to_lowercase();
    Some(DIGEST.replace(&base, "$1$2").into_owned()).filter(|base| !base.is_empty())
}

/// True if a file is named by the URL from which it was loaded.
pub(super) fn is_address(file: &str) -> bool {
    [
        "http://",
        "https://",
        "file://",
        "applewebdata://",
        "app://",
        "blob:",
    ]
    .iter()
    .any(|scheme| file.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_parts_of_function_names_are_removed() {
        for (name, platform, expected) in [
            ("lambda$run$12", "java", Some("lambda$run")),
            ("fn__1234", "clojure", Some("fn")),
            ("block (2 levels) in call", "ruby", Some("call")),
            (
                "_app_views_show_html_erb__4212_70161",
                "ruby",
                Some("_app_views_show_html_erb"),
            ),
            (
                "class@anonymous/srv/x.php:7$0::run",
                "php",
                Some("class@anonymous"),
            ),
            ("Object.<anonymous>", "node", None),
            ("async run", "node", Some("run")),
            (
                "shop::cart::add::h0123456789abcdef",
                "rust",
                Some("shop::cart::add"),
            ),
            ("add(int, char const*)", "native", Some("add")),
            (
                "Foo::operator()(int)",
                "native",
                Some("Foo::operator()(int)"),
            ),
            ("-[Cart add:]", "cocoa", Some("-[Cart add:]")),
            ("?", "javascript", None),
            ("run", "python", Some("run")),
        ] {
            assert_eq!(function(name, platform).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn generated_parts_of_module_names_are_removed() {
        for (name, expected) in [
            (
                "shop.Cart$$EnhancerBySpringCGLIB$$1a2b3c4d",
                "shop.Cart$$EnhancerBySpringCGLIB$$",
            ),
            ("shop.Cart_$$_javassist_12", "shop.Cart_$$_javassist_"),
            (
                "sun.reflect.GeneratedMethodAccessor42",
                "sun.reflect.GeneratedMethodAccessor",
            ),
            ("com.sun.proxy.$Proxy17", "com.sun.proxy.$Proxy"),
            ("shop.Cart$$Lambda$14/0x0000000800b8", "shop.Cart$$Lambda$"),
            ("shop.Cart", "shop.Cart"),
        ] {
            assert_eq!(module(name, "java"), expected);
        }
    }

    #[test]
    fn files_are_named_by_their_last_part() {
        for (name, expected) in [
            ("/srv/app/Cart.py", Some("cart.py")),
            ("C:\\app\\Cart.cs", Some("cart.cs")),
            ("https://cdn.example/app.3f2a9c1b.js?v=7", Some("app.js")),
            ("webpack:///./src/cart.ts", Some("cart.ts")),
            ("blob:https://x.example/1", None),
            ("<anonymous>", None),
            ("", None),
        ] {
            assert_eq!(file(name).as_deref(), expected, "{name}");
        }
    }
}
