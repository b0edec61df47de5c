//! Characters that a reader does not see, or that steer what shows the text.

use std::collections::BTreeSet;

/// A sort of such characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// The start of a terminal's control sequence: ESC, or one of its one-byte forms.
    EscapeSequence,
    /// Any other control character but tab, line feed and carriage return.
    Control,
    /// Steers the direction of the text.
    Bidi,
    /// Takes no room: spaces of no width, joiners out of place, fillers, the soft hyphen.
    ZeroWidth,
    /// A tag character, U+E0000 to U+E007F: a second, invisible ASCII.
    Tag,
    /// A variation selector that follows nothing which could vary.
    VariationSelector,
    /// Any other format character.
    Format,
}

impl Mark {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::EscapeSequence => "escape-sequence",
            Self::Control => "control-character",
            Self::Bidi => "bidi-control",
            Self::ZeroWidth => "zero-width",
            Self::Tag => "tag-character",
            Self::VariationSelector => "variation-selector",
            Self::Format => "format-character",
        }
    }
}

/// The sorts that a text holds.
pub(super) fn marks(text: &str) -> BTreeSet<Mark> {
    let mut found = BTreeSet::new();
    let mut passed = 0;
    loop {
        passed += plain_run(text.as_bytes().get(passed..).unwrap_or_default());
        let (before, rest) = text.split_at_checked(passed).unwrap_or_default();
        let mut characters = rest.chars();
        let Some(character) = characters.next() else {
            return found;
        };
        passed += character.len_utf8();
        found.extend(mark(before.chars().next_back(), character, characters.next()));
    }
}

/// How many bytes come before the first one of a character that may be marked. Whole blocks are looked at without a branch
/// for each byte.
fn plain_run(bytes: &[u8]) -> usize {
    const fn is_plain(byte: u8) -> bool {
        (byte >= b' ') & (byte <= b'~') | (byte == b'\t') | (byte == b'\n') | (byte == b'\r')
    }
    let (blocks, _tail) = bytes.as_chunks::<16>();
    let blocks = blocks
        .iter()
        .take_while(|block| block.iter().fold(true, |plain, byte| plain & is_plain(*byte)));
    let whole = 16 * blocks.count();
    let rest = bytes.get(whole..).unwrap_or_default();
    whole + rest.iter().take_while(|byte| is_plain(**byte)).count()
}

fn mark(before: Option<char>, character: char, after: Option<char>) -> Option<Mark> {
    Some(match character {
        '\t' | '\n' | '\r' => return None,
        // ESC; DCS, SOS, CSI, ST, OSC, PM and APC.
        '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}'..='\u{9f}' => Mark::EscapeSequence,
        _ if character.is_control() => Mark::Control,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Mark::Bidi,
        '\u{200c}' | '\u{200d}' if joins(before) && joins(after) => return None,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' => {
            Mark::ZeroWidth
        }
        '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => {
            Mark::ZeroWidth
        }
        '\u{e0000}'..='\u{e007f}' => Mark::Tag,
        _ if is_selector(character) => {
            if before.is_some_and(varies) {
                return None;
            }
            Mark::VariationSelector
        }
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' => Mark::Format,
        '\u{2028}' | '\u{2029}' | '\u{206a}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' => Mark::Format,
        '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' => Mark::Format,
        '\u{1d173}'..='\u{1d17a}' => Mark::Format,
        _ => return None,
    })
}

/// Whether a joiner has work to do beside this character: in the scripts that use one, and between pictures.
fn joins(character: Option<char>) -> bool {
    matches!(
        character,
        Some(
            '\u{600}'..='\u{109f}'
            | '\u{1780}'..='\u{18af}'
            | '\u{2190}'..='\u{2bff}'
            | '\u{fe0f}'
            | '\u{1f000}'..='\u{1faff}',
        )
    )
}

const fn is_selector(character: char) -> bool {
    matches!(character, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a variation selector may follow: a symbol, a letter beyond Latin, a digit or sign of a keycap.
fn varies(character: char) -> bool {
    matches!(character, '0'..='9' | '#' | '*')
        || !character.is_ascii()
            && !character.is_whitespace()
            && !character.is_control()
            && !is_selector(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Each character beside its neighbours, without a shorter way for any.
    fn marks_one_by_one(text: &str) -> BTreeSet<Mark> {
        let characters: Vec<char> = text.chars().collect();
        let at = |place: Option<usize>| characters.get(place?).copied();
        let marked = characters
            .iter()
            .enumerate()
            .filter_map(|(place, character)| mark(at(place.checked_sub(1)), *character, at(Some(place + 1))));
        marked.collect()
    }

    proptest! {
        #[test]
        fn runs_of_plain_characters_hide_nothing(
            text in "([ -~]{0,40}[a0#\t\u{1b}\u{7f}\u{ad}–क\u{200d}❤\u{fe0f}\u{fe01}\u{e0041}]{0,3}){0,4}",
        ) {
            prop_assert_eq!(marks(&text), marks_one_by_one(&text));
        }
    }

    #[test]
    fn each_sort_is_seen_at_both_ends_of_its_range() {
        for (mark, characters) in [
            (Mark::EscapeSequence, "\u{1b}\u{90}\u{98}\u{9b}\u{9d}\u{9f}"),
            (
                Mark::Control,
                "\u{0}\u{8}\u{b}\u{1f}\u{7f}\u{80}\u{8f}\u{99}\u{9a}",
            ),
            (
                Mark::Bidi,
                "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}",
            ),
            (
                Mark::ZeroWidth,
                "\u{ad}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180e}\u{200b}\u{200c}\u{200d}\u{2060}\u{2064}\u{2065}\u{3164}\u{feff}\u{ffa0}",
            ),
            (Mark::Tag, "\u{e0000}\u{e0001}\u{e0041}\u{e007f}"),
            (
                Mark::VariationSelector,
                "\u{fe00}\u{fe0f}\u{e0100}\u{e01ef}\u{180b}\u{180d}\u{180f}",
            ),
            (
                Mark::Format,
                "\u{600}\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{2028}\u{2029}\u{206a}\u{206f}\u{fff9}\u{fffb}",
            ),
            (
                Mark::Format,
                "\u{110bd}\u{110cd}\u{13430}\u{1343f}\u{1bca0}\u{1bca3}\u{1d173}\u{1d17a}",
            ),
        ] {
            for character in characters.chars() {
                let found = marks(&format!("a{character}b"));
                assert_eq!(found, BTreeSet::from([mark]), "{:?}", character.escape_unicode());
            }
        }
    }

    #[test]
    fn writing_that_needs_them_is_not_flagged() {
        for text in [
            "two\nlines\tand a tab\r\n",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "葛\u{e0100}",
            "café – naïve, 工具",
        ] {
            assert_eq!(marks(text), BTreeSet::new(), "{text}");
        }
    }

    #[test]
    fn a_joiner_joins_on_both_sides() {
        for text in ["a\u{200d}ष", "क\u{200d}a", "\u{200d}ष", "क\u{200d}"] {
            assert_eq!(marks(text), BTreeSet::from([Mark::ZeroWidth]), "{text}");
        }
    }

    #[test]
    fn a_selector_after_a_selector_carries_something() {
        assert_eq!(
            marks("❤\u{fe0f}\u{fe01}"),
            BTreeSet::from([Mark::VariationSelector])
        );
    }

    #[test]
    fn the_flag_of_a_region_is_flagged_with_every_other_tag() {
        let england = "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        assert_eq!(marks(england), BTreeSet::from([Mark::Tag]));
    }
}
