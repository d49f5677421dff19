//! What kernels are made of, at every level of SIMD against plain loops.
//!
//! A program of its own, since it is what other processors are tried with, which need not compile all other tests for it.

mod hits;
mod places;
mod primitives;
