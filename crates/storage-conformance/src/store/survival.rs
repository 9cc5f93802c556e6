//! Rows that survive a restart of the store, and rows that several processes share.

use crate::Harness;
use crate::probe_rows::{ProbeStore, refusal};
use crate::samples::race;

pub(super) fn s20_acknowledged_rows_outlive_the_store<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    let alone: Vec<_> = (1..=15).map(|number| store.write_row(number)).collect();
    let grouped: Vec<_> = (16..=30)
        .map(|number| store.write_row_grouped(number, false))
        .collect();
    for written in alone {
        written.wait().unwrap();
    }
    for written in grouped {
        written.wait().unwrap();
    }
    harness.reopen();
    assert_eq!(harness.store().numbers(), (1..=30).collect::<Vec<i64>>());
    harness.store().write_row(31).wait().unwrap();
    harness.reopen();
    assert_eq!(harness.store().numbers().len(), 31);
}

pub(super) fn s21_refused_rows_do_not_come_back<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    store.write_row(1).wait().unwrap();
    let refused = store.write_rows(|rows| {
        rows.insert(2)?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    harness.reopen();
    assert_eq!(harness.store().numbers(), [1]);
}

pub(super) fn s22_another_process_sees_acknowledged_rows<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let other = harness.open_again();
    for number in 1..=20 {
        harness.store().write_row(number).wait().unwrap();
        assert!(
            other.numbers().contains(&number),
            "{number} was acknowledged, but is missing"
        );
    }
}

pub(super) fn s23_two_processes_write_side_by_side<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let other = harness.open_again();
    let stores = [harness.store(), &other];
    race(4, |thread| {
        let first = i64::try_from(thread).unwrap() * 20 + 1;
        for number in first..first + 20 {
            stores[thread % 2].write_row(number).wait().unwrap();
        }
    });
    assert_eq!(harness.store().numbers(), (1..=80).collect::<Vec<i64>>());
    assert_eq!(other.numbers(), harness.store().numbers());
}
