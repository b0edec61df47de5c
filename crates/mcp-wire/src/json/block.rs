//! Which bytes of a block do not stand for themselves in a string: all of a block at a time.

/// The bytes of a block.
pub(super) const BLOCK: usize = 64;

/// The bytes that are looked at in one step.
pub(super) const LANE: usize = 16;

/// The bytes of one block that do not stand for themselves. Bit `n` is set for byte `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Special(u64);

/// Whether a byte is a quotation mark, a backslash or a control character.
#[inline]
pub(super) const fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// The special bytes of the block at `at`; of fewer bytes where the text ends. `None` at the end of the text.
#[inline]
pub(super) fn special_at(bytes: &[u8], at: usize) -> Option<Special> {
    let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
    if let Some(block) = rest.first_chunk() {
        return Some(Special::of(block));
    }
    let mut block = [b' '; BLOCK];
    block.get_mut(..rest.len())?.copy_from_slice(rest);
    Some(Special::of(&block))
}

/// The special bytes of one lane, a bit for each.
#[cfg(target_feature = "sse2")]
#[inline]
pub(super) fn special_in(lane: &[u8; LANE]) -> u32 {
    use safe_arch::{
        cmp_eq_mask_i8_m128i, load_unaligned_m128i, min_u8_m128i, move_mask_i8_m128i, set_splat_i8_m128i,
    };

    let lane = load_unaligned_m128i(lane);
    let each = |byte: u8| set_splat_i8_m128i(byte.cast_signed());
    let quotes = cmp_eq_mask_i8_m128i(lane, each(b'"'));
    let backslashes = cmp_eq_mask_i8_m128i(lane, each(b'\\'));
    // The smaller of a byte and the last control character is the byte itself where it is such a character.
    let controls = cmp_eq_mask_i8_m128i(min_u8_m128i(lane, each(0x1f)), lane);
    move_mask_i8_m128i(quotes | backslashes | controls).cast_unsigned()
}

/// The special bytes of one lane, a bit for each.
#[cfg(not(target_feature = "sse2"))]
#[inline]
pub(super) fn special_in(lane: &[u8; LANE]) -> u32 {
    special_in_any(lane)
}

/// As [`special_in`], for a processor of any kind.
#[cfg(any(test, not(target_feature = "sse2")))]
#[inline]
fn special_in_any(lane: &[u8; LANE]) -> u32 {
    let found = lane.map(|byte| if is_special(byte) { u8::MAX } else { 0 });
    let (halves, _none) = found.as_chunks::<8>();
    let [low, high] = match *halves {
        [low, high] => [low, high].map(|half| gather(u64::from_le_bytes(half))),
        _ => [0; 2],
    };
    u32::from(u16::from_le_bytes([low, high]))
}

/// One bit for each of eight bytes that are all ones or all zeros. Of the product only the sums of one bit each come into
/// the highest byte, in the order of the bytes.
#[cfg(any(test, not(target_feature = "sse2")))]
#[inline]
const fn gather(bytes: u64) -> u8 {
    ((bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

impl Special {
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        let (lanes, _none) = block.as_chunks();
        let from_last = lanes.iter().rev();
        Self(from_last.fold(0, |special, lane| special << LANE | u64::from(special_in(lane))))
    }

    /// The first of them.
    #[inline]
    pub(super) const fn first(self) -> Option<usize> {
        if self.0 == 0 {
            None
        } else {
            Some(self.0.trailing_zeros() as usize)
        }
    }

    /// Those from byte `at` on, which may lie beyond the block.
    #[inline]
    pub(super) const fn from(self, at: usize) -> Self {
        if at < BLOCK {
            Self(self.0 & u64::MAX << at)
        } else {
            Self(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// Byte for byte.
    fn plainly(bytes: &[u8]) -> Vec<usize> {
        let special = bytes.iter().enumerate();
        let special = special.filter(|(_, byte)| matches!(byte, b'"' | b'\\' | 0..=0x1f));
        special.map(|(at, _)| at).collect()
    }

    fn places(mut special: Special) -> Vec<usize> {
        let mut places = Vec::new();
        while let Some(at) = special.first() {
            places.push(at);
            special = special.from(at + 1);
        }
        places
    }

    #[test]
    fn each_byte_is_judged_in_each_place() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_special(byte), !plainly(&[byte]).is_empty(), "{byte}");
            for at in 0..BLOCK {
                let mut block = [0xc3; BLOCK];
                block[at] = byte;
                assert_eq!(places(Special::of(&block)), plainly(&block), "{byte} at {at}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_block_is_judged_as_its_bytes_are(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'"'), Just(b'\\'), Just(b'a')], 0..140),
            at in 0_usize..140,
        ) {
            let rest = bytes.get(at..).unwrap_or_default();
            let found = special_at(&bytes, at);
            prop_assert_eq!(found.is_none(), rest.is_empty());
            prop_assert_eq!(found.map(places).unwrap_or_default(), plainly(&rest[..rest.len().min(BLOCK)]));
        }

        #[test]
        fn a_lane_is_judged_alike_by_every_processor(lane: [u8; LANE], plain in 0..LANE) {
            let mut lane = lane;
            lane[..plain].fill(b'a');
            let places: Vec<_> = (0..LANE).filter(|at| special_in(&lane) >> at & 1 == 1).collect();
            prop_assert_eq!(places, plainly(&lane));
            prop_assert_eq!(special_in_any(&lane), special_in(&lane));
        }
    }
}
