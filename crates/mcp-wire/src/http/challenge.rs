//! What a server that refuses a request for lack of credentials asks for.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The most that is read of all `WWW-Authenticate` fields of one answer, in bytes.
const FIELD_BYTES: usize = 8 * 1_024;

/// The most challenges that are kept of one answer.
const CHALLENGES: usize = 8;

/// One challenge of a `WWW-Authenticate` field.
///
/// It holds the server's text, for a host that goes to fetch a token. Neither form of printing shows any of it: what is
/// shown are names from our own lists.
///
/// [RFC 9110, section 11.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1),
/// [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3),
/// [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1),
/// [MCP 2025-11-25, Authorization](https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization).
#[derive(Clone, PartialEq, Eq)]
pub struct Challenge {
    scheme: AuthScheme,
    parameters: Vec<(Box<str>, Box<str>)>,
}

/// The scheme of a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuthScheme {
    /// `Bearer`: a token of OAuth.
    Bearer,
    /// `Basic`: a name and a password.
    Basic,
    /// Another one.
    Other,
}

/// Why a bearer token did not do.
///
/// [RFC 6750, section 3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BearerError {
    /// The request is malformed.
    InvalidRequest,
    /// The token is expired, revoked or wrong.
    InvalidToken,
    /// The token does not reach far enough.
    InsufficientScope,
    /// A reason that the specification does not know.
    Other,
}

impl BearerError {
    /// The reason as the specification spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidToken => "invalid_token",
            Self::InsufficientScope => "insufficient_scope",
            Self::Other => "another reason",
        }
    }
}

impl Challenge {
    /// Reads the challenges of an answer from its `WWW-Authenticate` fields, in order.
    ///
    /// None when a field does not follow the grammar, when a challenge names a parameter twice, when a value holds
    /// anything but visible ASCII and spaces, or beyond 8,192 bytes or 8 challenges: what could be read in two ways must
    /// not lead a token anywhere.
    #[must_use]
    pub fn read_all<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> Vec<Self> {
        let (mut read, mut challenges) = (0, Vec::new());
        for field in fields {
            read += field.len();
            let Some(text) = core::str::from_utf8(field).ok().filter(|_| read <= FIELD_BYTES) else {
                return Vec::new();
            };
            if (Reader { rest: text }).challenges(&mut challenges).is_none() || challenges.len() > CHALLENGES
            {
                return Vec::new();
            }
        }
        challenges
    }

    /// The scheme.
    #[must_use]
    pub const fn scheme(&self) -> AuthScheme {
        self.scheme
    }

    /// A parameter by its name in lower case; remote text.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut named = self.parameters.iter().filter(|(known, _)| **known == *name);
        named.next().map(|(_, value)| &**value)
    }

    /// Where the server describes itself as a protected resource: a URL, not judged yet; remote text.
    #[must_use]
    pub fn resource_metadata(&self) -> Option<&str> {
        self.parameter("resource_metadata")
    }

    /// The scope that a token needs; remote text.
    #[must_use]
    pub fn scope(&self) -> Option<&str> {
        self.parameter("scope")
    }

    /// Why the bearer token did not do.
    #[must_use]
    pub fn bearer_error(&self) -> Option<BearerError> {
        let error = match self.scheme {
            AuthScheme::Bearer => self.parameter("error")?,
            AuthScheme::Basic | AuthScheme::Other => return None,
        };
        Some(match error {
            "invalid_request" => BearerError::InvalidRequest,
            "invalid_token" => BearerError::InvalidToken,
            "insufficient_scope" => BearerError::InsufficientScope,
            _ => BearerError::Other,
        })
    }
}

impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.scheme {
            AuthScheme::Bearer => "a bearer token",
            AuthScheme::Basic => "a name and a password",
            AuthScheme::Other => "credentials of another scheme",
        })?;
        match self.bearer_error() {
            Some(error) => write!(f, ": {}", error.name()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Challenge({self}, {} parameters)", self.parameters.len())
    }
}

/// Reads one field. `None` stands for a field that does not follow the grammar.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn challenges(&mut self, challenges: &mut Vec<Challenge>) -> Option<()> {
        self.skip_separators();
        while !self.rest.is_empty() {
            let scheme = self.token()?;
            let mut challenge = Challenge {
                scheme: match () {
                    () if scheme.eq_ignore_ascii_case("bearer") => AuthScheme::Bearer,
                    () if scheme.eq_ignore_ascii_case("basic") => AuthScheme::Basic,
                    () => AuthScheme::Other,
                },
                parameters: Vec::new(),
            };
            if self.rest.starts_with(' ') {
                self.skip_spaces();
                self.credentials(&mut challenge)?;
            }
            self.end_of_element()?;
            challenges.push(challenge);
        }
        Some(())
    }

    /// What follows the scheme: one `token68`, or parameters up to the next scheme.
    fn credentials(&mut self, challenge: &mut Challenge) -> Option<()> {
        if self.token68() {
            return Some(());
        }
        while let Some((name, value)) = self.parameter()? {
            let name = name.to_ascii_lowercase();
            if challenge.parameter(&name).is_some() {
                return None;
            }
            challenge.parameters.push((name.into(), value.into()));
            let before = self.rest;
            self.end_of_element()?;
            if !self.at_parameter() {
                self.rest = before;
                break;
            }
        }
        Some(())
    }

    /// Takes a `token68` that stands alone: it ends the field or the element.
    fn token68(&mut self) -> bool {
        let allowed = |char: char| char.is_ascii_alphanumeric() || "-._~+/".contains(char);
        let rest = self.rest.trim_start_matches(allowed);
        if rest.len() == self.rest.len() {
            return false;
        }
        let rest = rest.trim_start_matches('=').trim_start_matches([' ', '\t']);
        let alone = rest.is_empty() || rest.starts_with(',');
        if alone {
            self.rest = rest;
        }
        alone
    }

    fn at_parameter(&self) -> bool {
        let mut ahead = Reader { rest: self.rest };
        ahead.token().is_some() && {
            ahead.skip_spaces();
            ahead.rest.starts_with('=')
        }
    }

    /// `Some(None)` at the end of the element.
    fn parameter(&mut self) -> Option<Option<(&'a str, String)>> {
        if self.rest.is_empty() || self.rest.starts_with(',') {
            return Some(None);
        }
        let name = self.token()?;
        self.skip_spaces();
        self.rest = self.rest.strip_prefix('=')?;
        self.skip_spaces();
        let value = if self.rest.starts_with('"') {
            self.quoted()?
        } else {
            String::from(self.token()?)
        };
        Some(Some((name, value)))
    }

    fn token(&mut self) -> Option<&'a str> {
        let allowed = |char: char| char.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(char);
        let end = self.rest.find(|char| !allowed(char)).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(token).filter(|token| !token.is_empty())
    }

    fn quoted(&mut self) -> Option<String> {
        let mut value = String::new();
        let mut chars = self.rest.strip_prefix('"')?.chars();
        loop {
            let char = match chars.next()? {
                '"' => break,
                '\\' => chars.next()?,
                char => char,
            };
            value.push(Some(char).filter(|char| (' '..='~').contains(char))?);
        }
        self.rest = chars.as_str();
        Some(value)
    }

    /// Nothing, or a comma, behind an element.
    fn end_of_element(&mut self) -> Option<()> {
        self.skip_spaces();
        if self.rest.is_empty() {
            return Some(());
        }
        self.rest.starts_with(',').then(|| self.skip_separators())
    }

    fn skip_separators(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', ',']);
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// The challenges of one field as `scheme name=value name=value`.
    fn read(field: &str) -> Vec<String> {
        let challenges = Challenge::read_all([field.as_bytes()]);
        let shown = challenges.iter().map(|challenge| {
            let mut shown = format!("{:?}", challenge.scheme);
            for (name, value) in &challenge.parameters {
                shown.push_str(&format!(" {name}={value}"));
            }
            shown
        });
        shown.collect()
    }

    #[test]
    fn challenges_in_their_forms() {
        for (field, expected) in [
            ("Bearer", &["Bearer"][..]),
            ("bearer", &["Bearer"]),
            (r#"Bearer realm="a b""#, &["Bearer realm=a b"]),
            (
                r#"Bearer resource_metadata="https://a.example/.well-known/x", scope="read write", error="invalid_token""#,
                &[
                    "Bearer resource_metadata=https://a.example/.well-known/x scope=read write error=invalid_token",
                ],
            ),
            ("Bearer a=", &["Bearer"]),
            (r#"Bearer ERROR = "x""#, &["Bearer error=x"]),
            (r#"Bearer a="\"\\""#, &[r#"Bearer a="\"#]),
            (r#"Bearer a="x,y=z, Basic""#, &["Bearer a=x,y=z, Basic"]),
            (
                r#"Basic realm="x", Bearer scope=s"#,
                &["Basic realm=x", "Bearer scope=s"],
            ),
            (
                "Negotiate, Bearer a=b, c=d, Digest",
                &["Other", "Bearer a=b c=d", "Other"],
            ),
            ("Negotiate abc/+==, Basic a=b", &["Other", "Basic a=b"]),
            (" , Bearer a=b , ", &["Bearer a=b"]),
            ("Bearer ", &["Bearer"]),
            ("Bearer , Basic", &["Bearer", "Basic"]),
            ("", &[]),
        ] {
            assert_eq!(read(field), expected, "{field}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_not_read() {
        for field in [
            r#"Bearer a="x", a="y""#,
            r#"Bearer a="x", A="y""#,
            r#"Bearer a="x"#,
            r#"Bearer a="x" b="y""#,
            "Bearer =a",
            "Bearer a=b c",
            "Bearer a=\"\u{e9}\"",
            "Bearer a=\"x\ty\"",
            "Bearer\ta=b",
            "\"Bearer\"",
        ] {
            assert_eq!(read(field), [""; 0], "{field}");
        }
    }

    #[test]
    fn the_edges_of_what_is_read() {
        let padded = |bytes: usize| format!("Bearer a={}", "x".repeat(bytes - "Bearer a=".len()));
        assert_eq!(read(&padded(8_192)).len(), 1);
        assert_eq!(read(&padded(8_193)).len(), 0);
        assert_eq!(read(&"Basic,".repeat(CHALLENGES)).len(), CHALLENGES);
        assert_eq!(read(&"Basic,".repeat(CHALLENGES + 1)).len(), 0);
        let lines = [&b"Basic"[..], b"Bearer a=b"];
        assert_eq!(Challenge::read_all(lines).len(), 2);
        let lines = [&b"Basic"[..], b"Bearer a=\xff"];
        assert_eq!(Challenge::read_all(lines).len(), 0);
    }

    #[test]
    fn only_a_bearer_token_has_a_reason() {
        let reason = |field: &str| {
            let [challenge] = &Challenge::read_all([field.as_bytes()])[..] else {
                panic!("{field} is one challenge");
            };
            assert_eq!(challenge.parameter("realm"), None);
            challenge.bearer_error().map(BearerError::name)
        };
        for name in ["invalid_request", "invalid_token", "insufficient_scope"] {
            assert_eq!(reason(&format!("Bearer scope=s, error={name}")), Some(name));
            assert_eq!(reason(&format!("Basic error={name}")), None);
            assert_eq!(reason(&format!("Other error={name}")), None);
        }
        assert_eq!(reason("Bearer error=INVALID_TOKEN"), Some("another reason"));
        assert_eq!(reason("Bearer scope=s"), None);
        let challenges = Challenge::read_all([&b"Basic, Bearer, Digest"[..]]);
        let schemes: Vec<_> = challenges.iter().map(Challenge::scheme).collect();
        assert_eq!(
            schemes,
            [AuthScheme::Basic, AuthScheme::Bearer, AuthScheme::Other]
        );
        let shown: Vec<_> = challenges
            .iter()
            .map(|challenge| format!("{challenge}"))
            .collect();
        assert_eq!(
            shown,
            [
                "a name and a password",
                "a bearer token",
                "credentials of another scheme"
            ]
        );
    }

    #[test]
    fn neither_form_of_printing_shows_the_servers_text() {
        let field = r#"Bearer realm="CANARY", error="CANARY", scope="CANARY", resource_metadata="CANARY""#;
        let challenges = Challenge::read_all([field.as_bytes()]);
        let [challenge] = &challenges[..] else { panic!() };
        assert_eq!(challenge.scope(), Some("CANARY"));
        assert_eq!(challenge.resource_metadata(), Some("CANARY"));
        assert_eq!(challenge.bearer_error(), Some(BearerError::Other));
        let shown = format!("{challenge} {challenge:?}");
        assert_eq!(
            shown,
            "a bearer token: another reason Challenge(a bearer token: another reason, 4 parameters)"
        );
    }
}
