//! What the legs of one transport share: the host's ports and settings, and what is kept from one message to the next.

use std::sync::Arc;

use mcp_wire::{CredentialSource, OutboundPolicy};

use crate::destination::Destinations;
use crate::dial::Dialler;
use crate::options::HttpOptions;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::queue::Queue;
use crate::request::ConstantFields;
use crate::tls::Tls;

/// What the legs of one transport share.
pub(crate) struct Shared {
    pub(crate) outbound: Arc<dyn OutboundPolicy>,
    pub(crate) credentials: Arc<dyn CredentialSource>,
    pub(crate) dialler: Arc<dyn Dialler>,
    pub(crate) tls: Tls,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) options: HttpOptions,
    pub(crate) pool: Pool,
    pub(crate) queue: Queue,
    pub(crate) destinations: Destinations,
    pub(crate) fields: ConstantFields,
}
