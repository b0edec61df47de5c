//! The page as a whole: whatever the texts are, its form is the same, and it names everything.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::known::{Known, SetAside, Tool};
use super::{CONTENT_SECURITY_POLICY, STYLE, render};
use crate::command::approval::ApprovalLine;
use crate::command::audit::{DenialLine, StepLine};
use crate::command::status::ServerLine;

const HOSTILE: [&str; 7] = [
    "<script>document.title='ran'</script>",
    "\"><img src=x onerror=alert(1)>",
    "' autofocus onfocus='alert(1)",
    "&lt;b&gt;&#0;</style></title></table>",
    "\u{202e}txt.exe\u{2066}",
    "a\0b\u{1b}[2J\u{9b}31m\r\n\tc",
    "--><!--<![CDATA[",
];

/// A page in which every text is this one.
fn page(text: &str) -> String {
    let owned = || text.to_owned();
    let server = ServerLine {
        server: owned(),
        enabled: true,
        data_class: Some("publicContent"),
        last_contact_unix_s: Some(0),
        last_latency_ms: Some(7),
        import: "error",
        import_reason: Some(owned()),
        last_import_unix_s: Some(0),
        tools: 1,
        on: 0,
        changed: 1,
        orphaned: 1,
        set_aside: 1,
    };
    let known = Known {
        at_unix_s: 0,
        origins: vec![(owned(), owned())],
        tools: vec![Tool {
            name: owned(),
            server: owned(),
            remote_name: owned(),
            description: Some(owned()),
            state: "changed",
            orphaned: true,
            class: None,
            fingerprint: owned(),
            confirmed: Some(owned()),
            flags: vec![("bidi-control", "description")],
        }],
        set_aside: vec![SetAside {
            server: owned(),
            name: Some(owned()),
            reason: owned(),
        }],
        approvals: vec![ApprovalLine {
            approval: 1,
            server: owned(),
            tool: owned(),
            definition: Some(owned()),
            arguments_digest: owned(),
            word: "pending",
        }],
        denials: vec![DenialLine {
            at_unix_s: 0,
            server: owned(),
            tool: owned(),
            run: owned(),
            user: Some(owned()),
            reason: "toolDisabled",
        }],
        steps: vec![StepLine {
            step: 1,
            run: owned(),
            server: owned(),
            tool: owned(),
            definition: None,
            state: "failed",
            kind: Some(owned()),
            delivery: Some("unknown"),
            is_error: Some(true),
            arguments_sha256: owned(),
            argument_bytes: 0,
            result_sha256: None,
            result_bytes: None,
            duration_ms: Some(1),
        }],
        all_steps: 1,
        in_doubt: 0,
    };
    render(&known, &[server])
}

/// The tags of a page in their order, with the names of their attributes. Fails where one is not closed in its turn.
fn form(page: &str) -> Vec<String> {
    let (mut form, mut open) = (Vec::new(), Vec::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    while let Some((text, from)) = rest.split_once('<') {
        assert!(!text.contains('>') || open.last() == Some(&"style"), "{text:?}");
        let (tag, after) = from.split_once('>').unwrap();
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let pieces: Vec<&str> = attributes.split('"').collect();
        let names: Vec<&str> = pieces.iter().copied().step_by(2).map(str::trim).collect();
        form.push(format!("{name} {}", names.join(" ")));
        if name != "meta" {
            open.push(name);
        }
    }
    assert_eq!((open, rest.trim()), (vec![], ""));
    form
}

#[test]
fn no_text_changes_the_form_of_the_page() {
    let expected = form(&page("harmless"));
    assert!(expected.len() > 100, "{expected:?}");
    for text in HOSTILE {
        let page = page(text);
        assert_eq!(form(&page), expected, "{text:?}");
        let steers = |character: char| character.is_control() && character != '\n';
        assert!(
            !page.contains(steers) && !page.contains(['\u{202e}', '\u{2066}']),
            "{text:?}"
        );
    }
}

#[test]
fn nothing_of_the_page_runs_or_is_loaded() {
    let form = form(&page("harmless")).join("\n");
    for refused in ["script", "img", "link", "iframe", "src=", "style=", "\non", " on"] {
        assert!(!form.contains(refused), "{refused}");
    }
    for refused in ["url(", "@import", "</", "<"] {
        assert!(!STYLE.contains(refused), "{refused}");
    }
}

#[test]
fn the_policy_names_the_style_sheet() {
    let digest = STANDARD.encode(Sha256::digest(STYLE));
    let named = format!("style-src 'sha256-{digest}'");
    assert!(CONTENT_SECURITY_POLICY.contains(&named), "{named}");
}

#[test]
fn an_empty_store_has_a_page() {
    let known = Known {
        at_unix_s: 0,
        origins: vec![],
        tools: vec![],
        set_aside: vec![],
        approvals: vec![],
        denials: vec![],
        steps: vec![],
        all_steps: 0,
        in_doubt: 0,
    };
    let page = render(&known, &[]);
    form(&page);
    assert_eq!(page.matches("class=\"nothing\"").count(), 6);
}
