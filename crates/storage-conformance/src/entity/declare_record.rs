//! Short declarations of kinds of records.

/// Declares a kind of record with the traits of [`entity`](crate::entity). `listed` is the direction in which the
/// samples are listed by their numbers. `number` reads the number of a record; kinds without numbers omit it.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $name:ident in $store:ty: $content:ty, by $id:ident, listed $sort:ident $(, number: |$numbered:ident| $number:expr)?;
        owners: |$harness:ident| $owners:expr;
        fixed: $fixed:expr;
        content: |$sample_number:ident| $sample:expr;
        edges: $edges:expr;
        changed: |$changed_number:ident| $changed:expr;
        clashing: |$clash_number:ident| $clashing:expr;
        add: |$added:ident| $add:expr;
        filters: $filters:expr;
    ) => {
        $crate::entity::declare::entity! {
            $(#[$doc])*
            $name in $store, of <$content as records::RecordContent>::Owner:
                records::NewRecord<$content> => records::StoredRecord<$content>;
            owners: |$harness| $owners;
            key: |record| -> $id { record.id }, unknown: $id::new(i64::MAX);
            sample: |owner, number| $crate::entity::records::new_record::<Self>(
                owner,
                <Self as $crate::entity::records::RecordKind>::content(number),
                $crate::samples::timestamp(0),
            );
            edges: |owner| {
                let times = [api_conventions::time::Timestamp::MIN, api_conventions::time::Timestamp::MAX];
                let contents = <Self as $crate::entity::records::RecordKind>::edge_contents();
                let edges = contents.into_iter().zip(times.into_iter().cycle());
                let new = |(content, time)| $crate::entity::records::new_record::<Self>(owner, content, time);
                edges.map(new).collect()
            };
            insert: |tx, new| match tx.insert_record(new)? {
                records::SaveRecord::Saved(record) => Ok(record.id),
                records::SaveRecord::Conflict => {
                    Err($crate::samples::unexpected_conflict("insert a record", &format!("{new:?}")))
                }
            };
            find: |tx, owner, id| records::RecordQueries::<$content>::find_record(tx, owner, *id), by owner: true;
            expected: |new, found| new.stored(found.id, found.iid);
            list $sort: |tx, owner, page| {
                records::RecordQueries::<$content>::list_records(tx, owner, &Default::default(), page)
            };
            change: |tx, owner, id, number| {
                let content = <Self as $crate::entity::records::RecordKind>::changed_content(number);
                let time = $crate::samples::timestamp(number.into());
                let saved = $crate::entity::records::change::<$content, _>(tx, owner, *id, time, |_| content)?;
                Ok(matches!(saved, Some(records::SaveRecord::Saved(_))))
            };
            changed: |record, number| records::StoredRecord {
                content: <Self as $crate::entity::records::RecordKind>::changed_content(number),
                updated_at: $crate::samples::timestamp(number.into()),
                ..record.clone()
            };
            delete: |tx, owner, id| $crate::entity::records::delete::<$content, _>(tx, owner, *id);
            try_insert: |tx, new| Ok(match tx.insert_record(new)? {
                records::SaveRecord::Saved(record) => Some(record.id),
                records::SaveRecord::Conflict => None,
            }), per owner: true;
            clashing: |owner, number| $crate::entity::records::new_record::<Self>(
                owner,
                <Self as $crate::entity::records::RecordKind>::clashing_content(number),
                $crate::samples::timestamp(7),
            );
        }

        impl $crate::entity::records::RecordKind for $name {
            type Content = $content;

            fn fixed() -> <$content as records::RecordContent>::Fixed {
                $fixed
            }

            fn content($sample_number: u32) -> $content {
                $sample
            }

            fn edge_contents() -> Vec<$content> {
                $edges
            }

            fn changed_content($changed_number: u32) -> $content {
                $changed
            }

            fn clashing_content($clash_number: u32) -> $content {
                $clashing
            }

            fn add_to($added: &mut $content) {
                $add
            }

            fn filters() -> $crate::entity::records::RecordFilters<$content> {
                $filters
            }

            fn number_of(record: &records::StoredRecord<$content>) -> Option<i64> {
                $crate::entity::declare_record::number!(record $(, |$numbered| $number)?)
            }
        }
    };
}

/// The number of a record, if its kind has numbers.
macro_rules! number {
    ($record:ident) => {{
        let _ = $record;
        None
    }};
    ($record:ident, |$numbered:ident| $number:expr) => {{
        let $numbered = $record;
        Some($number)
    }};
}

pub(crate) use {number, record};
