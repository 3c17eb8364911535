//! System views have the columns that Microsoft documents, in that order and of those types.

use super::harness::Lab;

const DOCUMENTED: &str = include_str!("fixtures/view_columns.txt");

/// Splits at commas outside parentheses.
fn columns(list: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut depth = 0;
    for c in list.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        out.last_mut().unwrap().push(c);
    }
    out.into_iter().map(|c| c.trim().to_owned()).collect()
}

#[test]
fn system_views_have_the_documented_columns_in_order_and_type() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let mut views = 0;
    for line in DOCUMENTED.lines().filter(|l| !l.starts_with('#')) {
        let (view, list) = line.split_once(": ").unwrap();
        let (database, object) = view
            .strip_prefix("msdb.")
            .map_or(("master", view), |object| ("msdb", object));
        s.exec(&format!("USE {database}"));
        let shown = s.column(&format!(
            "SELECT STRING_AGG(CAST(c.name + ' ' + t.name + CASE
                 WHEN t.name LIKE 'n%char' THEN '(' + CAST(c.max_length / 2 AS varchar(9)) + ')'
                 WHEN t.name IN ('varchar', 'char') THEN '(' + CAST(c.max_length AS varchar(9)) + ')'
                 WHEN t.name IN ('numeric', 'decimal') THEN CONCAT('(', c.precision, ',', c.scale, ')')
                 WHEN t.name = 'datetimeoffset' THEN CONCAT('(', c.scale, ')')
                 ELSE '' END AS nvarchar(max)), '|') WITHIN GROUP (ORDER BY c.column_id)
             FROM sys.all_columns AS c JOIN sys.types AS t ON t.user_type_id = c.user_type_id
             WHERE c.object_id = OBJECT_ID('{object}')"
        ));
        let shown: Vec<&str> = shown.split('|').collect();
        let mut from = 0;
        for column in columns(list) {
            let at = shown
                .iter()
                .skip(from)
                .position(|c| *c == column)
                .unwrap_or_else(|| panic!("{view}: {column} is not among {:?}", &shown[from..]));
            from += at + 1;
        }
        views += 1;
    }
    assert_eq!(views, 18);
}
