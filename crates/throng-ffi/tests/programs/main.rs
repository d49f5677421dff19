//! Programs in C and C++ are compiled by the system's compilers, linked with the library, the two large ones in both of its
//! forms, and run. They compare what it finds with what they find by themselves.
//!
//! `CC` and `CXX` name other compilers, `CFLAGS` and `CXXFLAGS` what else they are told, such as to check memory:
//!
//! ```sh
//! CFLAGS='-g -fsanitize=address,undefined' ASAN_OPTIONS=allocator_may_return_null=1 cargo test -p throng-ffi --test programs
//! ```

mod compilers;
mod every_function;
mod guide;
mod header;
mod swarms_are_the_same;
mod wrappers;
