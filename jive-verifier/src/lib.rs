#![no_std]
#![forbid(unsafe_code)]
//! Proves class files safe.
