//! Gives the linker one entry that loads, verifies, links and runs a class file, so that what the
//! freestanding crates weigh in firmware can be read off the ELF.
#![no_std]
#![no_main]
