//! Several nodes with links between them, against one flat array of bytes for each port.

mod agreement;
mod growing;
mod hostile;
mod paging;
mod pair;
mod readers;
mod schedules;
mod set_up;
mod standstill;
mod stores;
mod world;
