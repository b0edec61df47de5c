//! One response through scanner and verdict, beside two ways of `serde_json`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mcp_wire::{ReplyLimits, Response};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use wire_bench::{call_result, id, tool_list};

#[derive(Deserialize)]
struct RawEnvelope<'a> {
    jsonrpc: &'a str,
    id: &'a str,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn response(criterion: &mut Criterion) {
    let expected = id();
    let mut limits = ReplyLimits::default();
    limits.body_bytes = 4 * 1_024 * 1_024;
    for (shape, make) in [("call", call_result as fn(usize) -> String), ("list", tool_list)] {
        let mut group = criterion.benchmark_group(shape);
        for (size, bytes) in [("1K", 1_000), ("100K", 100_000), ("2M", 2_000_000)] {
            let text = make(bytes);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(BenchmarkId::new("verdict", size), &text, |bencher, text| {
                bencher.iter(|| Response::parse(black_box(text.as_bytes()), &expected, &limits).is_ok());
            });
            group.bench_with_input(BenchmarkId::new("raw_value", size), &text, |bencher, text| {
                bencher.iter(|| {
                    let envelope: RawEnvelope<'_> =
                        serde_json::from_slice(black_box(text.as_bytes())).expect("it is JSON");
                    envelope.jsonrpc == "2.0"
                        && envelope.id == expected.as_str()
                        && envelope.result.is_some() != envelope.error.is_some()
                });
            });
            group.bench_with_input(BenchmarkId::new("value", size), &text, |bencher, text| {
                bencher.iter(|| serde_json::from_slice::<Value>(black_box(text.as_bytes())).is_ok());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, response);
criterion_main!(benches);
