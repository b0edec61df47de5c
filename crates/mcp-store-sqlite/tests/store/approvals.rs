//! Approvals in the file: they answer as those in memory do, whatever is asked and said in whatever order.

use std::sync::Arc;
use std::thread;

use mcp_policy::ApprovalSubject;
use mcp_policy::memory::MemoryApprovals;
use mcp_policy::port::{ApprovalDecision, ApprovalDesk, ApprovalId, Approvals, StoreError, Word};
use mcp_testkit::block_on;
use mcp_testkit::ledger_suite::Call;
use mcp_wire::{Arguments, Endpoint, Target};

use crate::support::Directory;

/// Subjects that differ in one thing each.
fn subjects() -> Vec<ApprovalSubject> {
    let first = Call::catalogued("r").unwrap();
    let mut elsewhere = first.clone();
    let endpoint = Endpoint::parse("https://srv.example/mcp?key=%2Fa+b&c=%27;d").unwrap();
    elsewhere.server.target = Arc::new(Target::new(endpoint));
    let mut renamed = first.clone();
    renamed.server.name = mcp_policy::ServerName::parse("other").unwrap();
    let mut other_tool = first.clone();
    other_tool.tool = mcp_wire::ToolName::parse("rm").unwrap();
    let mut ad_hoc = first.clone();
    ad_hoc.origin = Call::of("r").unwrap().origin;
    let mut other_arguments = first.clone();
    other_arguments.arguments = Arguments::parse("{}").unwrap();
    [first, elsewhere, renamed, other_tool, ad_hoc, other_arguments]
        .map(|call| ApprovalSubject::of(&call.request()))
        .into()
}

#[test]
fn approvals_in_the_file_answer_as_those_in_memory() {
    let directory = Directory::new();
    let memory = MemoryApprovals::default();
    let (subjects, mut seed, mut seen) = (subjects(), 1_u64, [0; 4]);
    for _ in 0..600 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (doing, which) = (seed >> 33 & 7, usize::try_from(seed >> 40 & 0xff).unwrap());
        let store = directory.open();
        let listed = block_on(store.approvals()).unwrap();
        assert_eq!(listed, memory.list());
        // One that is kept, or once in a while one that is not.
        let id = listed
            .get(which % 7)
            .map_or(ApprovalId(which as u64), |approval| approval.id);
        match doing {
            0..=3 => {
                let subject = &subjects[which % subjects.len()];
                let decided = block_on(store.decide(subject));
                assert_eq!(decided, block_on(memory.decide(subject)));
                match decided.unwrap() {
                    ApprovalDecision::Granted => seen[0] += 1,
                    ApprovalDecision::Denied => seen[1] += 1,
                    ApprovalDecision::Pending(_) => seen[2] += 1,
                }
            }
            4..=6 => {
                let word = if doing == 4 { Word::Denied } else { Word::Granted };
                let said = block_on(ApprovalDesk::say(&store, id, word));
                assert_eq!(said, block_on(ApprovalDesk::say(&memory, id, word)));
            }
            _ => {
                let withdrawn = block_on(ApprovalDesk::withdraw(&store, id));
                assert_eq!(withdrawn, block_on(ApprovalDesk::withdraw(&memory, id)));
                seen[3] += 1;
            }
        }
    }
    println!("granted, denied, pending, withdrawn: {seen:?}");
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn of_many_that_ask_for_one_grant_one_gets_it() {
    let directory = Directory::new();
    let store = directory.open();
    let subject = &subjects()[0];
    let Ok(ApprovalDecision::Pending(id)) = block_on(store.decide(subject)) else {
        panic!("it is not pending");
    };
    assert_eq!(block_on(ApprovalDesk::say(&store, id, Word::Granted)), Ok(true));
    let granted = thread::scope(|scope| {
        let ask = || {
            let store = directory.open();
            block_on(store.decide(subject)) == Ok(ApprovalDecision::Granted)
        };
        let askers: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        let granted = askers.into_iter().map(|asker| asker.join().unwrap());
        granted.filter(|granted| *granted).count()
    });
    assert_eq!(granted, 1);
}

#[test]
fn what_is_kept_is_bounded() {
    let directory = Directory::new();
    let store = directory.open();
    let subjects = subjects();
    block_on(store.decide(&subjects[0])).unwrap();
    let fill = "WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 1024)
        INSERT INTO approvals (server, url, tool, arguments) SELECT server, url, 't' || n, arguments FROM approvals, n";
    directory.raw().execute_batch(fill).unwrap();
    assert_eq!(block_on(store.decide(&subjects[1])), Err(StoreError::Full));
    // What is known is still answered, and a place that is free is given again.
    assert_eq!(
        block_on(store.decide(&subjects[0])),
        Ok(ApprovalDecision::Pending(ApprovalId(1)))
    );
    assert_eq!(block_on(ApprovalDesk::withdraw(&store, ApprovalId(1))), Ok(true));
    assert_eq!(
        block_on(store.decide(&subjects[1])),
        Ok(ApprovalDecision::Pending(ApprovalId(1_025)))
    );
}

#[test]
fn a_word_that_nobody_knows_is_a_denial_and_other_damage_is_told() {
    let directory = Directory::new();
    let store = directory.open();
    let subject = &subjects()[0];
    block_on(store.decide(subject)).unwrap();
    let raw = directory.raw();
    for word in ["", "Granted", "granted ", "future"] {
        raw.execute("UPDATE approvals SET word = ?1", [word]).unwrap();
        assert_eq!(
            block_on(store.decide(subject)),
            Ok(ApprovalDecision::Denied),
            "{word}"
        );
    }
    for set in [
        "url = ''",
        "tool = ''",
        "server = 'A'",
        "arguments = ''",
        "definition = ''",
        "local_name = ''",
    ] {
        raw.execute("DELETE FROM approvals", []).unwrap();
        block_on(store.decide(subject)).unwrap();
        assert_eq!(block_on(store.approvals()).unwrap().len(), 1);
        raw.execute(&format!("UPDATE approvals SET {set}"), []).unwrap();
        assert_eq!(block_on(store.approvals()), Err(StoreError::Corrupt), "{set}");
    }
}
