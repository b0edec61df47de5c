//! The credential of a proxy: which scheme it is sent by, and how it is written.

use mcp_wire::{CredentialError, CredentialRef, Secret};

/// The credential that a proxy asks for, by the name of its secret. It goes to the proxy, on each new connection, and never
/// to a server.
///
/// [RFC 9110, section 11.7.2](https://www.rfc-editor.org/rfc/rfc9110#section-11.7.2).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProxyCredential {
    /// `Proxy-Authorization: Basic`, the secret being `user:password`
    /// ([RFC 7617](https://www.rfc-editor.org/rfc/rfc7617#section-2)).
    Basic(CredentialRef),
    /// `Proxy-Authorization: Bearer <secret>`.
    Bearer(CredentialRef),
}

impl ProxyCredential {
    pub(super) const fn reference(&self) -> &CredentialRef {
        match self {
            Self::Basic(reference) | Self::Bearer(reference) => reference,
        }
    }

    /// The value of the field.
    ///
    /// # Errors
    ///
    /// [`CredentialError::Unusable`] when the secret is empty, holds what a field cannot, or for `Basic` has no colon.
    pub(super) fn value(&self, secret: &Secret) -> Result<Secret, CredentialError> {
        let text = secret.expose();
        let value = match self {
            Self::Basic(_) if text.contains(':') && !text.chars().any(char::is_control) => basic(text),
            Self::Bearer(_) if !text.is_empty() && text.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) => {
                format!("Bearer {text}")
            }
            Self::Basic(reference) | Self::Bearer(reference) => {
                return Err(CredentialError::Unusable(reference.clone()));
            }
        };
        Ok(Secret::new(value))
    }
}

/// `Basic` and the text in base64 ([RFC 4648, section 4](https://www.rfc-editor.org/rfc/rfc4648#section-4)).
fn basic(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = String::with_capacity("Basic ".len() + text.len().div_ceil(3) * 4);
    value.push_str("Basic ");
    for group in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, place| {
            bits << 8 | u32::from(group.get(place).copied().unwrap_or_default())
        });
        for place in 0..4 {
            let letter = ALPHABET.get((bits >> (18 - 6 * place) & 63) as usize);
            let letter = letter.filter(|_| place <= group.len());
            value.push(letter.map_or('=', |letter| char::from(*letter)));
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference() -> CredentialRef {
        CredentialRef("env:PROXY".to_owned())
    }

    /// The vectors of [RFC 4648, section 10](https://www.rfc-editor.org/rfc/rfc4648#section-10), and all letters.
    #[test]
    fn base64_is_that_of_its_specification() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
            ("Aladdin:open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test:123\u{a3}", "dGVzdDoxMjPCow=="),
            ("~~~???", "fn5+Pz8/"),
        ] {
            assert_eq!(basic(text), format!("Basic {coded}"), "{text}");
        }
    }

    #[test]
    fn a_secret_that_cannot_be_sent_is_refused() {
        let basic = ProxyCredential::Basic(reference());
        let bearer = ProxyCredential::Bearer(reference());
        for (credential, secret) in [
            (&basic, ""),
            (&basic, "no colon"),
            (&basic, "user:pass\nword"),
            (&basic, "user:\u{85}"),
            (&bearer, ""),
            (&bearer, "hush\r\nx-injected: 1"),
            (&bearer, "h\u{fc}sh"),
        ] {
            let refused = credential.value(&Secret::new(secret.to_owned())).unwrap_err();
            assert_eq!(refused, CredentialError::Unusable(reference()), "{secret:?}");
        }
    }
}
