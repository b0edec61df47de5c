//! Where the time of an operation went, beside what is shown of it.

use mcp_policy::Timing;
use serde::Serialize;

use crate::failed::Failed;
use crate::output::{Format, Shown};

/// What is shown at the end of a command, and its timing where that was asked for.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) shown: Shown,
    timing: Option<TimingLine>,
}

/// Milliseconds, with three digits behind the point.
#[derive(Debug, Clone, Copy, Serialize)]
struct TimingLine {
    policy_ms: f64,
    queue_ms: f64,
    connect_ms: f64,
    first_byte_ms: f64,
    body_ms: f64,
    decode_ms: f64,
}

impl Ended {
    pub(crate) const fn new(shown: Shown) -> Self {
        Self { shown, timing: None }
    }

    /// Whether its text has columns of our own: what a tool says is shown as it is.
    pub(crate) const fn is_a_table(&self) -> bool {
        matches!(self.shown, Shown::Report(_) | Shown::Tools(_))
    }

    /// The same, with its timing.
    pub(crate) fn timed(mut self, timing: Timing) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "an operation lasts a day at most")]
        let millis = |length: std::time::Duration| length.as_micros() as f64 / 1_000.0;
        self.timing = Some(TimingLine {
            policy_ms: millis(timing.policy()),
            queue_ms: millis(timing.queue()),
            connect_ms: millis(timing.connect()),
            first_byte_ms: millis(timing.first_byte()),
            body_ms: millis(timing.body()),
            decode_ms: millis(timing.decode()),
        });
        self
    }

    /// What goes to stdout and what to stderr. In JSON the timing is the last member of the line, in text a line of its
    /// own on stderr.
    pub(crate) fn render(&self, format: Format) -> (String, String) {
        let (mut data, mut remark) = self.shown.render(format);
        match (self.timing, format) {
            (None, _) => {}
            (Some(timing), Format::Json | Format::Ndjson) if data.ends_with("}\n") => {
                // Numbers only: there is nothing that cannot be written.
                let timing = serde_json::to_string(&timing).unwrap_or_default();
                data.truncate(data.trim_end().len() - 1);
                data += &format!(",\"timing\":{timing}}}\n");
            }
            (Some(_), Format::Json | Format::Ndjson) => {}
            (Some(timing), Format::Text) => remark += &timing.text(),
        }
        (data, remark)
    }
}

impl From<Failed> for Ended {
    fn from(failed: Failed) -> Self {
        Self::new(Shown::Failed(failed))
    }
}

impl TimingLine {
    fn text(&self) -> String {
        format!(
            "mcpctl: policy {:.1} ms, queue {:.1} ms, connect {:.1} ms, first byte {:.1} ms, body {:.1} ms, decode {:.1} ms\n",
            self.policy_ms, self.queue_ms, self.connect_ms, self.first_byte_ms, self.body_ms, self.decode_ms,
        )
    }
}
