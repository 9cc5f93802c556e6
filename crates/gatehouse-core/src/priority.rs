//! Priority of threads whose work can wait.

/// Lowers the priority of the calling thread to a niceness from 0 to 19. Each step leaves it a fifth less of the CPU time
/// for which it competes. If that is not permitted, it runs at normal priority.
pub(crate) fn lower(niceness: i32, thread: &'static str) {
    #[cfg(target_os = "linux")]
    if let Err(error) =
        rustix::process::setpriority_process(Some(rustix::thread::gettid()), niceness)
    {
        tracing::warn!(%error, thread, "cannot lower the priority of a thread");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (niceness, thread);
}
