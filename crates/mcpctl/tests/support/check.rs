//! The two checks: a run that ends with the server's word, and a run that has no result.

use super::{Ended, Invocation, Script, Server};
use crate::table;

/// The options of one form of output.
pub(crate) type Form = &'static [&'static str];

/// A run that ends with the server's word: what is printed in both forms.
pub(crate) struct Case {
    pub(crate) script: Script,
    /// The command line; `URL` stands for the server's.
    pub(crate) arguments: &'static [&'static str],
    /// The line with `--json`.
    pub(crate) json: &'static str,
    /// The text form.
    pub(crate) stdout: &'static str,
    pub(crate) stderr: &'static str,
    pub(crate) exit: i32,
}

impl Case {
    pub(crate) fn check(&self) {
        let json = run_against(self.script, self.arguments, &["--json"]);
        assert_eq!(json.stdout, format!("{}\n", self.json));
        assert_eq!((json.stderr.as_str(), json.exit), ("", Some(self.exit)));
        let text = run_against(self.script, self.arguments, &[]);
        assert_eq!(text.stdout, self.stdout, "{}", self.json);
        assert_eq!(text.stderr, self.stderr, "{}", self.json);
        assert_eq!(text.exit, Some(self.exit), "{}", self.json);
    }
}

/// Runs a command line against a server of its own. What is printed is normalised.
pub(crate) fn run_against(script: Script, arguments: &[&str], form: Form) -> Ended {
    let server = Server::start(script);
    let ended = Invocation::new(at(&server.url(), arguments, form)).run();
    let ended = ended.normalised(&server.origin());
    server.log();
    ended
}

/// The command line with the URL in its place.
pub(crate) fn at<'a>(url: &'a str, arguments: &[&'a str], form: Form) -> Vec<&'a str> {
    let words = arguments.iter().chain(form);
    words
        .map(|word| if *word == "URL" { url } else { *word })
        .collect()
}

/// How far an operation may have come.
const PHASES: [&str; 11] = [
    "start",
    "queue",
    "resolve",
    "connect",
    "tls",
    "credential",
    "send",
    "first-byte",
    "body",
    "answered",
    "settle",
];

/// A run without a result. Class, culprit and exit status are those of the kind's row in `docs/kinds.md`.
pub(crate) struct Fault<'a> {
    pub(crate) kind: &'a str,
    pub(crate) delivery: &'a str,
    pub(crate) message: &'a str,
    /// The server's origin; `None` when the URL could not be read.
    pub(crate) server: Option<&'a str>,
}

impl Fault<'_> {
    /// Compares a run in each form.
    pub(crate) fn check(&self, run: impl Fn(Form) -> Ended) {
        self.check_json(&run(&["--json"]));
        let text = run(&[]);
        assert_eq!(text.stderr, self.text(&text.stderr));
        assert_eq!((text.stdout.as_str(), text.exit), ("", Some(self.exit())));
    }

    /// The text form: what is said of the phase and of the time is taken from what was printed, and stands where it belongs.
    pub(crate) fn text(&self, printed: &str) -> String {
        let server = self
            .server
            .map(|server| format!("{server}, "))
            .unwrap_or_default();
        let (kind, delivery, message) = (self.kind, self.delivery, self.message);
        let begins = format!("mcpctl: {message} ({server}{kind}, {delivery}");
        let rest = printed.strip_prefix(&begins).unwrap_or_default();
        let (how_far, _) = rest.split_once(')').unwrap_or_default();
        let parts: Vec<&str> = how_far.split(", ").skip(1).collect();
        let is_time = |part: &str| {
            let millis = part.strip_suffix(" ms");
            millis.is_some_and(|millis| millis.parse::<u64>().is_ok())
        };
        let known = match *parts {
            [] => true,
            [phase, time] => PHASES.contains(&phase) && is_time(time),
            _ => false,
        };
        let how_far = if known { how_far } else { "" };
        let hint = self.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{begins}{how_far}){hint}\n")
    }

    /// What `docs/kinds.md` says that is to be done: of the kind, else of the class where the message does not say it.
    fn hint(&self) -> Option<String> {
        let hints = table::hints();
        let of = |name: &str| hints.iter().find(|(of, _)| *of == name).map(|(_, hint)| *hint);
        let of_class = || of(self.row()[1]).filter(|_| !self.message.contains("; "));
        of(self.kind).or_else(of_class).map(|hint| hint.replace('`', ""))
    }

    /// Compares a run with `--json`.
    pub(crate) fn check_json(&self, ended: &Ended) {
        let [_, class, culprits, deliveries, ..] = self.row();
        let (kind, delivery) = (self.kind, self.delivery);
        // A request whose handshake failed was not sent, whatever the fault was.
        let known = deliveries.split(", ").any(|known| known == delivery) || delivery == "not-sent";
        assert!(known, "docs/kinds.md has no {delivery} for {kind}");
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let (message, server) = (
            quoted(self.message),
            self.server.map_or("null".to_owned(), quoted),
        );
        let begins = |culprit: &str| {
            format!(
                r#"{{"outcome":"failed","kind":"{kind}","class":"{class}","culprit":"{culprit}","delivery":"{delivery}","message":{message},"server":{server},"phase":"#
            )
        };
        let lines: Vec<_> = culprits.split(", ").map(begins).collect();
        let begun = lines.iter().any(|line| ended.stdout.starts_with(line.as_str()));
        assert!(begun, "{ended:?}\nbegins with none of\n{lines:?}");
        let hint = self.hint().map_or("null".to_owned(), |hint| quoted(&hint));
        let ends = format!(",\"hint\":{hint}}}\n");
        assert!(
            ended.stdout.ends_with(&ends),
            "{ended:?}\ndoes not end with\n{ends}"
        );
        assert_eq!((ended.stderr.as_str(), ended.exit), ("", Some(self.exit())));
    }

    fn exit(&self) -> i32 {
        self.row()[4].parse().unwrap()
    }

    fn row(&self) -> [&'static str; 6] {
        let row = table::rows().into_iter().find(|row| row[0] == self.kind);
        row.unwrap_or_else(|| panic!("docs/kinds.md has no {}", self.kind))
    }
}
