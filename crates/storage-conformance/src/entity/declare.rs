//! Short declarations of entities.

/// Declares an entity: a type with the traits of [`entity`](crate::entity), whose methods are written like closures.
///
/// The parts after `expected` are optional, in this order: `list` (with `ranked` if a column precedes the id),
/// `insert_many`, `change` with `changed`, `delete`, and `try_insert` with `clashing`.
macro_rules! entity {
    (
        $(#[$doc:meta])*
        $name:ident in $store:ty, of $owner:ty: $new:ty => $row:ty;
        owners: |$harness:ident| $owners:expr;
        key: |$key_row:ident| -> $key:ty { $key_of:expr }, unknown: $unknown:expr;
        sample: |$sample_owner:pat_param, $sample_number:ident| $sample:expr;
        edges: |$edge_owner:pat_param| $edges:expr;
        insert: |$insert_tx:ident, $insert_new:ident| $insert:expr;
        find: |$find_tx:ident, $find_owner:pat_param, $find_key:pat_param| $find:expr, by owner: $by_owner:literal;
        expected: |$expected_new:ident, $found:ident| $expected:expr;
        $(
            list $sort:ident: |$list_tx:ident, $list_owner:pat_param, $page:ident| $list:expr;
            $( ranked: |$ranked_owner:pat_param, $ranked_number:ident, $rank:ident| $ranked:expr; )?
            $( insert_many: |$many_tx:ident, $many_new:ident| $insert_many:expr; )?
        )?
        $(
            change: |$change_tx:ident, $change_owner:pat_param, $change_key:ident, $change_number:ident| $change:expr;
            changed: |$changed_row:ident, $changed_number:ident| $changed:expr;
        )?
        $( delete: |$delete_tx:ident, $delete_owner:pat_param, $delete_key:ident| $delete:expr; )?
        $(
            try_insert: |$try_tx:ident, $try_new:ident| $try_insert:expr, per owner: $per_owner:literal;
            clashing: |$clash_owner:pat_param, $clash_number:ident| $clashing:expr;
        )?
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl $crate::entity::Entity for $name {
            type Store = $store;
            type Owner = $owner;
            type New = $new;
            type Row = $row;
            type Key = $key;

            const IS_FOUND_BY_OWNER: bool = $by_owner;

            fn owners($harness: &$crate::entity::HarnessOf<Self>) -> [$owner; 2] {
                $owners
            }

            fn sample($sample_owner: $owner, $sample_number: u32) -> $new {
                $sample
            }

            fn edges($edge_owner: $owner) -> Vec<$new> {
                $edges
            }

            fn insert(
                $insert_tx: &mut $crate::entity::WriteOf<'_, Self>,
                $insert_new: &$new,
            ) -> Result<$key, storage::StoreError> {
                $insert
            }

            fn find(
                $find_tx: &mut $crate::entity::ReadOf<'_, Self>,
                $find_owner: $owner,
                $find_key: &$key,
            ) -> Result<Option<$row>, storage::StoreError> {
                $find
            }

            fn expected($expected_new: &$new, $found: &$row) -> $row {
                $expected
            }

            fn key($key_row: &$row) -> $key {
                $key_of
            }

            fn unknown() -> $key {
                $unknown
            }
        }

        $(
            impl $crate::entity::ListableEntity for $name {
                const SORT: api_conventions::page::SortOrder =
                    api_conventions::page::SortOrder::$sort;
                $crate::entity::declare::ranked!(
                    $owner, $new $(, |$ranked_owner, $ranked_number, $rank| $ranked)?
                );

                fn list(
                    $list_tx: &mut $crate::entity::ReadOf<'_, Self>,
                    $list_owner: $owner,
                    $page: api_conventions::page::OffsetPage,
                ) -> Result<api_conventions::page::Page<$row>, storage::StoreError> {
                    $list
                }

                $(
                    fn insert_many(
                        $many_tx: &mut $crate::entity::WriteOf<'_, Self>,
                        $many_new: &[$new],
                    ) -> Result<(), storage::StoreError> {
                        $insert_many
                    }
                )?
            }
        )?

        $(
            impl $crate::entity::ChangeableEntity for $name {
                fn change(
                    $change_tx: &mut $crate::entity::WriteOf<'_, Self>,
                    $change_owner: $owner,
                    $change_key: &$key,
                    $change_number: u32,
                ) -> Result<bool, storage::StoreError> {
                    $change
                }

                fn changed($changed_row: &$row, $changed_number: u32) -> $row {
                    $changed
                }
            }
        )?

        $(
            impl $crate::entity::DeletableEntity for $name {
                fn delete(
                    $delete_tx: &mut $crate::entity::WriteOf<'_, Self>,
                    $delete_owner: $owner,
                    $delete_key: &$key,
                ) -> Result<bool, storage::StoreError> {
                    $delete
                }
            }
        )?

        $(
            impl $crate::entity::UniqueEntity for $name {
                const IS_PER_OWNER: bool = $per_owner;

                fn clashing($clash_owner: $owner, $clash_number: u32) -> $new {
                    $clashing
                }

                fn try_insert(
                    $try_tx: &mut $crate::entity::WriteOf<'_, Self>,
                    $try_new: &$new,
                ) -> Result<Option<$key>, storage::StoreError> {
                    $try_insert
                }
            }
        )?
    };
}

#[cfg(any(
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "pipelines",
    feature = "projects"
))]
/// Defines the ranked sample of an entity: a plain sample if no column precedes the id.
macro_rules! ranked {
    ($owner:ty, $new:ty) => {
        const IS_RANKED: bool = false;

        fn ranked(owner: $owner, number: u32, _: u32) -> $new {
            <Self as $crate::entity::Entity>::sample(owner, number)
        }
    };
    ($owner:ty, $new:ty, |$of:pat_param, $number:ident, $rank:ident| $ranked:expr) => {
        const IS_RANKED: bool = true;

        fn ranked($of: $owner, $number: u32, $rank: u32) -> $new {
            $ranked
        }
    };
}

pub(crate) use entity;
#[cfg(any(
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "pipelines",
    feature = "projects"
))]
pub(crate) use ranked;
