//! Bounded, printable forms of text that a peer wrote.

use alloc::string::String;

/// Cuts `text` to at most `characters` characters and replaces every control character with a space.
///
/// For remote text that is shown to people: messages of RPC errors, names of servers.
#[must_use]
pub fn clip(text: &str, characters: usize) -> String {
    text.chars()
        .take(characters)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::clip;

    #[test]
    fn clips_by_characters_and_blanks_controls() {
        assert_eq!(clip("a\nb\u{1b}c\u{85}d", 200), "a b c d");
        assert_eq!(clip("äöü", 2), "äö");
    }
}
