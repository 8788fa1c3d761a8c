//! Several nodes with links between them, against one flat array of bytes for each port.

mod agreement;
mod growing;
mod hostile;
mod schedules;
mod world;
