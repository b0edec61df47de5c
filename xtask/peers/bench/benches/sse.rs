//! Event streams of 2 MiB in chunks of 8 KiB, beside a crate that does the same and a floor that does less.

use std::convert::Infallible;
use std::hint::black_box;

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::{StreamExt, stream};
use mcp_wire::{ReplyLimits, SseDecoder};
use sse_stream::SseByteStream;
use wire_bench::{one_event, small_events};

const CHUNK: usize = 8 * 1_024;

fn sse(criterion: &mut Criterion) {
    let mut limits = ReplyLimits::default();
    limits.events = 1_000_000;
    for (shape, stream) in [("small-events", small_events()), ("one-event", one_event())] {
        let mut group = criterion.benchmark_group(shape);
        group.throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_with_input(BenchmarkId::new("decoder", "2M"), &stream, |bencher, stream| {
            bencher.iter(|| {
                let mut decoder = SseDecoder::new(limits);
                let mut bytes = 0;
                for mut chunk in black_box(stream).chunks(CHUNK) {
                    while let Some(event) = decoder.next(&mut chunk).expect("within the limits") {
                        // What the verdict does first with each event.
                        bytes += std::str::from_utf8(event.data).expect("it is UTF-8").len();
                    }
                }
                bytes
            });
        });
        let chunks: Vec<Bytes> = stream.chunks(CHUNK).map(Bytes::copy_from_slice).collect();
        group.bench_with_input(
            BenchmarkId::new("sse-stream", "2M"),
            &chunks,
            |bencher, chunks| {
                bencher.iter(|| {
                    let input = stream::iter(black_box(chunks).iter().cloned().map(Ok::<_, Infallible>));
                    let events = SseByteStream::new(input).fold(0, |bytes, event| {
                        let data = event.expect("it is valid").data;
                        std::future::ready(bytes + data.map_or(0, |data| data.len()))
                    });
                    pollster(events)
                });
            },
        );
        group.bench_with_input(BenchmarkId::new("scan", "2M"), &stream, |bencher, stream| {
            bencher.iter(|| {
                let mut copy = Vec::new();
                let mut lines = 0;
                for chunk in black_box(stream).chunks(CHUNK) {
                    lines += memchr::memchr2_iter(b'\n', b'\r', chunk).count();
                    copy.extend_from_slice(chunk);
                }
                lines + std::str::from_utf8(&copy).expect("it is UTF-8").len()
            });
        });
        group.finish();
    }
}

/// Runs a future that never waits.
fn pollster<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("the input is there"),
    }
}

criterion_group!(benches, sse);
criterion_main!(benches);
