//! The proof that `mcp-wire` and what it links need no standard library: this crate brings the panic handler that `std`
//! would bring, so the compiler refuses it as a duplicate when any crate beneath links `std`.

#![no_std]

extern crate mcp_wire;

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
