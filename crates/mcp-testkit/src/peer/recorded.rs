//! A request as the peer read it.

/// One complete request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// The HTTP method; on a connection without HTTP, that of the message.
    pub http_method: String,
    /// The request target.
    pub target: String,
    /// The fields in order, names in lower case.
    pub fields: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl RecordedRequest {
    /// Takes the first complete request off the front of `bytes`; `None` while bytes are missing.
    pub(super) fn take(bytes: &mut Vec<u8>) -> Option<Self> {
        let head_end = find(bytes, b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(bytes.get(..head_end)?).into_owned();
        let mut lines = head.split("\r\n");
        let mut start = lines.next()?.split(' ');
        let (http_method, target) = (start.next()?.to_owned(), start.next()?.to_owned());
        let fields: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = fields.iter().find(|(name, _)| name == "content-length");
        let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
        let body_start = head_end + 4;
        let body = bytes.get(body_start..body_start + length)?;
        let body = String::from_utf8_lossy(body).into_owned();
        bytes.drain(..body_start + length);
        Some(Self {
            http_method,
            target,
            fields,
            body,
        })
    }

    /// The value of a field, by its name in lower case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The text of a top-level string member of the body, such as `id` or `method`, as this client spells it.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.body.split_once(&format!("\"{name}\":\""))?;
        rest.split_once('"').map(|(value, _)| value)
    }
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}
