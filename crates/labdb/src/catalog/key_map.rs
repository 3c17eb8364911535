//! Keys of an index in memory, sorted, in as few bytes as is simple.
//!
//! Keys lie in leaves of at most [`LEAF_KEYS`]. A leaf has what all its keys begin with only once,
//! the rest of each without a length where all are as long, and the addresses as differences from
//! the lowest one, in as many bytes as the largest difference needs. A leaf that ascending keys
//! have filled stays full. A counter's key and address so take about six bytes.

use super::key_leaf::Leaf;
use std::collections::BTreeMap;
use std::ops::Bound;

/// The most keys in a leaf.
const LEAF_KEYS: usize = 256;
/// The most bytes of keys in a leaf that has more than one.
const LEAF_BYTES: usize = 16 << 10;
/// A leaf with fewer keys joins the one before it, where both fill it half at most.
const FEW_KEYS: usize = LEAF_KEYS / 8;

/// An ordered map from byte strings to row addresses.
#[derive(Clone, Debug, Default)]
pub struct KeyMap {
    /// By a key that is at most the leaf's first and more than all in the leaf before it; the
    /// first leaf's is empty.
    leaves: BTreeMap<Box<[u8]>, Leaf>,
    count: usize,
}

impl KeyMap {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn leaf(&self, key: &[u8]) -> Option<&Leaf> {
        self.leaves
            .range::<[u8], _>((Bound::Unbounded, Bound::Included(key)))
            .next_back()
            .map(|(_, leaf)| leaf)
    }

    /// Takes all keys out.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The address of a key.
    pub fn get(&self, key: &[u8]) -> Option<u64> {
        let leaf = self.leaf(key)?;
        leaf.find(key).ok().map(|at| leaf.address(at))
    }

    /// Whether a key is there.
    pub fn contains_key(&self, key: &[u8]) -> bool {
        self.leaf(key).is_some_and(|leaf| leaf.find(key).is_ok())
    }

    /// Puts a key in, or gives one that is there another address; what it had before.
    pub fn insert(&mut self, key: &[u8], address: u64) -> Option<u64> {
        let leaf = self
            .leaves
            .range_mut::<[u8], _>((Bound::Unbounded, Bound::Included(key)))
            .next_back()
            .map(|(_, leaf)| leaf);
        let Some(leaf) = leaf else {
            let mut first = Leaf::default();
            first.insert(0, key, address);
            self.leaves.insert(Box::default(), first);
            self.count += 1;
            return None;
        };
        let at = match leaf.find(key) {
            Ok(at) => {
                let before = leaf.address(at);
                leaf.remove(at);
                leaf.insert(at, key, address);
                return Some(before);
            }
            Err(at) => at,
        };
        self.count += 1;
        let full =
            leaf.count >= LEAF_KEYS || (leaf.count > 0 && leaf.keys.len() + key.len() > LEAF_BYTES);
        if !full {
            leaf.insert(at, key, address);
            return None;
        }
        // A key behind all others begins a leaf of its own: ascending keys leave full leaves.
        let mut next = if at == leaf.count {
            leaf.shrink();
            Leaf::default()
        } else {
            leaf.split_off(leaf.count / 2)
        };
        let border = if next.count == 0 {
            next.insert(0, key, address);
            key.into()
        } else {
            let border: Box<[u8]> = next.key(0).into();
            if key < &*border {
                leaf.insert(at, key, address);
            } else {
                let at = at - leaf.count;
                next.insert(at, key, address);
            }
            border
        };
        self.leaves.insert(border, next);
        None
    }

    /// Takes a key out; its address.
    pub fn remove(&mut self, key: &[u8]) -> Option<u64> {
        let (border, leaf) = self
            .leaves
            .range_mut::<[u8], _>((Bound::Unbounded, Bound::Included(key)))
            .next_back()?;
        let at = leaf.find(key).ok()?;
        let address = leaf.address(at);
        leaf.remove(at);
        self.count -= 1;
        if leaf.count < FEW_KEYS {
            let border = border.clone();
            self.join(&border);
        }
        Some(address)
    }

    /// Joins a leaf with the one before it, where there is room; removes it where it is empty.
    fn join(&mut self, border: &[u8]) {
        let Some(leaf) = self.leaves.get(border) else {
            return;
        };
        let empty = leaf.count == 0;
        let (count, bytes) = (leaf.count, leaf.keys.len());
        let before = self
            .leaves
            .range_mut::<[u8], _>((Bound::Unbounded, Bound::Excluded(border)))
            .next_back()
            .map(|(_, leaf)| leaf);
        match before {
            Some(before)
                if empty
                    || (before.count + count <= LEAF_KEYS / 2
                        && before.keys.len() + bytes <= LEAF_BYTES / 2) =>
            {
                let mut all = before.unpack();
                if let Some(leaf) = self.leaves.remove(border) {
                    all.extend(leaf.unpack());
                }
                let before = self
                    .leaves
                    .range_mut::<[u8], _>((Bound::Unbounded, Bound::Excluded(border)))
                    .next_back();
                if let Some((_, before)) = before {
                    *before = Leaf::pack(&all);
                }
            }
            None if empty => {
                self.leaves.remove(border);
                // The first leaf takes all keys that are below the second.
                if let Some((_, leaf)) = self.leaves.pop_first() {
                    self.leaves.insert(Box::default(), leaf);
                }
            }
            _ => {}
        }
    }

    /// The keys from this one on, in order.
    pub fn from<'m>(&'m self, key: &[u8]) -> impl Iterator<Item = (Vec<u8>, u64)> + use<'m> {
        let first = self
            .leaves
            .range::<[u8], _>((Bound::Unbounded, Bound::Included(key)))
            .next_back()
            .map(|(border, leaf)| (border.clone(), leaf));
        let start = first.as_ref().map_or(0, |(_, leaf)| match leaf.find(key) {
            Ok(at) | Err(at) => at,
        });
        let border = first.as_ref().map_or_else(Box::default, |(b, _)| b.clone());
        let rest = self
            .leaves
            .range::<[u8], _>((Bound::Excluded(&*border), Bound::Unbounded))
            .map(|(_, leaf)| (leaf, 0));
        first
            .map(|(_, leaf)| (leaf, start))
            .into_iter()
            .chain(rest)
            .flat_map(|(leaf, start)| {
                (start..leaf.count).map(|at| (leaf.key(at), leaf.address(at)))
            })
    }

    /// The addresses of the keys that begin with these bytes, in order.
    pub fn with_prefix(&self, prefix: &[u8]) -> Vec<u64> {
        self.from(prefix)
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(_, address)| address)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// Checks that the map has what the model has, by all ways to read it.
    fn same(map: &KeyMap, model: &BTreeMap<Vec<u8>, u64>, random: &mut StdRng) {
        assert_eq!(map.len(), model.len());
        let all: Vec<(Vec<u8>, u64)> = map.from(&[]).collect();
        let expected: Vec<(Vec<u8>, u64)> = model.iter().map(|(k, a)| (k.clone(), *a)).collect();
        assert_eq!(all, expected);
        for _ in 0..20 {
            let key = key(random);
            assert_eq!(map.get(&key), model.get(&key).copied());
            assert_eq!(map.contains_key(&key), model.contains_key(&key));
            let from: Vec<u64> = map.from(&key).map(|(_, a)| a).take(5).collect();
            let expected: Vec<u64> = model
                .range(key.clone()..)
                .map(|(_, a)| *a)
                .take(5)
                .collect();
            assert_eq!(from, expected);
            let prefix = &key[..key.len() / 2];
            let expected: Vec<u64> = model
                .iter()
                .filter(|(k, _)| k.starts_with(prefix))
                .map(|(_, a)| *a)
                .collect();
            assert_eq!(map.with_prefix(prefix), expected);
        }
    }

    /// Keys of a few lengths and few letters, so that many share much.
    fn key(random: &mut StdRng) -> Vec<u8> {
        let length = random.random_range(0..7);
        (0..length)
            .map(|_| [0, 1, 127, 254, 255][random.random_range(0..5)])
            .collect()
    }

    #[test]
    fn it_does_what_a_sorted_map_does_under_random_changes() {
        for seed in 0..6 {
            let mut random = StdRng::seed_from_u64(seed);
            let (mut map, mut model) = (KeyMap::default(), BTreeMap::new());
            for round in 0..40_000 {
                // Phases of growing and of shrinking, down to nothing.
                let growing = round % 16_000 < 8_000;
                let key = key(&mut random);
                let address = random.random::<u64>() >> random.random_range(0..64);
                if random.random_bool(if growing { 0.8 } else { 0.05 }) {
                    assert_eq!(map.insert(&key, address), model.insert(key, address));
                } else {
                    assert_eq!(map.remove(&key), model.remove(&key));
                }
                if round % 4_000 == 3_999 {
                    same(&map, &model, &mut random);
                }
            }
            for key in model.keys().cloned().collect::<Vec<_>>() {
                assert_eq!(map.remove(&key), model.remove(&key));
            }
            assert!(map.is_empty() && map.leaves.is_empty());
        }
    }

    #[test]
    fn keys_that_are_longer_than_a_leaf_have_leaves_of_their_own() {
        let mut map = KeyMap::default();
        for n in (0..20_u8).rev() {
            map.insert(&vec![n; LEAF_BYTES + 1], u64::from(n));
        }
        assert_eq!(
            map.from(&[]).map(|(_, a)| a).collect::<Vec<_>>(),
            (0..20).collect::<Vec<u64>>()
        );
    }

    /// Bytes on the heap, as the vectors have taken them.
    fn bytes(map: &KeyMap) -> usize {
        map.leaves
            .iter()
            .map(|(border, leaf)| {
                border.len()
                    + leaf.prefix.len()
                    + leaf.keys.capacity()
                    + leaf.ends.capacity() * 4
                    + leaf.addresses.capacity()
                    // A node of the tree is half full at least.
                    + 2 * (size_of::<Box<[u8]>>() + size_of::<Leaf>())
            })
            .sum()
    }

    /// The key of an int and the address of the n-th row, 80 to a page.
    fn entry(n: u64, row: u64) -> ([u8; 9], u64) {
        let mut key = [1; 9];
        key[1..].copy_from_slice(&(n ^ (1 << 63)).to_be_bytes());
        (key, (1 << 48) | ((16 + row / 80) << 16) | (row % 80))
    }

    #[test]
    fn a_counter_takes_at_most_eight_bytes_a_key_and_random_numbers_at_most_twenty() {
        let count = 100_000;
        let mut map = KeyMap::default();
        for n in 0..count {
            let (key, address) = entry(n, n);
            map.insert(&key, address);
        }
        let each = bytes(&map) as f64 / count as f64;
        assert!(each < 8.0, "{each} bytes a key");
        let mut random = StdRng::seed_from_u64(1);
        let mut map = KeyMap::default();
        for n in 0..count {
            let (key, address) = entry(random.random::<u64>() >> 1, n);
            map.insert(&key, address);
        }
        let each = bytes(&map) as f64 / count as f64;
        assert!(each < 20.0, "{each} bytes a key");
    }
}
