//! Definition of hooks: the trait of saboteurs, and the transactions that call it.

/// Defines [`Saboteur`] with a hook for each listed method, and makes both transactions call them.
/// All other methods are delegated.
macro_rules! hooks {
    (
        $( queries $queries:ident { $( fn $query:ident($($q:ident: $q_type:ty),*) -> $q_gives:ty; )* } )+
        $( changes $changes:ident { $( fn $change:ident($($c:ident: $c_type:ty),*) -> $c_gives:ty; )* } )+
    ) => {
        /// Store behaviour with one fault.
        /// Every hook that is not overridden is correct.
        pub(crate) trait Saboteur: Send + Sync + 'static {
            $( $(
                fn $query(&self, at: &mut ReadHook<'_>, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                    at.tx.$query($($q),*)
                }
            )* )+

            $( $(
                fn $change(&self, at: &mut WriteHook<'_>, $($c: $c_type),*) -> Result<$c_gives, StoreError> {
                    at.tx.$change($($c),*)
                }
            )* )+

            /// Runs a write, and answers the caller that waits for it.
            fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
                promise.fulfil(context.write(work));
            }

            /// Runs a read.
            fn read(&self, context: &FaultContext, lane: storage::Lane, work: ReadWork) -> ErasedResult {
                context.read(lane, work)
            }

            /// Runs grouped work, inside its transaction.
            fn group(&self, run: &mut dyn FnMut() -> ErasedResult) -> ErasedResult {
                run()
            }

            /// Returns the rows that a second process sees when it opens the same rows.
            fn rows_for_another(&self, rows: &std::sync::Arc<SharedRows>) -> std::sync::Arc<SharedRows> {
                std::sync::Arc::clone(rows)
            }

            /// Returns the rows after the store is closed and opened again.
            fn rows_on_reopening(&self, rows: &std::sync::Arc<SharedRows>) -> std::sync::Arc<SharedRows> {
                std::sync::Arc::clone(rows)
            }
        }

        $(
            impl $queries for FaultyReadTx<'_> {
                $( fn $query(&mut self, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                    self.context.saboteur.$query(&mut self.read_hook(), $($q),*)
                } )*
            }

            impl $queries for FaultyWriteTx<'_> {
                $( fn $query(&mut self, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                    self.context.saboteur.$query(&mut self.read_hook(), $($q),*)
                } )*
            }
        )+

        $(
            impl $changes for FaultyWriteTx<'_> {
                $( fn $change(&mut self, $($c: $c_type),*) -> Result<$c_gives, StoreError> {
                    self.context.saboteur.$change(&mut self.write_hook(), $($c),*)
                } )*
            }
        )+
    };
}

pub(super) use hooks;
