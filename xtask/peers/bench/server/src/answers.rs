//! What the server says: texts with escapes and characters outside ASCII, and a catalogue on pages of 100 tools.

/// One answer, cut where the id of the request goes.
pub(crate) struct Answer {
    pub(crate) before_id: Vec<u8>,
    pub(crate) after_id: Vec<u8>,
}

impl Answer {
    fn of_result(result: &str) -> Self {
        Self {
            before_id: br#"{"jsonrpc":"2.0","id":"#.to_vec(),
            after_id: format!(",\"result\":{result}}}").into_bytes(),
        }
    }

    pub(crate) fn len(&self, id: &[u8]) -> usize {
        self.before_id.len() + id.len() + self.after_id.len()
    }
}

/// The answers of one size.
pub(crate) struct Answers {
    pub(crate) initialize: Answer,
    pub(crate) call: Answer,
    pub(crate) tools: Answer,
    /// The pages of the catalogue.
    pub(crate) pages: Vec<Answer>,
}

/// A paragraph as a tool might answer it, as it stands in JSON: an escape and a character outside ASCII here and there.
const PARAGRAPH: &str = concat!(
    r#"The café on the corner lists twelve items – prices are on page 3.\n"#,
    r#"See https://srv.example/menu?lang=en&page=3 for more, or ask for \"today's special\".\n"#,
    r#"    let total = items.iter().map(|item| item.price * item.count).sum::<u64>();\n"#,
    r#"Delivery takes 25 to 40 minutes within the city; beyond it, please call before noon.\n"#,
);

/// Tools on each page of the catalogue.
const PER_PAGE: usize = 100;

impl Answers {
    /// Answers with `bytes` bytes of text, and a catalogue of `tools` tools.
    pub(crate) fn new(bytes: usize, tools: usize) -> Self {
        let text = text(bytes);
        let call = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}"#);
        let few: Vec<String> = (0..10).map(tool).collect();
        let pages = (0..tools.div_ceil(PER_PAGE)).map(|page| {
            let end = tools.min((page + 1) * PER_PAGE);
            let next = if end == tools {
                String::new()
            } else {
                format!(r#","nextCursor":"page-{}""#, page + 1)
            };
            let page: Vec<String> = (page * PER_PAGE..end).map(tool).collect();
            Answer::of_result(&format!(r#"{{"tools":[{}]{next}}}"#, page.join(",")))
        });
        Self {
            initialize: Answer::of_result(concat!(
                r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":false}},"#,
                r#""serverInfo":{"name":"bench-server","version":"1.0.0"},"instructions":"For measuring."}"#
            )),
            call: Answer::of_result(&call),
            tools: Answer::of_result(&format!(r#"{{"tools":[{}]}}"#, few.join(","))),
            pages: pages.collect(),
        }
    }
}

/// JSON text that stands for at least `bytes` bytes and little more.
fn text(bytes: usize) -> String {
    let mut text = String::new();
    let mut decoded = 0;
    let mut characters = PARAGRAPH.chars().cycle();
    while decoded < bytes {
        let Some(character) = characters.next() else { break };
        text.push(character);
        if character == '\\' {
            text.extend(characters.next());
            decoded += 1;
        } else {
            decoded += character.len_utf8();
        }
    }
    text
}

/// One tool of about 1,300 bytes; the first one is the one that is called.
fn tool(number: usize) -> String {
    let name = if number == 0 {
        "echo".to_owned()
    } else {
        format!("tool_{number}")
    };
    let property = |name: &str, about: &str| {
        format!(
            r#""{name}":{{"type":"string","description":"{about} – as the service spells it, or \"all\"","maxLength":200}}"#
        )
    };
    let properties = [
        property("city", "The city that is asked about"),
        property("street", "A street in it"),
        property("language", "The language of the answer"),
        property("currency", "The currency of all prices"),
        r#""days":{"type":"integer","description":"How many days to look ahead","minimum":1,"maximum":14,"default":7}"#.to_owned(),
        r#""units":{"type":"string","enum":["metric","imperial","scientific"],"default":"metric"}"#.to_owned(),
        r#""tags":{"type":"array","items":{"type":"string","maxLength":40},"maxItems":16}"#.to_owned(),
    ];
    format!(
        concat!(
            r#"{{"name":"{name}","title":"Tool {number}","description":"Looks something up – number {number} of many.\n"#,
            r#"Takes a city and, optionally, a street; answers with a paragraph of text for each day. It reads only, "#,
            r#"keeps nothing, and needs no account; the days are those of the city's own time zone, and a day without a "#,
            r#"forecast is left out. It may be asked \"again\" with the same arguments.","inputSchema":{{"type":"object","properties":"#,
            r#"{{{properties}}},"required":["city"],"additionalProperties":false}},"#,
            r#""annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#
        ),
        name = name,
        number = number,
        properties = properties.join(",")
    )
}
