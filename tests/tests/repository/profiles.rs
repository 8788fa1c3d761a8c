//! Documents about profiles: the page of profiles, and the statements that values come from.

use nic_runtime::profile::Statement;
use nic_runtime::scenario::profiles_page;
use tests::blessed;

#[test]
fn the_page_of_profiles_is_up_to_date() {
    blessed::check("docs/profiles.md", &profiles_page());
}

#[test]
fn values_come_from_statements_of_the_page_of_papers() {
    let page = include_str!("../../../docs/papers.md");
    // Rows of the page's tables begin with the id: `| S1-37 | …`.
    let rows = page.lines().filter_map(|line| line.strip_prefix("| S"));
    let ids: Vec<String> = rows
        .filter_map(|row| Some(format!("S{}", row.split_once(' ')?.0)))
        .collect();
    let known: Vec<&str> = Statement::all().map(Statement::id).collect();
    assert_eq!(known, ids);
    assert_eq!(Statement::of("S1-99"), None);
}
