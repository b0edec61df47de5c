//! What a proxy may answer to `CONNECT`: a bounded head of HTTP/1, of which the status alone counts.
//!
//! The fields are held to their syntax and have no meaning: [RFC 9110, section 9.3.6] has a client ignore the length and
//! the coding that the answer to a `CONNECT` declares. What follows the head of a success belongs to the tunnel.
//!
//! [RFC 9110, section 9.3.6]: https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6

use mcp_wire::TransportError;

/// The bytes of the longest head, its empty line included.
pub(super) const HEAD_BYTES: usize = 8 * 1_024;

const END: &[u8] = b"\r\n\r\n";

/// The answer of a proxy, as far as it came.
#[derive(Default)]
pub(super) struct Answer(Vec<u8>);

impl Answer {
    /// How many bytes more may be read of it.
    pub(super) const fn room(&self) -> usize {
        HEAD_BYTES.saturating_sub(self.0.len())
    }

    /// Takes the next bytes. The answer is a tunnel once there are bytes to return: those that already belong to it.
    ///
    /// # Errors
    ///
    /// The proxy is at fault, in the same way however the bytes were cut.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, TransportError> {
        let seen = self.0.len().saturating_sub(END.len() - 1);
        self.0.extend_from_slice(bytes);
        // Whoever speaks first, or something else than HTTP/1, is not waited for.
        if !self.0.iter().zip(b"HTTP/1.").all(|(byte, due)| byte == due) {
            return Err(failed(NO_HTTP));
        }
        let unseen = self.0.get(seen..).unwrap_or_default();
        let end = unseen.windows(END.len()).position(|window| window == END);
        match end.map(|end| seen + end + END.len()) {
            Some(end) if end <= HEAD_BYTES => {
                let rest = self.0.split_off(end);
                judge(&self.0).map(|()| Some(rest))
            }
            None if self.0.len() < HEAD_BYTES => Ok(None),
            Some(_) | None => Err(failed("its head is longer than 8192 bytes")),
        }
    }

    /// What it means that the connection ended.
    pub(super) const fn lost() -> TransportError {
        failed("the connection ended before the end of its head")
    }
}

const NO_HTTP: &str = "it does not speak HTTP/1";

const fn failed(fault: &'static str) -> TransportError {
    TransportError::ProxyFailed { fault }
}

fn judge(head: &[u8]) -> Result<(), TransportError> {
    match status(head) {
        None => Err(failed(NO_HTTP)),
        Some(200..300) => Ok(()),
        Some(407) => Err(TransportError::ProxyAuthenticationRequired),
        Some(status) => Err(TransportError::ProxyRefused { status }),
    }
}

/// The status of a head that is well-formed throughout.
fn status(head: &[u8]) -> Option<u16> {
    let lines = head.strip_suffix(b"\r\n")?;
    let mut lines = lines
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r\n"));
    let status = status_line(lines.next()??)?;
    lines.all(|line| line.is_some_and(is_field)).then_some(status)
}

/// [RFC 9112, section 4](https://www.rfc-editor.org/rfc/rfc9112#section-4). The space before a reason that is missing may
/// be missing as well.
fn status_line(line: &[u8]) -> Option<u16> {
    let rest = line
        .strip_prefix(b"HTTP/1.1 ")
        .or_else(|| line.strip_prefix(b"HTTP/1.0 "))?;
    let (digits, reason) = rest.split_at_checked(3)?;
    let is_ended = reason.is_empty() || reason.starts_with(b" ");
    if !is_ended || !is_text(reason) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let status = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (100..600).contains(&status).then_some(status)
}

/// [RFC 9112, section 5](https://www.rfc-editor.org/rfc/rfc9112#section-5): no space before the colon, no folded line.
fn is_field(line: &[u8]) -> bool {
    let token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    let mut parts = line.splitn(2, |byte| *byte == b':');
    let (name, value) = (parts.next().unwrap_or_default(), parts.next());
    !name.is_empty() && name.iter().all(token) && value.is_some_and(is_text)
}

fn is_text(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| *byte == b'\t' || (*byte >= 0x20 && *byte != 0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of the tunnel, or the kind of the failure; the answer ends after `bytes`. In pieces of `size`.
    fn read(bytes: &[u8], size: usize) -> Result<Vec<u8>, &'static str> {
        let mut answer = Answer::default();
        for (number, piece) in bytes.chunks(size).enumerate() {
            match answer.push(piece) {
                Ok(None) => {}
                Ok(Some(mut rest)) => {
                    rest.extend(bytes.iter().skip((number + 1) * size));
                    return Ok(rest);
                }
                Err(error) => return Err(error.kind()),
            }
        }
        Err(Answer::lost().kind())
    }

    /// The same in every size of pieces that matters.
    fn check(bytes: &[u8], expected: Result<&[u8], &'static str>) {
        let shown = String::from_utf8_lossy(bytes.get(..bytes.len().min(60)).unwrap()).into_owned();
        for size in [1, 2, 3, 5, 7, 64, 1_000, bytes.len().max(1)] {
            let expected = expected.map(<[u8]>::to_vec);
            assert_eq!(read(bytes, size), expected, "{shown:?} by {size}");
        }
    }

    #[test]
    fn a_success_leads_into_the_tunnel_and_loses_nothing() {
        for head in [
            "HTTP/1.1 200 Connection established\r\n\r\n",
            "HTTP/1.0 200 OK\r\nVia: 1.1 a, 1.1 b\r\nx-empty:\r\n\r\n",
            "HTTP/1.1 200\r\n\r\n",
            "HTTP/1.1 299 \r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            check(head.as_bytes(), Ok(b""));
            let more = format!("{head}\x16\x03\r\n\r\nHTTP/1.1 407 No\r\n\r\n");
            check(more.as_bytes(), Ok(b"\x16\x03\r\n\r\nHTTP/1.1 407 No\r\n\r\n"));
        }
        check(b"HTTP/1.1 200 \xfc\t\r\nx: \xfc\r\n\r\n", Ok(b""));
    }

    #[test]
    fn any_other_status_is_a_refusal() {
        for status in [100, 101, 199, 300, 302, 400, 401, 403, 408, 500, 502, 599] {
            check(
                format!("HTTP/1.1 {status} No\r\nlocation: /\r\n\r\n").as_bytes(),
                Err("proxy-refused"),
            );
        }
        check(
            b"HTTP/1.1 407 No\r\n\r\nbody",
            Err("proxy-authentication-required"),
        );
    }

    #[test]
    fn what_is_no_head_is_none() {
        for text in [
            "SSH-2.0-server\r\n",
            "\x15\x03\x01\0\x02\x02\x16",
            "\r\nHTTP/1.1 200 OK\r\n\r\n",
            "http/1.1 200 OK\r\n\r\n",
            "HTTP/2.0 200 OK\r\n\r\n",
            "HTTP/1.2 200 OK\r\n\r\n",
            "HTTP/1.1  200 OK\r\n\r\n",
            "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 +20 OK\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/1.1 200OK\r\n\r\n",
            "HTTP/1.1 099 OK\r\n\r\n",
            "HTTP/1.1 600 OK\r\n\r\n",
            "HTTP/1.1 200 O\0K\r\n\r\n",
            "HTTP/1.1 200 O\rK\r\n\r\n",
            "HTTP/1.1 200 OK\nx: y\r\n\r\n",
            "HTTP/1.1 200 OK\r\nx: y\n\r\n\r\n",
            "HTTP/1.1 200 OK\r\nx : y\r\n\r\n",
            "HTTP/1.1 200 OK\r\n folded\r\n\r\n",
            "HTTP/1.1 200 OK\r\nx: y\r\n folded: z\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\n: y\r\n\r\n",
            "HTTP/1.1 200 OK\r\nx: \x7f\r\n\r\n",
            // Cut off.
            "",
            "HTT",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\n\r",
            "HTTP/1.1 407 No\r\n",
        ] {
            check(text.as_bytes(), Err("proxy-failed"));
        }
    }

    #[test]
    fn the_edge_of_a_head() {
        let head = |size: usize| {
            let start = "HTTP/1.1 200 OK\r\nx: ";
            format!("{start}{}\r\n\r\n", "x".repeat(size - start.len() - 4))
        };
        check(head(HEAD_BYTES).as_bytes(), Ok(b""));
        check(format!("{}more", head(HEAD_BYTES)).as_bytes(), Ok(b"more"));
        check(head(HEAD_BYTES + 1).as_bytes(), Err("proxy-failed"));
        check(
            &[b"HTTP/1.1 200 ", [b'x'; 9_000].as_slice()].concat(),
            Err("proxy-failed"),
        );
        let mut answer = Answer::default();
        answer
            .push(head(HEAD_BYTES).as_bytes().get(..8_191).unwrap())
            .unwrap();
        assert_eq!(answer.room(), 1);
    }

    #[test]
    fn no_word_of_the_answer_is_in_the_error() {
        for text in [
            "canary\r\n\r\n",
            "HTTP/1.1 407 canary\r\nproxy-authenticate: Basic realm=\"canary\"\r\n\r\n",
            "HTTP/1.1 502 canary\r\nx: canary\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncanary\r\n\r\n",
        ] {
            let error = Answer::default().push(text.as_bytes()).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        }
    }
}
