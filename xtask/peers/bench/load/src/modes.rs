//! The modes: what is done, and what is measured of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::ptrace;
use nix::sys::signal::{Signal, raise};
use tokio::runtime::{Builder, Runtime};

use crate::meter::{Sample, cpu, memory};
use crate::{Caller, Client, Settings};

/// Calls before anything is measured: connections, buffers and caches are warm.
const WARM: usize = 20;

pub(crate) fn run<C: Client>(mode: &str, settings: Settings) {
    match mode {
        "warm" => one_thread().block_on(warm::<C>(settings)),
        "window" => one_thread().block_on(window::<C>(settings)),
        "serial" => one_thread().block_on(serial::<C>(settings)),
        "parallel" => two_threads().block_on(parallel::<C>(settings)),
        "whole" => one_thread().block_on(whole::<C>(settings)),
        "list" => one_thread().block_on(list::<C>(settings, false)),
        "import" => one_thread().block_on(list::<C>(settings, true)),
        "memory" => two_threads().block_on(hold::<C>(settings)),
        other => panic!("no mode {other}"),
    }
}

fn one_thread() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

fn two_threads() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
}

async fn connected<C: Client>(settings: &Settings) -> &'static C {
    // The program ends with its one client.
    Box::leak(Box::new(C::connect(settings).await))
}

async fn check(caller: &mut impl Caller, least: usize) {
    let bytes = caller.call().await;
    assert!(bytes >= least, "{bytes} bytes of text instead of {least}");
}

/// `calls` calls and nothing measured: a tool outside counts.
async fn warm<C: Client>(settings: Settings) {
    let mut caller = connected::<C>(&settings).await.caller().await;
    for _ in 0..settings.calls {
        check(&mut caller, settings.text_bytes()).await;
    }
}

/// `calls` calls between two stops, for a parent that counts steps between them.
async fn window<C: Client>(settings: Settings) {
    ptrace::traceme().expect("a parent that traces");
    let mut caller = connected::<C>(&settings).await.caller().await;
    for _ in 0..WARM {
        check(&mut caller, settings.text_bytes()).await;
    }
    raise(Signal::SIGSTOP).expect("a signal");
    for _ in 0..settings.calls {
        check(&mut caller, settings.text_bytes()).await;
    }
    raise(Signal::SIGSTOP).expect("a signal");
}

/// One call after another on one thread.
async fn serial<C: Client>(settings: Settings) {
    let mut caller = connected::<C>(&settings).await.caller().await;
    for _ in 0..WARM {
        check(&mut caller, settings.text_bytes()).await;
    }
    let mut sample = Sample::start();
    while sample.elapsed() < Duration::from_millis(settings.millis) {
        let started = Instant::now();
        check(&mut caller, settings.text_bytes()).await;
        sample.add(started.elapsed());
    }
    println!("{}", sample.line());
}

/// `flight` lines of calls side by side on two threads.
async fn parallel<C: Client>(settings: Settings) {
    let client = connected::<C>(&settings).await;
    let over = Arc::new(AtomicBool::new(false));
    let mut callers = Vec::new();
    for _ in 0..settings.flight {
        let mut caller = client.caller().await;
        check(&mut caller, settings.text_bytes()).await;
        callers.push(caller);
    }
    let mut sample = Sample::start();
    let lines: Vec<_> = callers
        .into_iter()
        .map(|mut caller| {
            let (over, least) = (over.clone(), settings.text_bytes());
            tokio::spawn(async move {
                let mut times = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    let started = Instant::now();
                    check(&mut caller, least).await;
                    times.push(started.elapsed());
                }
                times
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(settings.millis)).await;
    over.store(true, Ordering::Relaxed);
    for line in lines {
        line.await
            .expect("a line of calls")
            .into_iter()
            .for_each(|time| sample.add(time));
    }
    println!("{}", sample.line());
}

/// Whole operations, each with a client of its own.
async fn whole<C: Client>(settings: Settings) {
    for _ in 0..3 {
        C::whole(&settings).await;
    }
    let mut sample = Sample::start();
    while sample.elapsed() < Duration::from_millis(settings.millis) {
        let started = Instant::now();
        let bytes = C::whole(&settings).await;
        assert!(bytes >= settings.text_bytes(), "{bytes} bytes of text");
        sample.add(started.elapsed());
    }
    println!("{}", sample.line());
}

/// Lists of tools, `calls` of them; `flight` is how many tools there must be.
async fn list<C: Client>(settings: Settings, import: bool) {
    let mut caller = connected::<C>(&settings).await.caller().await;
    let mut sample = Sample::start();
    for round in 0..settings.calls + 3 {
        let started = Instant::now();
        let tools = if import {
            caller.import().await
        } else {
            Some(caller.list().await)
        };
        if let Some(tools) = tools {
            assert_eq!(tools, settings.flight, "tools");
        }
        if round >= 3 {
            sample.add(started.elapsed());
        }
    }
    println!("{}", sample.line());
}

/// `flight` calls that the server holds until it has all of them.
async fn hold<C: Client>(settings: Settings) {
    let before = memory();
    let client = connected::<C>(&settings).await;
    let mut callers = Vec::new();
    for _ in 0..settings.flight {
        callers.push(client.caller().await);
    }
    let least = settings.text_bytes();
    let started = Instant::now();
    let calls: Vec<_> = callers
        .into_iter()
        .map(|mut caller| tokio::spawn(async move { check(&mut caller, least).await }))
        .collect();
    for call in calls {
        call.await.expect("a call");
    }
    let (start, peak) = (before.resident, memory().peak);
    println!(
        "{{\"start_bytes\":{start},\"peak_bytes\":{peak},\"seconds\":{:.3},\"cpu_ns\":{}}}",
        started.elapsed().as_secs_f64(),
        cpu().as_nanos()
    );
}
