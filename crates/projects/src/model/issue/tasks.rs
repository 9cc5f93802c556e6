//! Tasks in a description: list items that begin with a checkbox.

/// Number of tasks in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskCount {
    /// All tasks.
    pub count: u64,
    /// Completed tasks.
    pub completed: u64,
}

/// Counts the list items that begin with `[ ]` or `[x]`.
/// Fenced code blocks are skipped.
pub fn tasks(text: &str) -> TaskCount {
    let mut tasks = TaskCount::default();
    let mut fence = None;
    for line in text.lines().map(str::trim_start) {
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                let is_done = task(line);
                tasks.count += u64::from(is_done.is_some());
                tasks.completed += u64::from(is_done == Some(true));
            }
            _ => {}
        }
    }
    tasks
}

/// True if the task of a line is completed; `None` if the line is not a task.
fn task(line: &str) -> Option<bool> {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = if digits.len() < line.len() {
        digits.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    let text = item?.strip_prefix(' ')?.trim_start();
    let is_done = match text.get(..3)? {
        "[ ]" => false,
        "[x]" | "[X]" => true,
        _ => return None,
    };
    text.get(3..)?.starts_with(' ').then_some(is_done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_with_a_box_are_tasks_and_text_is_not() {
        let text = "- [ ] one\n* [x] two\n  1. [X] three\n-[ ] no\n- [] no\n[ ] no\n- [ ]no\n- \u{e4}\n\
                    ```\n- [ ] text\n~~~\n```\n- [ ] four\n12 [ ] no";
        let found = tasks(text);
        assert_eq!((found.count, found.completed), (4, 2));
        assert_eq!(tasks(""), TaskCount::default());
    }
}
