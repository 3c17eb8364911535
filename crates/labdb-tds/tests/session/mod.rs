//! A client's side of a connection, made by hand.
#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(clippy::unwrap_used, reason = "it is part of tests")]

pub(crate) fn packet(kind: u8, payload: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(payload.len() + 8).unwrap().to_be_bytes();
    let mut packet = vec![kind, 1, high, low, 0, 0, 1, 0];
    packet.extend_from_slice(payload);
    packet
}

pub(crate) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// LOGIN7 of "sa" with the right password.
pub(crate) fn login() -> Vec<u8> {
    let password: Vec<u8> = utf16(crate::server::PASSWORD)
        .iter()
        .map(|byte| byte.rotate_left(4) ^ 0xA5)
        .collect();
    let fields = [
        utf16("host"),
        utf16("sa"),
        password,
        utf16("app"),
        utf16("server"),
        Vec::new(),
        utf16("lib"),
        Vec::new(),
        utf16("master"),
    ];
    let mut fixed = vec![0; 36];
    fixed[4..8].copy_from_slice(&0x7400_0004_u32.to_le_bytes());
    fixed[8..12].copy_from_slice(&4096_u32.to_le_bytes());
    let mut data = Vec::new();
    for field in fields {
        fixed.extend_from_slice(&u16::try_from(94 + data.len()).unwrap().to_le_bytes());
        fixed.extend_from_slice(&u16::try_from(field.len() / 2).unwrap().to_le_bytes());
        data.extend_from_slice(&field);
    }
    fixed.resize(94, 0);
    fixed.extend_from_slice(&data);
    let length = u32::try_from(fixed.len()).unwrap();
    fixed[0..4].copy_from_slice(&length.to_le_bytes());
    packet(0x10, &fixed)
}

pub(crate) const HEADERS: [u8; 22] = [
    22, 0, 0, 0, 18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
];

/// One of each message.
pub(crate) fn session() -> Vec<Vec<u8>> {
    let prelogin = [0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF, 11, 0, 12, 56, 0, 0, 2];
    let batch = [HEADERS.as_slice(), &utf16("SELECT 1")].concat();
    // sp_executesql with an nvarchar, an nvarchar(max) in chunks, a decimal and a variant.
    let mut rpc = [HEADERS.as_slice(), &[0xFF, 0xFF, 10, 0, 0, 0]].concat();
    rpc.extend_from_slice(&[0, 0, 0xE7, 40, 0, 9, 4, 0xD0, 0, 0x34, 2, 0, b'x', 0]);
    rpc.extend_from_slice(&[0, 0, 0xE7, 0xFF, 0xFF, 9, 4, 0xD0, 0, 0x34]);
    rpc.extend_from_slice(&[
        4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, b'a', 0, b'b', 0, 0, 0, 0, 0,
    ]);
    rpc.extend_from_slice(&[0, 1, 0x6A, 5, 9, 2, 5, 1, 0x39, 0x30, 0, 0]);
    rpc.extend_from_slice(&[
        0, 0, 0x62, 0x49, 0x1F, 0, 0, 6, 0, 0, 0, 0x38, 0, 1, 2, 3, 4,
    ]);
    let transaction = [HEADERS.as_slice(), &[5, 0, 2, 0]].concat();
    vec![
        packet(0x12, &prelogin),
        login(),
        packet(1, &batch),
        packet(3, &rpc),
        packet(0x0E, &transaction),
        packet(6, &[]),
    ]
}
