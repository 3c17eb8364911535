//! docs/labdb.md lists what the code has, and nothing else.

use std::collections::BTreeSet;

fn listed(section: &str) -> BTreeSet<String> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/labdb.md"))
        .unwrap();
    let start = page
        .find(&format!("<!-- {section} -->"))
        .unwrap_or_else(|| panic!("no section {section}"));
    let end = page[start..].find("<!-- end -->").unwrap() + start;
    page[start..end]
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn known<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn the_page_lists_every_function_view_procedure_permission_and_option() {
    let mut functions = known(labdb::functions::all().map(|f| f.name));
    functions.extend(known(labdb::functions::SPECIAL.iter().copied()));
    assert_eq!(listed("functions"), functions);
    assert_eq!(
        listed("globals"),
        known(labdb::functions::GLOBALS.iter().map(|f| f.name))
    );
    assert_eq!(
        listed("aggregates"),
        known(
            labdb::plan::aggregate::NAMES
                .iter()
                .copied()
                .chain(labdb::plan::window::NAMES.iter().copied())
        )
    );
    let views: Vec<String> = labdb::views::all()
        .map(|v| {
            if v.database.is_empty() {
                format!("{}.{}", v.schema, v.name)
            } else {
                format!("{}.{}.{}", v.database, v.schema, v.name)
            }
        })
        .collect();
    assert_eq!(listed("views"), known(views.iter().map(String::as_str)));
    assert_eq!(
        listed("procedures"),
        known(labdb::exec::SYSTEM_PROCEDURES.iter().copied())
    );
    assert_eq!(
        listed("dbcc"),
        known(labdb::exec::DBCC_COMMANDS.iter().copied())
    );
    assert_eq!(
        listed("server permissions"),
        known(labdb::instance::SERVER_PERMISSIONS.iter().map(|(n, _)| *n))
    );
    assert_eq!(
        listed("data permissions"),
        known(labdb::catalog::DATA_PERMISSIONS.iter().map(|(n, _)| *n))
    );
    assert_eq!(
        listed("database roles"),
        known(labdb::catalog::DATABASE_ROLES.iter().map(|(n, _, _)| *n))
    );
    let options = labdb::session::EFFECTIVE
        .iter()
        .copied()
        .chain(labdb::session::SWITCHES.iter().map(|(n, _, _)| *n));
    assert_eq!(listed("options"), known(options));
}
