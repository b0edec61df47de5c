//! The gate over the stores: what is registered, what has changed, and that a store's failure denies.

use std::sync::Arc;

use mcp_policy::catalogue::CatalogueRow;
use mcp_policy::gate::{CatalogueGate, GateRules, ModelZones, TrustZone};
use mcp_policy::memory::{MemoryStore, PermitAll};
use mcp_policy::port::{
    Actor, CallAttempt, CallOrigin, CatalogueStore, DenialReason, Gate, RunId, ServerStore,
};
use mcp_policy::{ApprovalRule, Budget, DataClass, Server, ServerName, ServerRecord, Switch};
use mcp_wire::{Arguments, Credential, CredentialPlacement, CredentialRef, Endpoint, Target, ToolName};

use crate::stores::{Broken, echo, import, put, record, row, server, store};
use crate::support::now;

type Judged = Result<CallOrigin, DenialReason>;

fn rules() -> GateRules {
    let mut rules = GateRules::default();
    rules.administrators = ["root".to_owned()].into();
    rules.zones = ModelZones::of(TrustZone::Local);
    rules
}

fn over(servers: Arc<dyn ServerStore>, catalogue: Arc<dyn CatalogueStore>) -> CatalogueGate {
    CatalogueGate::new(servers, catalogue, rules())
}

fn ask(gate: &dyn Gate, server: &Server, tool: &ToolName) -> Judged {
    now(gate.judge(&CallAttempt {
        server,
        tool,
        arguments: &Arguments::none(),
        run: &RunId("run-1".to_owned()),
        actor: &Actor::User("root".to_owned()),
    }))
}

fn judged(record: ServerRecord, row: Option<CatalogueRow>) -> Judged {
    let store = store(record, row);
    ask(&over(store.clone(), store), &server(), &echo())
}

#[test]
fn permission_names_the_tool_and_the_definition_that_was_judged() {
    assert_eq!(
        judged(record(), Some(row())),
        Ok(CallOrigin::Catalogued {
            local_name: row().local_name,
            fingerprint: row().definition.fingerprint,
        })
    );
}

#[test]
fn a_gate_without_rules_says_that_the_call_is_outside() {
    let origin = ask(&PermitAll, &server(), &echo());
    assert_eq!(origin, Ok(CallOrigin::AdHoc));
    assert_eq!(origin.map(|origin| origin.name()), Ok("adHoc"));
}

#[test]
fn what_gives_no_tool_is_not_registered() {
    let none = Err(DenialReason::NotRegistered);
    assert_eq!(judged(record(), None), none, "no row");
    let mut off = record();
    off.switch = Switch::Off;
    assert_eq!(judged(off, Some(row())), none, "a disabled server");
    let mut unclassified = record();
    unclassified.class = None;
    assert_eq!(judged(unclassified, Some(row())), none, "no class");
    assert_eq!(judged(record(), Some(import(&[row()], None))), none, "orphaned");
    let mut spoiled = row();
    spoiled.definition.input_schema = "[]".to_owned();
    assert_eq!(judged(record(), Some(spoiled)), none, "a spoiled schema");

    let store = store(record(), Some(row()));
    let gate = over(store.clone(), store.clone());
    let other = ToolName::parse("Echo").unwrap();
    assert_eq!(ask(&gate, &server(), &other), none, "another name");
    let mut unknown = server();
    unknown.name = ServerName::parse("other").unwrap();
    assert_eq!(ask(&gate, &unknown, &echo()), none, "another server");
    let local = ToolName::parse(row().local_name.as_str()).unwrap();
    assert_eq!(ask(&gate, &server(), &local), none, "the local name on the wire");
}

#[test]
fn a_row_under_another_name_is_not_believed() {
    struct Misfiled(Arc<MemoryStore>);
    impl CatalogueStore for Misfiled {
        fn catalogue(
            &self,
        ) -> mcp_wire::PortFuture<Result<mcp_policy::port::Snapshot, mcp_policy::port::StoreError>> {
            self.0.catalogue()
        }

        fn row(
            &self,
            _server: &ServerName,
            _tool: &ToolName,
        ) -> mcp_wire::PortFuture<Result<Option<CatalogueRow>, mcp_policy::port::StoreError>> {
            mcp_wire::PortFuture::ready(Ok(Some(row())))
        }

        fn commit(
            &self,
            base: mcp_policy::port::Generation,
            change: mcp_policy::port::CatalogueChange,
        ) -> mcp_wire::PortFuture<Result<mcp_policy::port::Committed, mcp_policy::port::StoreError>> {
            self.0.commit(base, change)
        }

        fn note_failure(
            &self,
            server: &ServerName,
            failure: mcp_policy::port::ImportFailure,
        ) -> mcp_wire::PortFuture<Result<(), mcp_policy::port::StoreError>> {
            self.0.note_failure(server, failure)
        }
    }
    let store = store(record(), Some(row()));
    let gate = over(store.clone(), Arc::new(Misfiled(store)));
    let rm = ToolName::parse("rm").unwrap();
    assert_eq!(ask(&gate, &server(), &rm), Err(DenialReason::NotRegistered));
    assert!(ask(&gate, &server(), &echo()).is_ok());
}

#[test]
fn what_is_off_or_has_drifted_is_disabled() {
    let disabled = Err(DenialReason::ToolDisabled);
    assert_eq!(judged(record(), Some(import(&[], Some("new")))), disabled, "new");
    let drifted = import(&[row()], Some("says something else"));
    assert_eq!(judged(record(), Some(drifted.clone())), disabled, "drifted");
    let back = import(&[drifted], Some("says it again"));
    assert_eq!(judged(record(), Some(back)), disabled, "drifted and back");
    let mut replaced = row();
    replaced.definition = import(&[], Some("x")).definition;
    assert_eq!(
        judged(record(), Some(replaced)),
        disabled,
        "replaced behind the catalogue"
    );
}

#[test]
fn the_rule_holds_over_the_stores() {
    let store = store(record(), Some(row()));
    let with = |rules: GateRules| {
        ask(
            &CatalogueGate::new(store.clone(), store.clone(), rules),
            &server(),
            &echo(),
        )
    };
    let mut nobody = rules();
    nobody.administrators.clear();
    assert_eq!(with(nobody), Err(DenialReason::RequiresAdmin));
    let mut group = rules();
    group.disabled_groups = [record().group].into();
    assert_eq!(with(group), Err(DenialReason::ConfigurationGroup));
    let mut far = rules();
    far.zones = ModelZones::of(TrustZone::ExternalGlobal);
    far.mode = mcp_policy::gate::Mode::Observe;
    assert_eq!(with(far), Err(DenialReason::TrustZone));
}

#[test]
fn a_store_that_fails_denies() {
    let unavailable = Err(DenialReason::PolicyUnavailable);
    let store = store(record(), Some(row()));
    assert_eq!(
        ask(&over(Arc::new(Broken), store.clone()), &server(), &echo()),
        unavailable
    );
    assert_eq!(
        ask(&over(store, Arc::new(Broken)), &server(), &echo()),
        unavailable
    );
}

#[test]
fn a_server_that_is_not_what_its_record_says_is_denied() {
    let changed = Err(DenialReason::ServerChanged);
    let store = store(record(), Some(row()));
    let gate = over(store.clone(), store);
    let with = |change: &dyn Fn(&mut Server)| {
        let mut server = server();
        change(&mut server);
        ask(&gate, &server, &echo())
    };
    assert_eq!(with(&|server| server.class = DataClass::PublicContent), changed);
    assert_eq!(with(&|server| server.class = DataClass::SecretAdjacent), changed);
    assert_eq!(
        with(&|server| server.approval = ApprovalRule::NotRequired),
        changed
    );
    let elsewhere = |server: &mut Server| {
        let endpoint = Endpoint::parse("https://srv.example/other").unwrap();
        server.target = Arc::new(Target::new(endpoint));
    };
    assert_eq!(with(&elsewhere), changed);
    let with_secret = |server: &mut Server| {
        let mut target = (*server.target).clone();
        target.credentials.push(Credential {
            reference: CredentialRef("env:TOKEN".to_owned()),
            placement: CredentialPlacement::Bearer,
        });
        server.target = Arc::new(target);
    };
    assert_eq!(with(&with_secret), changed);
    let shorter =
        |server: &mut Server| server.budget = Budget::new(std::time::Duration::from_secs(1)).unwrap();
    assert!(with(&shorter).is_ok());
}

#[test]
fn the_rule_comes_before_what_has_changed() {
    let store = store(record(), Some(import(&[], Some("new"))));
    let mut server = server();
    server.class = DataClass::PublicContent;
    assert_eq!(
        ask(&over(store.clone(), store), &server, &echo()),
        Err(DenialReason::ToolDisabled)
    );
}

#[test]
fn the_class_that_counts_is_that_of_the_record() {
    let mut rules = rules();
    rules.zones = ModelZones::of(TrustZone::ExternalGlobal);
    let store = store(record(), Some(row()));
    let mut server = server();
    server.class = DataClass::PublicContent;
    assert_eq!(
        ask(&CatalogueGate::new(store.clone(), store, rules), &server, &echo()),
        Err(DenialReason::TrustZone)
    );
}

#[test]
fn the_stores_are_read_for_each_call() {
    let store = store(record(), Some(row()));
    let gate = over(store.clone(), store.clone());
    assert!(ask(&gate, &server(), &echo()).is_ok());
    let mut off = row();
    off.disable();
    put(&store, &record().name, off);
    assert_eq!(ask(&gate, &server(), &echo()), Err(DenialReason::ToolDisabled));
    put(&store, &record().name, row());
    assert!(ask(&gate, &server(), &echo()).is_ok());
    let mut record = record();
    record.class = Some(DataClass::PublicContent);
    assert_eq!(now(store.replace(record)), Ok(true));
    assert_eq!(ask(&gate, &server(), &echo()), Err(DenialReason::ServerChanged));
}
