//! Definition of a suite, from which both a list of cases and a macro of tests are generated.

/// Defines a suite: `cases()` in the module that calls it, and an exported macro with the suite's name.
///
/// The suite's own cases come first, each under the file with its function; then, in brackets, the entities with the
/// standard clauses that hold for them, under the names that they have in this suite.
///
/// The cases are `for` the store of an area. Those of the suite of the store are `where Store: …` instead: they are
/// generic over the harness, and have no entities.
///
/// The first token is a dollar sign, which the exported macro needs for its own parameters.
macro_rules! suite {
    (
        $d:tt
        $(#[$doc:meta])*
        $suite:ident = $module:ident::cases for $store:ty;
        $( $file:ident { $( $case:ident $(needs $needs:ident)?, )* } )*
        $( [$entity:ty] { $( $own:ident = $clauses:ident::$clause:ident $(needs $own_needs:ident)?, )* } )*
        $( records { $( $kind:ident: $record:ty, )* } )?
    ) => {
        /// The cases of this suite, in the order of their clauses.
        pub fn cases() -> Vec<$crate::ConformanceCase<$crate::areas::AreaHarness<$store>>> {
            let own: Vec<$crate::ConformanceCase<$crate::areas::AreaHarness<$store>>> = vec![ $( $(
                $crate::ConformanceCase {
                    name: stringify!($case),
                    kind: "",
                    needs: $crate::suite::needs!($($needs)?),
                    check: |harness| $crate::IntoVerdict::into_verdict($file::$case(harness)),
                },
            )* )* $( $(
                $crate::ConformanceCase {
                    name: stringify!($own),
                    kind: "",
                    needs: $crate::suite::needs!($($own_needs)?),
                    check: $crate::entity::$clauses::$clause::<$entity>,
                },
            )* )* ];
            let of_records: Vec<Vec<$crate::ConformanceCase<$crate::areas::AreaHarness<$store>>>> =
                vec![$( $( Vec::from($crate::suite::record_cases!($kind: $record)) ),* )?];
            own.into_iter().chain(of_records.into_iter().flatten()).collect()
        }

        $crate::suite::suite! {
            @export $d harness ($crate::$module::cases())
            $(#[$doc])*
            $suite: $( $( $case )* )* $( $( $own )* )*;
            $( $crate::record_tests!($d harness, $module: $($kind)*); )?
        }
    };

    (
        $d:tt
        $(#[$doc:meta])*
        $suite:ident = $module:ident::cases where Store: $bound:path;
        $( $file:ident { $( $case:ident $(needs $needs:ident)?, )* } )*
    ) => {
        /// The cases of this suite, in the order of their clauses.
        pub fn cases<H: $crate::Harness>() -> Vec<$crate::ConformanceCase<H>>
        where
            H::Store: $bound,
        {
            vec![ $( $(
                $crate::ConformanceCase {
                    name: stringify!($case),
                    kind: "",
                    needs: $crate::suite::needs!($($needs)?),
                    check: |harness| {
                        $crate::IntoVerdict::into_verdict($file::$case::<H>(harness))
                    },
                },
            )* )* ]
        }

        $crate::suite::suite! {
            @export $d harness ($crate::$module::cases::<$d harness>())
            $(#[$doc])*
            $suite: $( $( $case )* )*;
        }
    };

    // The name of the parameter is passed in, because the expressions that use it are, too.
    (
        @export $d:tt $harness:ident $cases:tt
        $(#[$doc:meta])*
        $suite:ident: $( $case:ident )*;
        $( $records:tt )*
    ) => {
        $(#[$doc])*
        #[macro_export]
        macro_rules! $suite {
            ($d $harness:ty $d(, skips: [ $d($d skip:literal),* $d(,)? ])? $d(,)?) => {
                $(
                    #[test]
                    fn $case() {
                        $crate::run::<$d $harness, _>(&$cases, stringify!($case));
                    }
                )*

                $( $records )*

                #[test]
                fn the_skipped_cases_are_the_declared_ones() {
                    let declared: &[&str] = &[ $d($d( $d skip ),*)? ];
                    $crate::check_skips::<$d $harness, _>(&$cases, declared);
                }
            };
        }
    };
}

/// The needs of a case; nothing by default.
macro_rules! needs {
    () => {
        $crate::CaseNeeds::Nothing
    };
    ($needs:ident) => {
        $crate::CaseNeeds::$needs
    };
}

/// Cases of a kind of record: the clauses that hold for all of them.
#[cfg(feature = "projects")]
macro_rules! record_cases {
    ($kind:ident: $record:ty) => {
        $crate::suite::record_cases! {
            $kind: $record;
            r01_a_record_comes_back_as_it_was_written = clauses::comes_back,
            r02_a_record_is_not_found_in_another_owner = clauses::absence,
            r03_a_refused_write_leaves_no_record = clauses::rollback,
            r04_a_record_is_changed_in_its_owner_only = clauses::changes,
            r05_a_record_is_deleted_once = clauses::deleted_once,
            r06_what_no_two_may_share_is_taken_once = clauses::unique,
            r07_a_change_takes_nothing_of_another_record = records::takes_nothing,
            r08_changes_at_the_same_time_are_all_kept = records::keeps_changes,
            r09_numbers_have_no_gaps = records::numbers,
            r10_a_list_holds_the_records_of_its_owner = lists::isolation,
            r11_records_are_listed_in_their_order = lists::ties,
            r12_pages_hold_every_record_once = lists::pages,
            r13_each_filter_holds = records::filters,
            r14_records_outlive_the_store = clauses::survives needs Durable,
        }
    };
    ($kind:ident: $record:ty; $( $case:ident = $clauses:ident::$clause:ident $(needs $needs:ident)?, )*) => {
        [ $( $crate::ConformanceCase {
            name: stringify!($case),
            kind: stringify!($kind),
            needs: $crate::suite::needs!($($needs)?),
            check: $crate::entity::$clauses::$clause::<$record>,
        }, )* ]
    };
}

/// The tests of kinds of records, in a module for each.
#[cfg(feature = "projects")]
#[doc(hidden)]
#[macro_export]
macro_rules! record_tests {
    ($harness:ty, $module:ident: $($kind:ident)*) => {
        /// The harness, under a name that the modules below use.
        type Harness = $harness;
        $( $crate::record_tests! {
            mod $kind of $module:
            r01_a_record_comes_back_as_it_was_written
            r02_a_record_is_not_found_in_another_owner
            r03_a_refused_write_leaves_no_record
            r04_a_record_is_changed_in_its_owner_only
            r05_a_record_is_deleted_once
            r06_what_no_two_may_share_is_taken_once
            r07_a_change_takes_nothing_of_another_record
            r08_changes_at_the_same_time_are_all_kept
            r09_numbers_have_no_gaps
            r10_a_list_holds_the_records_of_its_owner
            r11_records_are_listed_in_their_order
            r12_pages_hold_every_record_once
            r13_each_filter_holds
            r14_records_outlive_the_store
        } )*
    };
    (mod $kind:ident of $module:ident: $($case:ident)+) => {
        mod $kind {
            $(
                #[test]
                fn $case() {
                    let cases = $crate::$module::cases();
                    $crate::run_of::<super::Harness, _>(&cases, stringify!($kind), stringify!($case));
                }
            )+

            #[test]
            fn every_clause_of_records_has_its_test() {
                let cases = $crate::$module::cases();
                let of_kind = cases.iter().filter(|case| case.kind == stringify!($kind));
                let names: Vec<&str> = of_kind.map(|case| case.name).collect();
                assert_eq!(names, [$(stringify!($case)),+]);
            }
        }
    };
}

#[cfg(feature = "projects")]
pub(crate) use record_cases;
pub(crate) use {needs, suite};
