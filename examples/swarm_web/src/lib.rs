//! The swarm in a page: plain C functions that a page calls, and whose answers it reads from linear memory.
//!
//! `docs/demo` has the page and the script that builds this for it. What a page needs of JavaScript is what it would
//! need of any C library: numbers in, addresses out. Nothing is generated.
//!
//! | file | what it is |
//! |---|---|
//! | `exports.rs` | the functions that the page calls |
//! | `page.rs` | the swarm as the page sees it: in pixels, with what the mouse does |
//! | `wish.rs` | what the sliders ask for, and what is refused |
//! | `report.rs` | what the page is told, as JSON |
//! | `clock.rs` | the clock, which is the page's |

mod clock;
pub mod exports;
pub mod page;
pub mod report;
pub mod wish;
