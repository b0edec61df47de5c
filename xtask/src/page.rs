//! `cargo xtask page`: the status page of `mcpctl` in a real browser, on a phone and on a desk, by day and by night.
//!
//! A store is filled from a server whose texts try everything that a page could obey. The page must then be as it was
//! written: nothing has run, nothing is wider than the screen, every word stands out from its ground. Needs `chromium`.

mod browser;
mod demo;
mod server;

use std::fs;
use std::path::Path;

use serde_json::Value;

use self::browser::{Browser, View};
use crate::failure::Failure;
use crate::interop::install::{Workspace, build_mcpctl};

/// The views, by the names of their pictures.
const VIEWS: [View; 4] = [
    View::new("phone-light", 390, "light"),
    View::new("phone-dark", 390, "dark"),
    View::new("desktop-light", 1_280, "light"),
    View::new("desktop-dark", 1_280, "dark"),
];

/// The view in which the probe itself is tried.
const PHONE: &View = &View::new("phone", 390, "light");

/// How much of the page is in a picture, in pixels.
const PICTURE: u32 = 1_600;

/// What is wrong with the page that is open, one line each. `WIDTH` stands for that of the screen.
const PROBE: &str = include_str!("page/probe.js");

/// A page with every fault that the probe looks for.
const FAULTY: &str = "<!DOCTYPE html><html><head>\
    <meta name='viewport' content='width=device-width'><title>MCP servers</title></head><body>\
    <div style='width:5000px'>wide</div><p style='color:#aaa;background:#fff'>pale</p>\
    <script>document.title = 'ran'; document.body.dataset.ran = 'yes'</script></body></html>";
const FAULTS: [&str; 6] = [
    "the title is",
    "that can run or load",
    "was run",
    "wider than",
    "contrast",
    "no style",
];

/// `page [--write]`: with `--write`, the pictures go to `docs/images`.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let write = match arguments {
        [] => false,
        [option] if option == "--write" => true,
        _ => return Err(Failure::new("there is --write and no other option")),
    };
    let workspace = Workspace::locate()?;
    let program = build_mcpctl(&workspace)?;
    let place = workspace.target.join("page");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    let page = demo::write(&program, &place)?;
    let faulty = place.join("faulty.html");
    fs::write(&faulty, FAULTY)?;
    let pictures = if write {
        workspace.root.join("docs/images")
    } else {
        place.clone()
    };
    fs::create_dir_all(&pictures)?;

    let mut browser = Browser::start(&place)?;
    let found = probe(&mut browser, &faulty, PHONE)?;
    for fault in FAULTS {
        if !found.iter().any(|line| line.contains(fault)) {
            return Err(Failure::new(format!(
                "the probe does not see a fault: {fault}; it found {found:?}"
            )));
        }
    }
    let mut wrong = 0;
    for view in &VIEWS {
        let found = probe(&mut browser, &page, view)?;
        wrong += found.len();
        let picture = browser.picture(view, PICTURE)?;
        let file = pictures.join(format!("status-{}.png", view.name));
        fs::write(&file, picture)?;
        println!("{}: {} faults, {}", view.name, found.len(), file.display());
        found.iter().for_each(|fault| println!("  {fault}"));
    }
    browser.close()?;
    if wrong > 0 {
        return Err(Failure::new(format!("{wrong} faults")));
    }
    Ok(())
}

fn probe(browser: &mut Browser, page: &Path, view: &View) -> Result<Vec<String>, Failure> {
    browser.open(page, view)?;
    let found = browser.evaluate(&PROBE.replace("WIDTH", &view.width.to_string()))?;
    let lines = found
        .as_array()
        .ok_or_else(|| Failure::new(format!("the probe says {found}")))?;
    Ok(lines
        .iter()
        .map(|line| {
            line.as_str()
                .map_or_else(|| Value::to_string(line), str::to_owned)
        })
        .collect())
}
