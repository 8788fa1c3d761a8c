//! Whole runs, checked against the documented behaviour (docs/natives.md, docs/simulation.md, docs/seeing.md).

#[path = "../shared/json_lines.rs"]
mod json_lines;
#[path = "../shared/runs.rs"]
mod runs;
#[path = "../shared/scenario.rs"]
mod scenario;
#[path = "../shared/spaced.rs"]
mod spaced;

mod accounts;
mod apart;
mod applets;
mod base_path;
mod bytecodes;
mod capsules;
mod cells;
mod chains;
mod clan_order;
mod emp;
mod emp_altered;
mod emp_forged;
mod emp_spaced;
mod emp_times;
mod engines;
mod every_length;
mod exchange;
mod expectations;
mod expectations_counted;
mod faults;
mod held_back;
mod hostile;
mod isolation;
mod links;
mod loading;
mod moments;
mod network;
mod network_mistakes;
mod network_trees;
mod paper_applets;
mod port_order;
mod posts;
mod processes;
mod processors;
mod profiles;
mod queue;
mod random_runs;
mod random_traffic;
mod refills;
mod states;
mod statistics;
mod suspended;
mod swaps;
mod thousand;
mod timer_list;
mod timers;
mod times;
mod topologies;
mod trace;
mod turns;
mod two_processors;
mod unheard;
mod until;
mod values;
mod via;
mod via_attacked;
mod via_connect;
mod via_descriptors;
mod via_over_memory;
mod via_programs;
mod via_random;
mod via_streams;
mod via_times;
mod window_programs;
mod window_reads;
mod window_rings;
mod windows;
