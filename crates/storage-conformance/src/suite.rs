//! How a suite is written down once and becomes both a list of cases and a macro that makes tests of them.

/// Defines a suite: `cases()` in the module that calls it, and an exported macro with the suite's name.
///
/// First come the suite's own cases, each under the file with its function; then, in brackets, the entities with the
/// standard clauses that hold for them, under the names that they have in this suite.
///
/// The first token is a dollar sign, which the exported macro needs for its own parameters.
macro_rules! suite {
    (
        $d:tt
        $(#[$doc:meta])*
        $suite:ident = $module:ident::cases where Store: $bound:path;
        $( $file:ident { $( $case:ident $(needs $needs:ident)?, )* } )*
        $( [$entity:ty] { $( $own:ident = $clauses:ident::$clause:ident $(needs $own_needs:ident)?, )* } )*
    ) => {
        /// The cases of this suite, in the order of their clauses.
        pub fn cases<H: $crate::Harness>() -> Vec<$crate::Case<H>>
        where
            H::Store: $bound,
        {
            vec![ $( $(
                $crate::Case {
                    name: stringify!($case),
                    needs: $crate::suite::needs!($($needs)?),
                    check: |harness| {
                        $crate::IntoVerdict::into_verdict($file::$case::<H>(harness))
                    },
                },
            )* )* $( $(
                $crate::Case {
                    name: stringify!($own),
                    needs: $crate::suite::needs!($($own_needs)?),
                    check: $crate::entity::$clauses::$clause::<$entity, H>,
                },
            )* )* ]
        }

        $(#[$doc])*
        #[macro_export]
        macro_rules! $suite {
            ($d harness:ty $d(, skips: [ $d($d skip:literal),* $d(,)? ])? $d(,)?) => {
                $( $(
                    #[test]
                    fn $case() {
                        $crate::run::<$d harness>(&$crate::$module::cases(), stringify!($case));
                    }
                )* )*

                $( $(
                    #[test]
                    fn $own() {
                        $crate::run::<$d harness>(&$crate::$module::cases(), stringify!($own));
                    }
                )* )*

                #[test]
                fn the_skipped_cases_are_the_declared_ones() {
                    let declared: &[&str] = &[ $d($d( $d skip ),*)? ];
                    $crate::check_skips::<$d harness>(&$crate::$module::cases(), declared);
                }
            };
        }
    };
}

/// What a case needs; nothing when it does not say.
macro_rules! needs {
    () => {
        $crate::Needs::Nothing
    };
    ($needs:ident) => {
        $crate::Needs::$needs
    };
}

pub(crate) use {needs, suite};
