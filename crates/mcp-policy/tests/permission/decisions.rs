//! The order of the rule, the callers, groups and modes, and a decision in lines.

use mcp_policy::gate::{
    Audience, Candidate, Decision, GateRules, Mode, ModelZones, Provenance, StepAnswer, TrustZone, judge,
};
use mcp_policy::port::{Actor, DenialReason};
use mcp_policy::{DataClass, GroupName, Switch};
use serde_json::Value;

use crate::support::{Case, cases};

#[test]
fn decisions() {
    for case in cases("decisions") {
        let (decision, id) = (decide(&case), case.id());
        let letters: String = decision
            .steps()
            .iter()
            .map(|(_, answer)| match answer {
                StepAnswer::Passes => 'p',
                StepAnswer::Denies => 'd',
                StepAnswer::Observed => 'o',
                StepAnswer::NotAsked => 'n',
            })
            .collect();
        assert_eq!(Some(&*letters), case.text("answers"), "{id}");
        assert_eq!(
            decision.reason().map(DenialReason::name),
            case.text("reason"),
            "{id}"
        );
        assert_eq!(
            decision.observed().map(DenialReason::name),
            case.text("observed"),
            "{id}"
        );
        assert_eq!(decision.is_permitted(), !case.has("reason"), "{id}");
    }
}

#[test]
fn explanations() {
    for case in cases("explanations") {
        assert_eq!(decide(&case).lines(), case.list("lines"), "{}", case.id());
    }
}

#[test]
fn the_rules_are_strict_until_somebody_decides() {
    let rules = GateRules::default();
    assert_eq!(rules.mode, Mode::Enforce);
    assert_eq!(rules.zones.worst(), TrustZone::ExternalGlobal);
    assert!(!rules.is_administrator(&Actor::User("root".to_owned())));
    for mode in [Mode::Enforce, Mode::Observe] {
        assert_eq!(Mode::from_stored(mode.as_stored()), mode);
    }
}

fn decide(case: &Case) -> Decision {
    let mut rules = GateRules::default();
    rules.mode = Mode::from_stored(case.text("mode").unwrap_or("enforce"));
    rules.disabled_groups = case.list("groups_off").iter().map(|name| group(name)).collect();
    rules.administrators = if case.has("administrators") {
        case.list("administrators").into_iter().collect()
    } else {
        ["root".to_owned()].into()
    };
    rules.zones = ModelZones {
        primary: TrustZone::named(case.text("primary").unwrap_or("local")).unwrap(),
        fallbacks: case
            .list("fallbacks")
            .iter()
            .map(|zone| TrustZone::named(zone).unwrap())
            .collect(),
    };
    let caller = match case.0.get("caller") {
        None => Actor::User("root".to_owned()),
        Some(Value::Null) => Actor::Unattended,
        Some(name) => Actor::User(name.as_str().unwrap().to_owned()),
    };
    let tool = &case.0["tool"];
    let is = |member: &str| tool.get(member).is_none_or(|value| value.as_bool().unwrap());
    let of_group = match tool.get("group") {
        None => Some(group("mcp_s")),
        Some(name) => name.as_str().map(group),
    };
    let class = tool
        .get("class")
        .map_or("publicContent", |class| class.as_str().unwrap());
    let candidate = Candidate {
        provenance: if is("remote") {
            Provenance::Remote
        } else {
            Provenance::Host
        },
        switch: if is("on") { Switch::On } else { Switch::Off },
        audience: if is("admin") {
            Audience::Administrators
        } else {
            Audience::Everyone
        },
        group: of_group.as_ref(),
        class: DataClass::named(class).unwrap(),
    };
    judge((!tool.is_null()).then_some(candidate), &caller, &rules)
}

fn group(name: &str) -> GroupName {
    GroupName::parse(name).unwrap()
}
