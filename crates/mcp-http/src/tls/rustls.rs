//! TLS by rustls with ring: the platform's trust, the host's own authorities, and the handshake.

use std::sync::{Arc, OnceLock};

use hyper_util::rt::TokioIo;
use mcp_wire::{Host, TransportError};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use tokio_rustls::TlsConnector;

use super::{Tls, http2};
use crate::connection::{Connection, Protocol};
use crate::dial::BoxedStream;
use crate::options::HttpOptions;

/// Whom to trust. The platform's store is read at the first connection.
#[derive(Debug, Clone)]
pub(crate) struct Trust {
    authorities: Vec<CertificateDer<'static>>,
    connector: Arc<OnceLock<Option<TlsConfig>>>,
}

type TlsConfig = Arc<ClientConfig>;

/// A certificate file could not be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file holds no certificate in PEM form, or one that cannot be read")]
pub struct TlsError;

impl Tls {
    /// Trusts what the platform trusts. Its store is read at the first `https` connection.
    #[must_use]
    pub fn platform() -> Self {
        Trust::besides_the_platform(Vec::new())
    }

    /// Trusts, besides the platform, the authorities of a PEM text.
    ///
    /// # Errors
    ///
    /// [`TlsError`] when the text holds no certificate, one that is no PEM, or one that cannot be read.
    pub fn with_authorities(pem: &[u8]) -> Result<Self, TlsError> {
        let authorities: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let authorities = authorities.map_err(|_not_pem| TlsError)?;
        if authorities.is_empty() {
            return Err(TlsError);
        }
        // Found out here, a bad certificate is the caller's; at the first connection it would look like the server's.
        let mut readable = RootCertStore::empty();
        for authority in &authorities {
            readable.add(authority.clone()).map_err(|_unreadable| TlsError)?;
        }
        Ok(Trust::besides_the_platform(authorities))
    }
}

/// A stream under TLS, and the version of HTTP that the server chose.
pub(crate) struct Secured {
    stream: BoxedStream,
    protocol: Protocol,
}

impl Secured {
    pub(crate) const fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Makes a connection of the stream.
    pub(crate) async fn start(self, options: &HttpOptions) -> Result<Connection, TransportError> {
        match self.protocol {
            Protocol::Http1 => Connection::http1(self.stream, options).await,
            Protocol::Http2 => Ok(Connection::Http2(http2::start(self.stream, options).await?)),
        }
    }
}

impl Trust {
    fn besides_the_platform(authorities: Vec<CertificateDer<'static>>) -> Tls {
        Tls {
            trust: Some(Self {
                authorities,
                connector: Arc::default(),
            }),
        }
    }

    /// Runs the handshake for `host` on an open connection. Offers HTTP/2 and HTTP/1.1.
    pub(crate) async fn handshake(
        &self,
        host: &Host,
        stream: BoxedStream,
    ) -> Result<Secured, TransportError> {
        let config = self
            .connector
            .get_or_init(|| self.configure())
            .clone()
            .ok_or(TransportError::TlsTrustMissing)?;
        let name = server_name(host).ok_or(TransportError::Tls)?;
        let stream = TlsConnector::from(config)
            .connect(name, TokioIo::new(stream))
            .await;
        let stream = stream.map_err(|error| classify(&error))?;
        let protocol = match stream.get_ref().1.alpn_protocol() {
            Some(b"h2") => Protocol::Http2,
            Some(_) | None => Protocol::Http1,
        };
        Ok(Secured {
            stream: Box::new(TokioIo::new(stream)),
            protocol,
        })
    }

    /// `None` when the platform has no trust store and the host gave no authority.
    fn configure(&self) -> Option<TlsConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Verifier::new_with_extra_roots(self.authorities.clone(), provider.clone()).ok()?;
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .ok()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Some(Arc::new(config))
    }
}

fn server_name(host: &Host) -> Option<ServerName<'static>> {
    match host {
        Host::Address(address) => Some(ServerName::from(*address)),
        Host::Name(name) => ServerName::try_from(name.clone()).ok(),
    }
}

fn classify(error: &std::io::Error) -> TransportError {
    let tls = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let Some(rustls::Error::InvalidCertificate(reason)) = tls else {
        return TransportError::Tls;
    };
    let is_name = matches!(
        reason,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
    );
    let is_date = matches!(
        reason,
        CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. }
    );
    match (is_name, is_date) {
        (true, _) => TransportError::TlsNameMismatch,
        (false, true) => TransportError::TlsExpired,
        (false, false) => TransportError::TlsUntrusted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_is_refused_before_a_connection() {
        for pem in [
            "",
            "no PEM",
            "-----BEGIN CERTIFICATE-----\nAAAA\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ] {
            assert_eq!(
                Tls::with_authorities(pem.as_bytes()).unwrap_err(),
                TlsError,
                "{pem}"
            );
        }
    }
}
