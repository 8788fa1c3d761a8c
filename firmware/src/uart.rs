//! The serial line of the board, and the timer that says how long the line has been silent. Uses unsafe code, for their
//! registers. On another board, this file is another one.
#![expect(
    unsafe_code,
    reason = "the registers of a serial line are memory at addresses that the board defines"
)]

use core::ptr;

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use nic_core::sle::PATIENCE;

use crate::machine::Wait;

/// Address of the first UART of the board MPS2 (application note AN386; CMSDK APB UART).
const UART0: usize = 0x4000_4000;

/// Offsets of the registers of a CMSDK APB UART.
const DATA: usize = 0x00;
const STATE: usize = 0x04;
const CONTROL: usize = 0x08;
const DIVIDER: usize = 0x10;

/// Bits of `STATE`: the register for a byte to send, or for a received byte, is full.
const TX_FULL: u32 = 1;
const RX_FULL: u32 = 2;

/// Bits of `CONTROL`: send and receive.
const ENABLED: u32 = 3;

/// Clock of the processor and of the UART, in Hz (AN386).
const CLOCK: u32 = 25_000_000;

/// Speed of the line, in bits per second. Chosen: what serial lines are set to most often.
const BAUD: u32 = 115_200;

/// How often the timer expires, per second.
const TICKS: u32 = 1_000;

/// The serial line, with the processor's timer.
pub(crate) struct Uart {
    timer: SYST,
}

impl Uart {
    /// Enables the line and the timer.
    pub(crate) fn enable() -> Uart {
        write(DIVIDER, CLOCK / BAUD);
        write(CONTROL, ENABLED);
        // SAFETY: nothing else in this program uses the timer, and no interrupt is enabled.
        let mut timer = unsafe { cortex_m::Peripherals::steal() }.SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(CLOCK / TICKS - 1);
        timer.clear_current();
        timer.enable_counter();
        Uart { timer }
    }

    /// Returns the next byte of the line, or `None` if there is none for as long as `wait` says.
    pub(crate) fn receive(&mut self, wait: Wait) -> Option<u8> {
        let patience = PATIENCE.as_ns() / (1_000_000_000 / u64::from(TICKS));
        let mut left = u32::try_from(patience).unwrap_or(u32::MAX);
        loop {
            if read(STATE) & RX_FULL != 0 {
                // The other bits of the register are zeros.
                return Some(read(DATA) as u8);
            }
            if wait == Wait::Patience && self.timer.has_wrapped() {
                left = left.checked_sub(1)?;
            }
        }
    }

    /// Sends a byte, when the line is ready for it.
    pub(crate) fn transmit(&mut self, byte: u8) {
        while read(STATE) & TX_FULL != 0 {}
        write(DATA, byte.into());
    }
}

fn read(register: usize) -> u32 {
    let place = ptr::with_exposed_provenance::<u32>(UART0 + register);
    // SAFETY: the address is that of a register of the board's UART, which can be read at any time. Reading DATA takes the
    // received byte, which only this program does.
    unsafe { place.read_volatile() }
}

fn write(register: usize, value: u32) {
    let place = ptr::with_exposed_provenance_mut::<u32>(UART0 + register);
    // SAFETY: the address is that of a register of the board's UART, and no other code writes to it.
    unsafe { place.write_volatile(value) }
}
