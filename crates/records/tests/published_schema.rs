//! The published schema is the one that the types give.

#[test]
fn the_published_schema_is_made_from_the_types_as_they_are() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/records.schema.json"
    );
    let published = std::fs::read_to_string(path).expect("docs/records.schema.json");
    let published: serde_json::Value = serde_json::from_str(&published).expect("JSON");
    let made = serde_json::to_value(records::schema::json_schema()).expect("JSON");
    assert!(
        published == made,
        "the record types changed: run `make schema` and look at what changed for readers"
    );
}
