//! What is made from the table of a scenario's keys is up to date.

use tests::{blessed, scenario_keys};

#[test]
fn key_tables_of_the_scenario_page_are_up_to_date() {
    let page = include_str!("../../../docs/scenario.md");
    blessed::check("docs/scenario.md", &scenario_keys::page(page));
}

#[test]
fn schema_of_scenarios_is_up_to_date() {
    blessed::check("docs/scenario.schema.json", &scenario_keys::schema());
}
