//! A certificate authority for one test, and the servers that it vouches for.

use std::sync::Arc;

use mcp_http::Tls;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// A certificate authority of one test.
pub(crate) struct Authority(rcgen::CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(rcgen::CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// The trust of a client in this authority.
    pub(crate) fn tls(&self) -> Tls {
        Tls::with_authorities(self.pem().as_bytes()).unwrap()
    }

    /// A server that is `host` until the end of the year before `until`, over HTTP/1.1.
    pub(crate) fn server(&self, host: &str, until: i32) -> TlsAcceptor {
        self.server_of(host, until, &[])
    }

    /// A server that is `host` and speaks HTTP/2.
    pub(crate) fn http2_server(&self, host: &str) -> TlsAcceptor {
        self.server_of(host, 2999, &[b"h2"])
    }

    fn server_of(&self, host: &str, until: i32, protocols: &[&[u8]]) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([host.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        let issuer: &Issuer<'_, KeyPair> = &self.0;
        let certificate = params.signed_by(&key, issuer).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}
