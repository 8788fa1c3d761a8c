// build.rs
fn main() {
    jive_build::compile("Filter.class").unwrap_or_else(|error| panic!("{error}"));
}
