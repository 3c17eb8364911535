//! Requests against bytes of the specification's examples (\[MS-TDS\] 4) and around them.

use super::*;
use labdb_types::Value;

/// `ALL_HEADERS` of the examples: transaction descriptor 0x0100000000000000, one request.
const HEADERS: [u8; 22] = [
    22, 0, 0, 0, 18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
];

fn decode_as(kind: PacketKind, body: &[u8]) -> Result<Request> {
    let message = [HEADERS.as_slice(), body].concat();
    decode(kind, Reset::Keep, &message, TdsVersion::V7_4)
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn a_batch_is_its_headers_and_its_text() {
    let request = decode_as(PacketKind::Batch, &utf16("select 'ö'")).unwrap();
    assert_eq!(request.body, RequestBody::Batch("select 'ö'".into()));
    assert_eq!(request.transaction, 1 << 56);
}

#[test]
fn headers_with_impossible_lengths_are_errors() {
    for length in [0_u32, 3, 23, 1000, u32::MAX] {
        let mut message = HEADERS.to_vec();
        message[..4].copy_from_slice(&length.to_le_bytes());
        let read = decode(PacketKind::Batch, Reset::Keep, &message, TdsVersion::V7_4);
        assert!(read.is_err(), "total {length}");
    }
    for length in [0_u32, 5, 19, u32::MAX] {
        let mut message = HEADERS.to_vec();
        message[4..8].copy_from_slice(&length.to_le_bytes());
        let read = decode(PacketKind::Batch, Reset::Keep, &message, TdsVersion::V7_4);
        assert!(read.is_err(), "header {length}");
    }
}

#[test]
fn the_example_of_an_rpc_has_one_default_parameter() {
    // foo3 with a smallint that is to have its default.
    let body = [
        4, 0, b'f', 0, b'o', 0, b'o', 0, b'3', 0, 0, 0, 0, 2, 0x26, 2, 0,
    ];
    let request = decode_as(PacketKind::Rpc, &body).unwrap();
    let parameter = RpcParameter {
        name: String::new(),
        by_ref: false,
        default: true,
        sql_type: labdb_types::SqlType::SmallInt,
        value: Value::Null,
    };
    let call = RpcCall {
        target: RpcTarget::Name("foo3".into()),
        recompile: false,
        no_metadata: false,
        parameters: vec![parameter],
    };
    assert_eq!(request.body, RequestBody::Rpc(vec![call]));
}

#[test]
fn several_calls_stand_in_one_message() {
    let unprepare = [0xFF, 0xFF, 15, 0, 2, 0, 0, 1, 0x26, 4, 4, 9, 0, 0, 0];
    let body = [&unprepare[..], &[0xFF], &unprepare[..], &[0xFF]].concat();
    let RequestBody::Rpc(calls) = decode_as(PacketKind::Rpc, &body).unwrap().body else {
        panic!("no RPC");
    };
    assert_eq!(calls.len(), 2);
    for call in calls {
        assert_eq!(call.target, RpcTarget::Id(ProcedureId::Unprepare));
        assert!(call.no_metadata && !call.recompile);
        assert_eq!(call.parameters.len(), 1);
        assert!(call.parameters[0].by_ref);
        assert_eq!(call.parameters[0].value, Value::Int(9));
    }
    assert_eq!(ProcedureId::Unprepare.name(), "sp_unprepare");
}

#[test]
fn types_that_are_not_supported_get_an_error_that_names_the_parameter() {
    let mut body = vec![1, 0, b'p', 0, 0, 0, 2];
    body.extend_from_slice(&utf16("@t"));
    body.extend_from_slice(&[0, 0xF3, 0, 0, 0]);
    let RequestBody::Unsupported(error) = decode_as(PacketKind::Rpc, &body).unwrap().body else {
        panic!("a table was decoded");
    };
    assert_eq!(error.number, 8009);
    assert!(error.message.contains("@t"), "{}", error.message);
    assert!(error.message.contains("table-valued"), "{}", error.message);
}

#[test]
fn transaction_requests_have_names_counted_in_bytes() {
    let begin = [5, 0, 4, 4, b'T', 0, b'1', 0];
    let request = decode_as(PacketKind::TransactionManager, &begin).unwrap();
    assert_eq!(
        request.body,
        RequestBody::TransactionManager(TransactionRequest::Begin {
            isolation: 4,
            name: "T1".into()
        })
    );
    // Commit without a name, and begin the next one as read committed.
    let chained = [7, 0, 0, 1, 2, 0];
    let request = decode_as(PacketKind::TransactionManager, &chained).unwrap();
    assert_eq!(
        request.body,
        RequestBody::TransactionManager(TransactionRequest::Commit {
            name: String::new(),
            then_begin: Some((2, String::new()))
        })
    );
    let promote = decode_as(PacketKind::TransactionManager, &[6, 0]).unwrap();
    assert!(matches!(promote.body, RequestBody::Unsupported(_)));
}

#[test]
fn tds_7_1_has_no_headers_and_separates_calls_with_0x80() {
    let call = [1, 0, b'p', 0, 0, 0];
    let body = [&call[..], &[0x80], &call[..]].concat();
    let request = decode(PacketKind::Rpc, Reset::Keep, &body, TdsVersion::V7_1).unwrap();
    assert!(matches!(request.body, RequestBody::Rpc(calls) if calls.len() == 2));
}

#[test]
fn more_than_2100_parameters_are_refused() {
    for (count, fits) in [(2100, true), (2101, false)] {
        let mut body = vec![1, 0, b'p', 0, 0, 0];
        body.extend([0, 0, 0x1F].repeat(count));
        match decode_as(PacketKind::Rpc, &body).unwrap().body {
            RequestBody::Rpc(calls) => assert!(fits && calls[0].parameters.len() == count),
            RequestBody::Unsupported(error) => assert!(!fits && error.number == 8003),
            other => panic!("{other:?}"),
        }
    }
}
