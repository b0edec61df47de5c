//! The workloads: each is the same for every client that is put under it, and prints one line of figures.
//!
//! `PROGRAM MODE URL [calls=N] [flight=N] [millis=N] [variant=NAME]`. A call that fails, or whose text is shorter than
//! the URL asks for, ends the program: a figure of failed calls would mean nothing.

mod meter;
mod modes;

use std::future::Future;

/// A client under load.
pub trait Client: Send + Sync + 'static {
    /// One line of calls, one after another.
    type Caller: Caller;

    /// A client for `url`, for at most `flight` calls at a time.
    fn connect(settings: &Settings) -> impl Future<Output = Self> + Send;

    /// A caller that is ready: its session is open.
    fn caller(&'static self) -> impl Future<Output = Self::Caller> + Send;

    /// A whole operation: handshake, list, one call, end. Gives the bytes of the text.
    fn whole(settings: &Settings) -> impl Future<Output = usize> + Send;
}

/// One line of calls.
pub trait Caller: Send + 'static {
    /// One call. Gives the bytes of the text that it answered, or of the body for a client that reads none.
    fn call(&mut self) -> impl Future<Output = usize> + Send;

    /// The list of tools, every page. Gives how many there are.
    fn list(&mut self) -> impl Future<Output = usize> + Send;

    /// As [`Caller::list`], and each tool read as an import reads it; `None` when the client does not know imports.
    fn import(&mut self) -> impl Future<Output = Option<usize>> + Send {
        async { None }
    }
}

/// What a run is asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The server.
    pub url: String,
    /// How many calls.
    pub calls: usize,
    /// How many at a time.
    pub flight: usize,
    /// For how long.
    pub millis: u64,
    /// Which form of the client.
    pub variant: String,
}

impl Settings {
    /// The bytes of text that an answer must have at least: the last part of the URL.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        let last = self.url.rsplit('/').next().unwrap_or_default();
        last.parse().unwrap_or(0)
    }

    fn read(arguments: &[String]) -> (String, Self) {
        let [mode, url, rest @ ..] = arguments else {
            panic!("usage: PROGRAM MODE URL [calls=N] [flight=N] [millis=N] [variant=NAME]");
        };
        let value = |name: &str| {
            rest.iter()
                .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        };
        let number = |name, otherwise| value(name).map_or(otherwise, |text| text.parse().expect("a number"));
        let settings = Self {
            url: url.clone(),
            calls: number("calls", 100),
            flight: number("flight", 1),
            millis: number("millis", 1_000) as u64,
            variant: value("variant").unwrap_or_default().to_owned(),
        };
        (mode.clone(), settings)
    }
}

/// Runs the mode that the command line names.
pub fn main<C: Client>() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mode, settings) = Settings::read(&arguments);
    modes::run::<C>(&mode, settings);
}
