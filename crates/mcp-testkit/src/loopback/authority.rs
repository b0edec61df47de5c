//! A certificate authority for one test, and the servers that it vouches for.

use std::io;
use std::sync::Arc;

use mcp_http::Tls;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate authority of one test.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// An authority that nobody else knows.
    ///
    /// # Errors
    ///
    /// When no key can be made; so for the other methods.
    pub fn new() -> io::Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let issuer = CertifiedIssuer::self_signed(params, key).map_err(io::Error::other)?;
        Ok(Self(issuer))
    }

    /// Its certificate.
    #[must_use]
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// The trust of a client in this authority.
    ///
    /// # Errors
    ///
    /// As [`Authority::new`].
    pub fn tls(&self) -> io::Result<Tls> {
        Tls::with_authorities(self.pem().as_bytes()).map_err(io::Error::other)
    }

    /// A server that is `host` until the end of the year before `until`, over HTTP/1.1.
    ///
    /// # Errors
    ///
    /// As [`Authority::new`].
    pub fn server(&self, host: &str, until: i32) -> io::Result<TlsAcceptor> {
        self.server_of(host, until, &[])
    }

    /// A server that is `host` and speaks HTTP/2.
    ///
    /// # Errors
    ///
    /// As [`Authority::new`].
    pub fn http2_server(&self, host: &str) -> io::Result<TlsAcceptor> {
        self.server_of(host, 2999, &[b"h2"])
    }

    fn server_of(&self, host: &str, until: i32, protocols: &[&[u8]]) -> io::Result<TlsAcceptor> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let mut params = CertificateParams::new([host.to_owned()]).map_err(io::Error::other)?;
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        let issuer: &Issuer<'_, KeyPair> = &self.0;
        let certificate = params.signed_by(&key, issuer).map_err(io::Error::other)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .map_err(io::Error::other)?;
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}
