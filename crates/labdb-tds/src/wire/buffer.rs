//! Bytes that were received and not used yet.

use zeroize::Zeroize;

/// A buffer with a read end and a write end. It grows only when asked to hold more.
pub(crate) struct ReceiveBuffer {
    data: Vec<u8>,
    start: usize,
    end: usize,
}

impl ReceiveBuffer {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            data: vec![0; bytes],
            start: 0,
            end: 0,
        }
    }

    pub(crate) fn unread(&self) -> &[u8] {
        self.data.get(self.start..self.end).unwrap_or_default()
    }

    pub(crate) fn consume(&mut self, bytes: usize) {
        self.start = self.start.saturating_add(bytes).min(self.end);
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Overwrites what was consumed: it held a password.
    pub(crate) fn wipe_consumed(&mut self) {
        self.data.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if let Some(rest) = self.data.get_mut(self.end..) {
            rest.zeroize();
        }
    }

    /// Room for at least one byte unless the buffer is full of unread bytes.
    pub(crate) fn spare(&mut self) -> &mut [u8] {
        if self.start > 0 && self.end == self.data.len() {
            self.data.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        self.data.get_mut(self.end..).unwrap_or_default()
    }

    /// Takes over bytes that were written to [`ReceiveBuffer::spare`].
    pub(crate) fn filled(&mut self, bytes: usize) {
        self.end = self.end.saturating_add(bytes).min(self.data.len());
    }

    /// Adds bytes, growing where it must.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.data.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let needed = self.end + bytes.len();
        if needed > self.data.len() {
            self.data.resize(needed, 0);
        }
        if let Some(target) = self.data.get_mut(self.end..needed) {
            target.copy_from_slice(bytes);
        }
        self.end = needed;
    }
}

#[cfg(test)]
mod tests {
    use super::ReceiveBuffer;

    #[test]
    fn unread_bytes_survive_compaction_and_growth() {
        let mut buffer = ReceiveBuffer::with_capacity(4);
        buffer.spare().copy_from_slice(b"abcd");
        buffer.filled(4);
        buffer.consume(3);
        assert_eq!(buffer.spare().len(), 3);
        assert_eq!(buffer.unread(), b"d");
        buffer.append(b"efghij");
        assert_eq!(buffer.unread(), b"defghij");
        buffer.consume(100);
        assert_eq!(buffer.unread(), b"");
    }

    #[test]
    fn consumed_bytes_can_be_wiped() {
        let mut buffer = ReceiveBuffer::with_capacity(8);
        buffer.append(b"secretab");
        buffer.consume(6);
        buffer.wipe_consumed();
        assert_eq!(buffer.unread(), b"ab");
        assert_eq!(buffer.data, b"ab\0\0\0\0\0\0");
    }

    #[test]
    fn a_buffer_full_of_unread_bytes_has_no_room() {
        let mut buffer = ReceiveBuffer::with_capacity(2);
        buffer.append(b"ab");
        assert!(buffer.spare().is_empty());
    }
}
