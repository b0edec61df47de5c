//! What is printed when there is no result: one line, one kind, one exit status.

use mcp_policy::Failure;
use mcp_wire::Delivery;

use crate::exit::Exit;

/// An ending without a result, ready to be printed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) kind: String,
    pub(crate) class: &'static str,
    pub(crate) culprit: &'static str,
    pub(crate) delivery: Delivery,
    pub(crate) message: String,
    pub(crate) server: Option<String>,
    pub(crate) exit: Exit,
}

impl Failed {
    /// The command line asks for something that cannot be meant.
    pub(crate) fn usage(kind: &str, message: impl ToString) -> Self {
        Self::local(kind, "usage", Exit::Usage, message)
    }

    /// Something that the command line names cannot be used.
    pub(crate) fn configuration(kind: &str, message: impl ToString) -> Self {
        Self::local(kind, "configuration", Exit::Configuration, message)
    }

    /// The person stopped the operation, and it is not known how far it had come.
    pub(crate) fn interrupted() -> Self {
        let delivery = Delivery::Unknown;
        Self {
            delivery,
            ..Self::local("cancelled", "cancelled", Exit::Interrupted, "interrupted")
        }
    }

    pub(crate) fn of(failure: &Failure) -> Self {
        Self {
            kind: failure.kind().to_owned(),
            class: failure.class().name(),
            culprit: failure.culprit().name(),
            delivery: failure.delivery(),
            message: failure.to_string(),
            server: None,
            exit: Exit::of(failure),
        }
    }

    pub(crate) fn at(mut self, server: &str) -> Self {
        self.server = Some(server.to_owned());
        self
    }

    fn local(kind: &str, class: &'static str, exit: Exit, message: impl ToString) -> Self {
        Self {
            kind: kind.to_owned(),
            class,
            culprit: "caller",
            delivery: Delivery::NotSent,
            message: message.to_string(),
            server: None,
            exit,
        }
    }
}
