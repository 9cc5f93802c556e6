//! Query plans of lists: the statements that a list runs, and the indexes that answer them.
//! And the number of round trips of grouped work.
//!
//! A recorder is installed in every connection of this program, so its tests run one after the other.

#[cfg(test)]
mod attention;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod deletions;
#[cfg(test)]
mod deploy_tokens;
#[cfg(test)]
mod deprecations;
#[cfg(test)]
mod environments;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod feed_parts;
#[cfg(test)]
mod image_repositories;
#[cfg(test)]
mod incidents;
#[cfg(test)]
mod invitations;
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
mod monitors;
#[cfg(test)]
mod notifications;
#[cfg(test)]
mod on_call;
#[cfg(test)]
mod parts;
#[cfg(test)]
mod pipelines;
#[cfg(test)]
mod project_sets;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod recorder;
#[cfg(test)]
mod records;
#[cfg(test)]
mod runners;
#[cfg(test)]
mod silences;
#[cfg(test)]
mod sizes;
#[cfg(test)]
mod snippets;
#[cfg(test)]
mod spam;
#[cfg(test)]
mod stores;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod totals;
#[cfg(test)]
mod trips;
#[cfg(test)]
mod users;
#[cfg(test)]
mod values;
