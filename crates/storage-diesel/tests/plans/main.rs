//! How lists are read: which statements a list runs, and that the databases answer them from indexes. And how often grouped
//! work speaks with a server.
//!
//! A recorder stands in every connection of this program, so its tests run one after the other.

#[cfg(test)]
mod certain;
#[cfg(test)]
mod deletions;
#[cfg(test)]
mod deprecations;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod issues;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod many_issues;
#[cfg(test)]
mod members;
#[cfg(test)]
mod parts;
#[cfg(test)]
mod pipelines;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod recorder;
#[cfg(test)]
mod records;
#[cfg(test)]
mod sizes;
#[cfg(test)]
mod spam;
#[cfg(test)]
mod stores;
#[cfg(test)]
mod trips;
#[cfg(test)]
mod users;
#[cfg(test)]
mod values;
