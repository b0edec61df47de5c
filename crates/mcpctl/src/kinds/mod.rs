//! What is known of each kind of failure: `docs/kinds.md`, which is part of the program.

mod table;
#[cfg(test)]
mod tests;

/// What to do about a kind, or about a class: the word on exactly this name.
pub(crate) fn hint(name: &str) -> Option<&'static str> {
    let mut hints = table::hints().into_iter();
    hints.find(|(of, _)| *of == name).map(|(_, hint)| hint)
}

/// A row of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) class: &'static str,
    pub(crate) culprit: &'static str,
    pub(crate) delivery: &'static str,
    pub(crate) exit: &'static str,
    pub(crate) rule: &'static str,
}

/// Every kind, in the order of the document.
pub(crate) fn all() -> Vec<Kind> {
    let rows = table::rows().into_iter();
    rows.map(|[name, class, culprit, delivery, exit, rule]| Kind {
        name,
        class,
        culprit,
        delivery,
        exit,
        rule,
    })
    .collect()
}
