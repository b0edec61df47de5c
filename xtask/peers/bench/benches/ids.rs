//! One request id, beside the system call that tells the process.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use mcp_wire::{Entropy, EntropyUnavailable, ProcessId, ProcessIdentity, RequestIds};

struct Zeroes;

impl Entropy for Zeroes {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        target.fill(0);
        Ok(())
    }
}

struct ThisProcess;

impl ProcessIdentity for ThisProcess {
    fn current(&self) -> ProcessId {
        ProcessId(u64::from(std::process::id()))
    }
}

fn ids(criterion: &mut Criterion) {
    let ids = RequestIds::new(Arc::new(Zeroes), Arc::new(ThisProcess)).expect("zeroes do not fail");
    let mut group = criterion.benchmark_group("ids");
    group.bench_function("getpid", |bencher| bencher.iter(|| black_box(std::process::id())));
    group.bench_function("two_getpid", |bencher| {
        bencher.iter(|| (black_box(std::process::id()), black_box(std::process::id())));
    });
    group.bench_function("allocate", |bencher| bencher.iter(|| black_box(ids.allocate())));
    let mut reserved = ids.reserve(u32::MAX).expect("the sequence is long");
    group.bench_function("allocate_reserved", |bencher| bencher.iter(|| black_box(reserved.allocate())));
    group.finish();
}

criterion_group!(benches, ids);
criterion_main!(benches);
