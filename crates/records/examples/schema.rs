//! Prints the JSON Schema of the records (`make schema` keeps it in docs/records.schema.json).

fn main() -> std::io::Result<()> {
    let schema = serde_json::to_string_pretty(&records::schema::json_schema())?;
    println!("{schema}");
    Ok(())
}
