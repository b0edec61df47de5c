//! A command line that could not be read: what is wrong with it, without what could be a secret.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Takes the place of what was typed.
const UNSAID: &str = "(not repeated)";

/// The error without the words that were typed, names of options excepted: a URL may hold a secret in its query, and a
/// credential may stand in a wrong place.
pub(crate) fn conceal(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::MissingSubcommand {
        // Repeats the name of the program only.
        return error;
    }
    for place in [
        ContextKind::InvalidArg,
        ContextKind::InvalidSubcommand,
        ContextKind::InvalidValue,
    ] {
        let Some(ContextValue::String(text)) = error.get(place) else {
            continue;
        };
        let option = place == ContextKind::InvalidArg && text.starts_with('-');
        // An empty value says that there is none.
        if !option && !text.is_empty() {
            error.insert(place, ContextValue::String(UNSAID.to_owned()));
        }
    }
    error
}

/// What is wrong, on one line; the paragraphs on usage and help are left out.
pub(crate) fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let paragraphs: Vec<_> = text
        .split("\n\n")
        .take_while(|paragraph| !paragraph.starts_with("Usage:") && !paragraph.starts_with("For more"))
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    paragraphs.join("; ").trim_start_matches("error: ").to_owned()
}
