//! A request's body, as far as it may go.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};

use super::refusal::HttpRefusal;

/// Reads a whole body of at most `limit` bytes. Of a larger one no more is kept than the limit and one piece.
pub(super) async fn read(
    body: &mut (impl Body<Data = Bytes> + Unpin),
    limit: usize,
    time: Duration,
) -> Result<Vec<u8>, HttpRefusal> {
    let whole = async {
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_broken| HttpRefusal::Incomplete)?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if data.len() > limit - bytes.len() {
                return Err(HttpRefusal::TooLarge);
            }
            bytes.extend_from_slice(&data);
        }
        Ok(bytes)
    };
    tokio::time::timeout(time, whole)
        .await
        .unwrap_or(Err(HttpRefusal::Slow))
}
