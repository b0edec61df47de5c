//! The outbound rules on the real HTTP adapter: what is looked up, how it is judged, and that what is dialled is what
//! was judged.

#![cfg(test)]

mod answers;
mod forms;
mod world;
