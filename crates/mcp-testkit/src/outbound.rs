//! An outbound policy that refuses nothing.

use std::net::SocketAddr;

use mcp_wire::{Endpoint, OutboundPolicy, OutboundRefusal};

/// Admits every target and address.
#[derive(Debug, Clone, Copy, Default)]
pub struct AdmitAll;

impl OutboundPolicy for AdmitAll {
    fn admit_target(&self, _endpoint: &Endpoint) -> Result<(), OutboundRefusal> {
        Ok(())
    }

    fn admit_address(&self, _endpoint: &Endpoint, _address: SocketAddr) -> Result<(), OutboundRefusal> {
        Ok(())
    }
}
