//! Request ids across a real fork: a child emits no id of its parent's namespace, and cannot hang on a lock that another
//! thread held.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fork::{Fork, fork, waitpid};
use mcp_host::{OsEntropy, OsProcess};
use mcp_wire::{IdError, RequestIds};

const IDS: usize = 10_000;

fn draw(ids: &RequestIds) -> Result<BTreeSet<String>, IdError> {
    (0..IDS).map(|_| Ok(ids.allocate()?.to_string())).collect()
}

#[test]
fn parent_and_child_draw_disjoint_ids_while_a_thread_allocates() {
    let ids = Arc::new(RequestIds::new(Arc::new(OsEntropy), Arc::new(OsProcess)).unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    let busy = {
        let (ids, stop) = (ids.clone(), stop.clone());
        thread::spawn(move || {
            let mut drawn = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                ids.allocate().unwrap();
                drawn += 1;
            }
            drawn
        })
    };
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    match fork().unwrap() {
        Fork::Child => {
            // Only this thread lives here. Ends without running what else the test process holds.
            let lines: String = draw(&ids)
                .unwrap_or_default()
                .into_iter()
                .map(|id| id + "\n")
                .collect();
            let written = writer.write_all(lines.as_bytes());
            std::process::exit(i32::from(written.is_err()));
        }
        Fork::Parent(child) => {
            drop(writer);
            let parents = draw(&ids).unwrap();
            let mut lines = String::new();
            reader.read_to_string(&mut lines).unwrap();
            waitpid(child).unwrap();
            stop.store(true, Ordering::Relaxed);
            assert!(busy.join().unwrap() > 0);

            let childs: BTreeSet<String> = lines.lines().map(str::to_owned).collect();
            assert_eq!((parents.len(), childs.len()), (IDS, IDS));
            let namespace = |id: &String| id.split('-').next().unwrap_or_default().to_owned();
            let of_parent: BTreeSet<String> = parents.iter().map(namespace).collect();
            assert_eq!(of_parent.len(), 1);
            assert!(
                childs
                    .iter()
                    .map(namespace)
                    .all(|namespace| !of_parent.contains(&namespace))
            );
        }
    }
}

#[test]
fn threads_draw_no_id_twice() {
    let ids = Arc::new(RequestIds::new(Arc::new(OsEntropy), Arc::new(OsProcess)).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let ids = ids.clone();
            thread::spawn(move || draw(&ids))
        })
        .collect();
    let drawn: BTreeSet<String> = threads
        .into_iter()
        .flat_map(|thread| thread.join().unwrap().unwrap())
        .collect();
    assert_eq!(drawn.len(), 4 * IDS);
}
