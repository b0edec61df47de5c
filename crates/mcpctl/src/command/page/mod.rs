//! The status page: everything that the store knows, as one file that needs nothing else and runs nothing.

mod body;
mod calls;
mod html;
mod known;
mod servers;
mod table;
#[cfg(test)]
mod tests;

use std::path::Path;

use mcp_policy::ServerRecord;

use self::html::Html;
use self::known::Known;
use super::file::{self, Readers};
use super::status::ServerLine;
use super::stores::Stores;
use crate::failed::Failed;

/// The one style sheet.
const STYLE: &str = include_str!("style.css");

/// Nothing is loaded, run or sent from the page. The style sheet is named by its digest, so that no other one counts.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src \
     'sha256-NLQPOJ2/G6X0grkiG/TSCzQWNESUhG3tZ0PZJ88k2z0='; base-uri 'none'; form-action 'none'";

/// Writes the page, for its owner's eyes.
pub(super) async fn write(
    path: &Path,
    stores: &Stores,
    records: &[ServerRecord],
    servers: &[ServerLine],
) -> Result<(), Failed> {
    let known = Known::read(stores, records).await?;
    file::write(path, "--html", &render(&known, servers), Readers::Owner)
}

fn render(known: &Known, servers: &[ServerLine]) -> String {
    Html::document(
        |html| {
            html.void("meta", &[("charset", "utf-8")]);
            let policy = [
                ("http-equiv", "Content-Security-Policy"),
                ("content", CONTENT_SECURITY_POLICY),
            ];
            html.void("meta", &policy);
            html.void("meta", &[("name", "referrer"), ("content", "no-referrer")]);
            let viewport = [
                ("name", "viewport"),
                ("content", "width=device-width, initial-scale=1"),
            ];
            html.void("meta", &viewport);
            html.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
            html.with_text("title", &[], "MCP servers");
            html.style(STYLE);
        },
        |html| body::write(html, known, servers),
    )
}
