//! Tests of Markdown rendering.

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod kept;
#[cfg(test)]
mod references;
#[cfg(test)]
mod support;
