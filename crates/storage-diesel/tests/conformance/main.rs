//! Both databases keep every promise of the storage contract.

mod postgres;
mod sqlite;
