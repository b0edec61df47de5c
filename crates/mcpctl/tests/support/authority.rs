//! A certificate authority, and the server that it vouches for.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate authority of its own, and a server's certificate for one name.
pub(crate) struct Authority {
    /// The file for `--ca`.
    pub(crate) file: String,
    pub(crate) server: Arc<ServerConfig>,
}

impl Authority {
    /// A server that agrees on no protocol above TLS, and so gets HTTP/1.1.
    pub(crate) fn with_server(name: &str) -> Self {
        Self::with_server_of(name, &[])
    }

    /// A server that agrees on one of these protocols above TLS.
    pub(crate) fn with_server_of(name: &str, protocols: &[&str]) -> Self {
        Self::with_server_until(name, protocols, 2999)
    }

    /// A server whose certificate ends with the year before this one.
    pub(crate) fn with_server_until(name: &str, protocols: &[&str], year: i32) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("authority-{count}.pem"));
        std::fs::write(&file, certificate.pem()).unwrap();

        let server_key = KeyPair::generate().unwrap();
        let mut server_params = CertificateParams::new([name.to_owned()]).unwrap();
        server_params.not_before = date_time_ymd(2000, 1, 1);
        server_params.not_after = date_time_ymd(year, 1, 1);
        let issuer = Issuer::new(params, key);
        let server = server_params.signed_by(&server_key, &issuer).unwrap();
        let server_key = PrivatePkcs8KeyDer::from(server_key.serialize_der());
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![server.der().clone()], PrivateKeyDer::Pkcs8(server_key))
            .unwrap();
        let protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec());
        config.alpn_protocols = protocols.collect();
        Self {
            file: file.to_str().unwrap().to_owned(),
            server: Arc::new(config),
        }
    }
}
