//! Secrets that cannot be printed by accident.

use alloc::string::String;
use core::fmt;

use zeroize::Zeroizing;

/// A credential's value. It has no `Display`, its `Debug` is redacted, it cannot be cloned or compared, and its memory
/// is overwritten when it is dropped.
///
/// Copies that leave this type (the bytes of a header on their way to the socket) are outside its reach.
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes over `value`. Earlier copies of it are the caller's to erase.
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(Zeroizing::new(value))
    }

    /// The value itself, for the one place that writes it to the wire.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;
    use alloc::format;

    #[test]
    fn a_secret_is_shown_only_where_it_is_asked_for() {
        let secret = Secret::new("canary".into());
        assert_eq!(format!("{secret:?}"), "Secret(redacted)");
        assert_eq!(secret.expose(), "canary");
    }
}
