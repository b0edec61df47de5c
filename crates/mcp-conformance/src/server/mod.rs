//! Conversations with the server: what a client says, and all that it hears.
//!
//! A conversation is data in `specs/028-server-context/conversations`. It is played on the real server over streams in
//! memory, on each carrier that it names.

mod conversation;
mod handler;
mod http;
mod play;
mod stdio;

pub(crate) use self::conversation::{Carrier, Conversation, ConversationFile};
pub(crate) use self::play::{Heard, Said, check_conversation};
