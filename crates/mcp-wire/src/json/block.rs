//! Which bytes of a block do not stand for themselves in a string: all of a block at a time.

/// The bytes of a block.
pub(super) const BLOCK: usize = 32;

/// The bytes of one block that do not stand for themselves. Bit `n` is set for byte `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Special(u32);

/// Whether a byte is a quotation mark, a backslash or a control character. Without a branch, so that a compiler may look at
/// all bytes of a block at a time.
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

/// The first special byte of a block, for who asks for no other.
#[inline]
pub(super) fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    let [a, b, c, d] = lanes(block);
    let (low, high) = (
        u128::from(a) | u128::from(b) << 64,
        u128::from(c) | u128::from(d) << 64,
    );
    if low | high == 0 {
        return None;
    }
    let bits = if low == 0 {
        u128::BITS + high.trailing_zeros()
    } else {
        low.trailing_zeros()
    };
    Some((bits / u8::BITS) as usize)
}

/// The block with all ones for each special byte and zeros for each other one.
#[inline]
fn lanes(block: &[u8; BLOCK]) -> [u64; 4] {
    let mut found = [0; BLOCK];
    for (found, byte) in found.iter_mut().zip(block) {
        *found = if is_special(*byte) { u8::MAX } else { 0 };
    }
    let (lanes, _none) = found.as_chunks::<8>();
    let &[a, b, c, d] = lanes else { return [0; 4] };
    [
        u64::from_le_bytes(a),
        u64::from_le_bytes(b),
        u64::from_le_bytes(c),
        u64::from_le_bytes(d),
    ]
}

impl Special {
    #[inline]
    pub(super) fn of(block: &[u8; BLOCK]) -> Self {
        let [a, b, c, d] = lanes(block);
        if a | b | c | d == 0 {
            return Self(0);
        }
        Self(u32::from_le_bytes([gather(a), gather(b), gather(c), gather(d)]))
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
            Self(self.0 & u32::MAX << at)
        } else {
            Self(0)
        }
    }
}

/// One bit for each of eight bytes that are all ones or all zeros. Of the product only the sums of one bit each come into
/// the highest byte, in the order of the bytes.
#[inline]
const fn gather(lane: u64) -> u8 {
    ((lane & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// Byte for byte.
    fn plainly(bytes: &[u8]) -> Vec<usize> {
        let special = bytes.iter().enumerate().filter(|(_, byte)| is_special(**byte));
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
            let meant = matches!(byte, b'"' | b'\\' | 0..=0x1f);
            assert_eq!(is_special(byte), meant, "{byte}");
            for at in 0..BLOCK {
                let mut block = [0xc3; BLOCK];
                block[at] = byte;
                let expected = if meant { Vec::from([at]) } else { Vec::new() };
                assert_eq!(places(Special::of(&block)), expected, "{byte} at {at}");
                assert_eq!(first_special(&block), expected.first().copied(), "{byte} at {at}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_block_is_judged_as_its_bytes_are(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'"'), Just(b'\\'), Just(b'a')], 0..70),
            at in 0_usize..70,
        ) {
            let rest = bytes.get(at..).unwrap_or_default();
            let block = &rest[..rest.len().min(BLOCK)];
            let found = special_at(&bytes, at);
            prop_assert_eq!(found.is_none(), block.is_empty());
            prop_assert_eq!(found.map(places).unwrap_or_default(), plainly(block));
            if let Some(block) = block.first_chunk() {
                prop_assert_eq!(first_special(block), plainly(block).first().copied());
            }
        }
    }
}
