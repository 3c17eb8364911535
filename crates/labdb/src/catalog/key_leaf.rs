//! A leaf of a map of keys: neighbouring keys and their addresses, packed.

/// Neighbouring keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaf {
    pub(super) count: usize,
    /// What all keys begin with.
    pub(super) prefix: Box<[u8]>,
    /// The rests of the keys, one after the other.
    pub(super) keys: Vec<u8>,
    /// Where each rest ends; empty where all have `width` bytes.
    pub(super) ends: Vec<u32>,
    width: usize,
    /// The addresses less `base`, in `address_width` bytes each, little-endian.
    pub(super) addresses: Vec<u8>,
    base: u64,
    address_width: usize,
}

impl Leaf {
    fn bounds(&self, at: usize) -> (usize, usize) {
        if self.ends.is_empty() {
            return (at * self.width, (at + 1) * self.width);
        }
        let end = |at: usize| self.ends.get(at).map_or(0, |end| *end as usize);
        (at.checked_sub(1).map_or(0, end), end(at))
    }

    fn rest(&self, at: usize) -> &[u8] {
        let (start, end) = self.bounds(at);
        self.keys.get(start..end).unwrap_or_default()
    }

    pub(super) fn key(&self, at: usize) -> Vec<u8> {
        [&*self.prefix, self.rest(at)].concat()
    }

    pub(super) fn address(&self, at: usize) -> u64 {
        let start = at * self.address_width;
        let mut bytes = [0; 8];
        for (to, from) in bytes
            .iter_mut()
            .zip(self.addresses.iter().skip(start).take(self.address_width))
        {
            *to = *from;
        }
        self.base + u64::from_le_bytes(bytes)
    }

    /// Where a key is, or where it would be.
    pub(super) fn find(&self, key: &[u8]) -> Result<usize, usize> {
        let Some(rest) = key.strip_prefix(&*self.prefix) else {
            return Err(if key < &*self.prefix { 0 } else { self.count });
        };
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.rest(middle).cmp(rest) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// Puts a key in its place, anew packed where it does not fit the leaf's form.
    pub(super) fn insert(&mut self, at: usize, key: &[u8], address: u64) {
        if self.count > 0
            && let Some(rest) = key.strip_prefix(&*self.prefix)
            && (!self.ends.is_empty() || rest.len() == self.width)
            && let Some(difference) = address.checked_sub(self.base)
            && bytes_of(difference) <= self.address_width
        {
            let start = self.bounds(at).0;
            reserve(&mut self.keys, rest.len());
            self.keys.splice(start..start, rest.iter().copied());
            if !self.ends.is_empty() {
                reserve(&mut self.ends, 1);
                self.ends.insert(at, start as u32);
                for end in self.ends.iter_mut().skip(at) {
                    *end += rest.len() as u32;
                }
            }
            let start = at * self.address_width;
            reserve(&mut self.addresses, self.address_width);
            let bytes = difference.to_le_bytes();
            self.addresses
                .splice(start..start, bytes.into_iter().take(self.address_width));
            self.count += 1;
            return;
        }
        let mut all = self.unpack();
        all.insert(at, (key.to_vec(), address));
        *self = Self::pack(&all);
    }

    pub(super) fn remove(&mut self, at: usize) {
        let (start, end) = self.bounds(at);
        self.keys.drain(start..end);
        if !self.ends.is_empty() {
            self.ends.remove(at);
            for later in self.ends.iter_mut().skip(at) {
                *later -= (end - start) as u32;
            }
        }
        let start = at * self.address_width;
        self.addresses.drain(start..start + self.address_width);
        self.count -= 1;
    }

    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let mut all = self.unpack();
        let upper = all.split_off(at);
        *self = Self::pack(&all);
        Self::pack(&upper)
    }

    pub(super) fn unpack(&self) -> Vec<(Vec<u8>, u64)> {
        (0..self.count)
            .map(|at| (self.key(at), self.address(at)))
            .collect()
    }

    pub(super) fn pack(all: &[(Vec<u8>, u64)]) -> Self {
        let (Some((first, _)), Some((last, _))) = (all.first(), all.last()) else {
            return Self::default();
        };
        let shared = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let prefix = first.get(..shared).unwrap_or_default();
        let rests = all
            .iter()
            .map(|(key, _)| key.get(shared..).unwrap_or_default());
        let width = first.len() - shared;
        let mut leaf = Self {
            count: all.len(),
            prefix: prefix.into(),
            keys: Vec::with_capacity(rests.clone().map(<[u8]>::len).sum()),
            width,
            base: all.iter().map(|(_, address)| *address).min().unwrap_or(0),
            ..Self::default()
        };
        let same = rests.clone().all(|rest| rest.len() == width);
        for rest in rests {
            leaf.keys.extend_from_slice(rest);
            if !same {
                leaf.ends.push(leaf.keys.len() as u32);
            }
        }
        leaf.ends.shrink_to_fit();
        let most = all.iter().map(|(_, address)| address - leaf.base).max();
        leaf.address_width = bytes_of(most.unwrap_or(0));
        leaf.addresses = all
            .iter()
            .flat_map(|(_, address)| {
                let bytes = (address - leaf.base).to_le_bytes();
                bytes.into_iter().take(leaf.address_width)
            })
            .collect();
        leaf.addresses.shrink_to_fit();
        leaf
    }

    pub(super) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.addresses.shrink_to_fit();
    }
}

/// Bytes that a number needs, one at least.
fn bytes_of(number: u64) -> usize {
    (64 - number.leading_zeros() as usize).div_ceil(8).max(1)
}

/// Room for more, with little to spare: many leaves are as full as they will ever be.
fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more + list.len() / 8 + 8);
    }
}
