//! What a client sends, made from a fuzzer's bytes.
//!
//! The first byte chooses the opening: 0 none (all bytes go out as they are), 1 a good PRELOGIN and
//! then the bytes as they are, others a whole log-in in one of the protocol versions. Behind a log-in
//! stand pieces: a kind (one byte), a length (two bytes, little-endian), and so many bytes. A piece
//! becomes one message, with the headers that its kind needs, so that the fuzzer works on what is
//! inside and need not learn to count. Kind `R` sends its bytes bare.

/// The name and password of the good log-in.
pub const LOGIN: &str = "sa";
/// Its password.
pub const PASSWORD: &str = "a password for fuzzing";

const VERSIONS: [u32; 4] = [0x7400_0004, 0x730B_0003, 0x7209_0002, 0x7100_0001];

const HEADERS: [u8; 22] = [
    22, 0, 0, 0, 18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
];

/// UTF-16, little-endian.
#[must_use]
pub fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A message of as many packets as its payload needs.
#[must_use]
pub fn message(kind: u8, payload: &[u8]) -> Vec<u8> {
    const ROOM: usize = 4096 - 8;
    let mut out = Vec::new();
    let mut rest = payload;
    loop {
        let (part, behind) = rest.split_at(rest.len().min(ROOM));
        rest = behind;
        let length = u16::try_from(part.len() + 8).unwrap_or(u16::MAX);
        let [high, low] = length.to_be_bytes();
        let last = u8::from(rest.is_empty());
        out.extend_from_slice(&[kind, last, high, low, 0, 0, 1, 0]);
        out.extend_from_slice(part);
        if rest.is_empty() {
            return out;
        }
    }
}

fn prelogin() -> Vec<u8> {
    message(
        0x12,
        &[0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF, 11, 0, 12, 56, 0, 0, 2],
    )
}

fn login(version: u32) -> Vec<u8> {
    let password: Vec<u8> = utf16(PASSWORD)
        .iter()
        .map(|byte| byte.rotate_left(4) ^ 0xA5)
        .collect();
    let fields = [
        utf16("host"),
        utf16(LOGIN),
        password,
        utf16("app"),
        utf16("server"),
        Vec::new(),
        utf16("lib"),
        Vec::new(),
        utf16("master"),
    ];
    let mut fixed = vec![0; 36];
    fixed[4..8].copy_from_slice(&version.to_le_bytes());
    fixed[8..12].copy_from_slice(&4096_u32.to_le_bytes());
    let mut data = Vec::new();
    for field in fields {
        let offset = u16::try_from(94 + data.len()).unwrap_or(u16::MAX);
        let units = u16::try_from(field.len() / 2).unwrap_or(u16::MAX);
        fixed.extend_from_slice(&offset.to_le_bytes());
        fixed.extend_from_slice(&units.to_le_bytes());
        data.extend_from_slice(&field);
    }
    fixed.resize(94, 0);
    fixed.extend_from_slice(&data);
    let length = u32::try_from(fixed.len()).unwrap_or(u32::MAX);
    fixed[0..4].copy_from_slice(&length.to_le_bytes());
    message(0x10, &fixed)
}

/// All bytes that the client sends.
#[must_use]
pub fn bytes(input: &[u8]) -> Vec<u8> {
    let Some((opening, mut rest)) = input.split_first() else {
        return Vec::new();
    };
    match opening {
        0 => return rest.to_vec(),
        1 => return [prelogin(), rest.to_vec()].concat(),
        _ => {}
    }
    let version = VERSIONS[usize::from(*opening) % VERSIONS.len()];
    let mut out = [prelogin(), login(version)].concat();
    while let Some((head, behind)) = rest.split_first_chunk::<3>() {
        let length = usize::from(u16::from_le_bytes([head[1], head[2]])).min(behind.len());
        let (piece, next) = behind.split_at(length);
        rest = next;
        let headers: &[u8] = if version >= 0x7200_0000 {
            &HEADERS
        } else {
            &[]
        };
        match head[0] {
            b'R' => out.extend_from_slice(piece),
            b'T' => {
                let text = utf16(&String::from_utf8_lossy(piece));
                out.extend(message(0x01, &[headers, &text].concat()));
            }
            b'A' => out.extend(message(0x06, &[])),
            b'B' => out.extend(message(0x07, piece)),
            kind => {
                let kind = [0x01, 0x03, 0x0E][usize::from(kind) % 3];
                out.extend(message(kind, &[headers, piece].concat()));
            }
        }
    }
    out
}

fn piece(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let [low, high] = u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_le_bytes();
    [&[kind, low, high], bytes].concat()
}

/// One good conversation of every kind.
#[must_use]
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    // sp_executesql: the text, the declarations, an nvarchar(max) in chunks, a decimal, a variant.
    let mut call = vec![0xFF, 0xFF, 10, 0, 0, 0];
    let text = utf16("SELECT @a, @b, @c");
    let declared = utf16("@a nvarchar(max), @b decimal(9,2), @c sql_variant");
    for parameter in [text, declared] {
        call.extend_from_slice(&[0, 0, 0xE7, 200, 0, 9, 4, 0xD0, 0, 0x34]);
        let length = u16::try_from(parameter.len()).unwrap_or(u16::MAX);
        call.extend_from_slice(&length.to_le_bytes());
        call.extend_from_slice(&parameter);
    }
    call.extend_from_slice(&[0, 0, 0xE7, 0xFF, 0xFF, 9, 4, 0xD0, 0, 0x34]);
    call.extend_from_slice(&[
        4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, b'a', 0, b'b', 0, 0, 0, 0, 0,
    ]);
    call.extend_from_slice(&[0, 1, 0x6A, 5, 9, 2, 5, 1, 0x39, 0x30, 0, 0]);
    call.extend_from_slice(&[
        0, 0, 0x62, 0x49, 0x1F, 0, 0, 6, 0, 0, 0, 0x38, 0, 1, 2, 3, 4,
    ]);
    let mut named = vec![6, 0];
    named.extend(utf16("sp_who"));
    named.extend_from_slice(&[0, 0, 2]);
    named.extend(utf16("@a"));
    named.extend_from_slice(&[0, 0x26, 4, 4, 9, 0, 0, 0]);
    // Bulk rows: two columns, two rows, DONE.
    let mut bulk = vec![0x81, 2, 0];
    bulk.extend_from_slice(&[0, 0, 0, 0, 9, 0, 0x26, 4, 1]);
    bulk.extend(utf16("a"));
    bulk.extend_from_slice(&[0, 0, 0, 0, 9, 0, 0xE7, 20, 0, 9, 4, 0xD0, 0, 0x34, 1]);
    bulk.extend(utf16("b"));
    for row in [7_u8, 8] {
        bulk.extend_from_slice(&[0xD1, 4, row, 0, 0, 0, 2, 0, b'x', 0]);
    }
    bulk.extend_from_slice(&[0xFD, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    let insert = b"CREATE TABLE #t (a int, b nvarchar(10)); INSERT #t VALUES (1, N'x'); \
        SELECT * FROM #t; PRINT 'ok'; BEGIN TRAN; ROLLBACK";
    let load = b"INSERT BULK #t (a int, b nvarchar(10))";
    let table = b"CREATE TABLE #t (a int, b nvarchar(10))";
    let mut hello = vec![1, 0x16, 3, 1, 0, 5];
    hello.extend_from_slice(&[1, 0, 0, 1, 3]);
    let handshake = [vec![1], message(0x12, &hello[1..])].concat();
    vec![
        ("bare", [vec![0], prelogin(), login(VERSIONS[0])].concat()),
        ("login", [vec![1], login(VERSIONS[0])].concat()),
        ("old_login", [vec![1], login(VERSIONS[3])].concat()),
        ("handshake", handshake),
        ("strict", [vec![0], hello[1..].to_vec()].concat()),
        ("batch", [vec![4], piece(b'T', insert)].concat()),
        (
            "old_batch",
            [vec![7], piece(b'T', b"SELECT @@SPID")].concat(),
        ),
        (
            "calls",
            [vec![4], piece(1, &call), piece(1, &named), piece(b'A', &[])].concat(),
        ),
        (
            "transaction",
            [
                vec![4],
                piece(2, &[5, 0, 2, 0]),
                piece(2, &[9, 0, 2, b's', 0]),
                piece(2, &[8, 0, 0, 0]),
                piece(2, &[7, 0, 0, 0]),
            ]
            .concat(),
        ),
        (
            "bulk",
            [
                vec![4],
                piece(b'T', table),
                piece(b'T', load),
                piece(b'B', &bulk),
            ]
            .concat(),
        ),
    ]
}
