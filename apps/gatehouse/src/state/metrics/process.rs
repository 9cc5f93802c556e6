//! Metrics of the process, with the names that all Prometheus clients use.

use prometheus::proto::MetricFamily;

use super::family::{Description, count, counter, gauge};

/// Resources of the process, as the kernel reports them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ProcessUsage {
    /// Processor time, in seconds.
    pub(super) cpu_seconds: f64,
    /// Memory in use, in bytes.
    pub(super) resident_bytes: u64,
    /// Address space, in bytes.
    pub(super) virtual_bytes: u64,
    /// Threads.
    pub(super) threads: u64,
    /// Open files and connections.
    pub(super) open_files: u64,
    /// Limit of open files and connections; `None` if there is none.
    pub(super) max_files: Option<u64>,
}

impl ProcessUsage {
    /// Reads the resources of this process. `None` on systems other than Linux, or if they cannot be read.
    pub(super) fn read() -> Option<Self> {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
        let open_files = std::fs::read_dir("/proc/self/fd").ok()?.count();
        let limit = limits
            .lines()
            .find_map(|line| line.strip_prefix("Max open files"))
            .and_then(|line| line.split_whitespace().next()?.parse().ok());
        Self::parse(&stat, u64::try_from(open_files).ok()?, limit)
    }

    /// Parses the line of `/proc/self/stat`: see proc(5). The name of the program, in parentheses, may contain anything.
    fn parse(stat: &str, open_files: u64, max_files: Option<u64>) -> Option<Self> {
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        // The first field after the name is the third of the line.
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        let ticks = field(14)? + field(15)?;
        Some(Self {
            cpu_seconds: count(ticks) / count(rustix::param::clock_ticks_per_second()),
            resident_bytes: field(24)? * u64::try_from(rustix::param::page_size()).ok()?,
            virtual_bytes: field(23)?,
            threads: field(20)?,
            open_files,
            max_files,
        })
    }

    /// Returns the metrics.
    pub(super) fn families(&self) -> Vec<MetricFamily> {
        let describe = |name, help| Description { name, help };
        let mut families = vec![
            counter(
                describe("process_cpu_seconds_total", "Processor time."),
                self.cpu_seconds,
            ),
            gauge(
                describe("process_resident_memory_bytes", "Memory in use."),
                count(self.resident_bytes),
            ),
            gauge(
                describe("process_virtual_memory_bytes", "Address space."),
                count(self.virtual_bytes),
            ),
            gauge(describe("process_threads", "Threads."), count(self.threads)),
            gauge(
                describe("process_open_fds", "Open files and connections."),
                count(self.open_files),
            ),
        ];
        families.extend(self.max_files.map(|limit| {
            let of = describe("process_max_fds", "Limit of open files and connections.");
            gauge(of, count(limit))
        }));
        families
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_program_may_contain_anything() {
        let numbers: Vec<String> = (4..=52).map(|number| number.to_string()).collect();
        let line = format!("7 (a) 1 (b)) S {}", numbers.join(" "));
        let usage = ProcessUsage::parse(&line, 5, None).unwrap();
        assert_eq!((usage.threads, usage.virtual_bytes), (20, 23));
        let ticks = rustix::param::clock_ticks_per_second();
        assert!((usage.cpu_seconds - 29.0 / count(ticks)).abs() < 1e-9);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_resources_of_this_process_are_read() {
        let usage = ProcessUsage::read().unwrap();
        assert!(usage.resident_bytes > 1 << 20 && usage.threads > 0 && usage.open_files > 0);
    }
}
