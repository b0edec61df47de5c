//! Chromium, led over a pipe by its DevTools protocol: pages are opened, asked and pictured.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::interop::process::Process;

/// After this long nothing comes any more.
const LIMIT: Duration = Duration::from_secs(60);

/// Chromium reads from descriptor 3 and writes to 4.
const LAUNCH: &str = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>&2"#;

/// A screen and what its owner prefers.
pub(super) struct View {
    pub(super) name: &'static str,
    pub(super) width: u32,
    scheme: &'static str,
}

impl View {
    pub(super) const fn new(name: &'static str, width: u32, scheme: &'static str) -> Self {
        Self { name, width, scheme }
    }
}

/// A browser with one tab. It is ended when this is dropped.
pub(super) struct Browser {
    process: Process,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    last: u64,
}

impl Browser {
    pub(super) fn start(place: &Path) -> Result<Self, Failure> {
        let profile: PathBuf = place.join("profile");
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                LAUNCH,
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
            ])
            .args([
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
            ])
            .args([
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
            ])
            .args(["--remote-debugging-pipe", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(place.join("browser.log"))?);
        let mut process = Process::spawn(&mut command)?;
        let (commands, output) = process.pipes()?;
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                if sender
                    .send(serde_json::from_slice(&message).unwrap_or_default())
                    .is_err()
                {
                    break;
                }
            }
        });
        let mut browser = Self {
            process,
            commands,
            messages,
            session: String::new(),
            last: 0,
        };
        let targets = browser.ask("Target.getTargets", json!({}))?;
        let targets = member(&targets, "targetInfos")
            .as_array()
            .cloned()
            .unwrap_or_default();
        let tab = targets.iter().find(|target| member(target, "type") == "page");
        let tab = tab.ok_or_else(|| Failure::new("chromium has no tab"))?;
        let attach = json!({"targetId": member(tab, "targetId"), "flatten": true});
        let attached = browser.ask("Target.attachToTarget", attach)?;
        browser.session = member(&attached, "sessionId")
            .as_str()
            .unwrap_or_default()
            .to_owned();
        browser.ask("Page.enable", json!({}))?;
        Ok(browser)
    }

    /// Opens a file and waits until it is loaded.
    pub(super) fn open(&mut self, page: &Path, view: &View) -> Result<(), Failure> {
        let screen =
            json!({"width": view.width, "height": 844, "deviceScaleFactor": 1, "mobile": view.width < 600});
        self.ask("Emulation.setDeviceMetricsOverride", screen)?;
        let preference = json!({"features": [{"name": "prefers-color-scheme", "value": view.scheme}]});
        self.ask("Emulation.setEmulatedMedia", preference)?;
        self.ask(
            "Page.navigate",
            json!({"url": format!("file://{}", page.display())}),
        )?;
        self.until(|message| member(message, "method") == "Page.loadEventFired")?;
        Ok(())
    }

    /// What an expression gives in the page.
    pub(super) fn evaluate(&mut self, expression: &str) -> Result<Value, Failure> {
        let asked = json!({"expression": expression, "returnByValue": true});
        let answer = self.ask("Runtime.evaluate", asked)?;
        if !member(&answer, "exceptionDetails").is_null() {
            return Err(Failure::new(format!(
                "the probe failed: {}",
                member(&answer, "exceptionDetails")
            )));
        }
        Ok(member(member(&answer, "result"), "value").clone())
    }

    /// The page from its top, as PNG; at most so high.
    pub(super) fn picture(&mut self, view: &View, height: u32) -> Result<Vec<u8>, Failure> {
        let clip = json!({"x": 0, "y": 0, "width": view.width, "height": height, "scale": 1});
        let asked = json!({"format": "png", "clip": clip, "captureBeyondViewport": true});
        let picture = self.ask("Page.captureScreenshot", asked)?;
        Ok(STANDARD.decode(member(&picture, "data").as_str().unwrap_or_default())?)
    }

    pub(super) fn close(mut self) -> Result<(), Failure> {
        self.ask("Browser.close", json!({}))?;
        self.process.exit_within(LIMIT)?;
        Ok(())
    }

    /// Sends a command and waits for its answer; events in between are passed over.
    fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, Failure> {
        self.last += 1;
        let id = self.last;
        let mut command = json!({"id": id, "method": method, "params": parameters});
        if let Some(command) = command.as_object_mut()
            && !self.session.is_empty()
        {
            command.insert("sessionId".to_owned(), json!(self.session));
        }
        self.commands
            .write_all(&[command.to_string().as_bytes(), &[0]].concat())?;
        let answer = self.until(|message| *member(message, "id") == id)?;
        match answer.get("error") {
            None => Ok(member(&answer, "result").clone()),
            Some(error) => Err(Failure::new(format!("{method}: {error}"))),
        }
    }

    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Result<Value, Failure> {
        loop {
            let message = self.messages.recv_timeout(LIMIT);
            let message = message.map_err(|_error| {
                Failure::new("chromium says nothing; its output is in target/page/browser.log")
            })?;
            if wanted(&message) {
                return Ok(message);
            }
        }
    }
}

/// A member of an object, null where there is none.
fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}
