//! Metric families whose values are read when they are requested.

use gatehouse_core::database::Latency;
use prometheus::proto::{
    Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType,
};

/// Description of a metric.
#[derive(Debug, Clone, Copy)]
pub(super) struct Description {
    /// Name, with its unit.
    pub(super) name: &'static str,
    /// Meaning, as a sentence.
    pub(super) help: &'static str,
}

/// Value of a metric, with the names and values of its labels.
type LabelledValue = (Vec<(&'static str, String)>, f64);

/// Creates a gauge without labels.
pub(super) fn gauge(of: Description, value: f64) -> MetricFamily {
    gauges(of, [(Vec::new(), value)])
}

/// Creates a gauge with labels.
pub(super) fn gauges(
    of: Description,
    values: impl IntoIterator<Item = LabelledValue>,
) -> MetricFamily {
    samples(of, MetricType::GAUGE, values, |metric, value| {
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        metric.set_gauge(gauge);
    })
}

/// Creates a counter without labels.
pub(super) fn counter(of: Description, value: f64) -> MetricFamily {
    counters(of, [(Vec::new(), value)])
}

/// Creates a counter with labels.
pub(super) fn counters(
    of: Description,
    values: impl IntoIterator<Item = LabelledValue>,
) -> MetricFamily {
    samples(of, MetricType::COUNTER, values, |metric, value| {
        let mut counter = Counter::default();
        counter.set_value(value);
        metric.set_counter(counter);
    })
}

fn samples(
    of: Description,
    kind: MetricType,
    values: impl IntoIterator<Item = LabelledValue>,
    set: impl Fn(&mut Metric, f64),
) -> MetricFamily {
    let metrics = values.into_iter().map(|(labels, value)| {
        let mut metric = labelled(labels);
        set(&mut metric, value);
        metric
    });
    family(of, kind, metrics.collect())
}

/// Creates a histogram in seconds.
pub(super) fn histogram(of: Description, latency: &Latency) -> MetricFamily {
    let mut below = 0;
    let bounds = Latency::BOUNDS_MICROS.iter().zip(latency.counts);
    let buckets = bounds.map(|(bound, count)| {
        below += count;
        let mut bucket = Bucket::default();
        bucket.set_upper_bound(seconds(*bound));
        bucket.set_cumulative_count(below);
        bucket
    });
    let mut histogram = Histogram::default();
    histogram.set_bucket(buckets.collect());
    histogram.set_sample_count(latency.counts.iter().sum());
    histogram.set_sample_sum(seconds(latency.sum_micros));
    let mut metric = labelled(Vec::new());
    metric.set_histogram(histogram);
    family(of, MetricType::HISTOGRAM, vec![metric])
}

/// Converts microseconds to seconds.
pub(super) fn seconds(micros: u64) -> f64 {
    count(micros) / 1_000_000.0
}

/// Converts a whole number; beyond 2^53 it is rounded.
#[expect(
    clippy::cast_precision_loss,
    reason = "Prometheus knows no other numbers"
)]
pub(super) const fn count(number: u64) -> f64 {
    number as f64
}

fn labelled(labels: Vec<(&'static str, String)>) -> Metric {
    let pairs = labels.into_iter().map(|(name, value)| {
        let mut pair = LabelPair::default();
        pair.set_name(name.to_owned());
        pair.set_value(value);
        pair
    });
    Metric::from_label(pairs.collect())
}

fn family(of: Description, kind: MetricType, metrics: Vec<Metric>) -> MetricFamily {
    let mut family = MetricFamily::default();
    family.set_name(of.name.to_owned());
    family.set_help(of.help.to_owned());
    family.set_field_type(kind);
    family.set_metric(metrics);
    family
}
