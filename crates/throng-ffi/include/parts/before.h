// throng: a 2D broadphase. It finds every pair of overlapping boxes, each exactly once and in parallel, among hundreds of
// thousands to millions that all move. This is its C interface; docs/c.md is a guide to it.
//
//     cargo build --release -p throng-ffi
//     cc game.c -I crates/throng-ffi/include target/release/libthrong_ffi.a -lpthread -ldl -lm
//
// Made by cbindgen from the sources of `crates/throng-ffi`; do not edit it.
//
// - Functions that can fail return a `throng_status`, and `throng_last_error_message()` says what was wrong.
// - A pointer is null or points to as many valid, aligned elements as are said to be there. What a call writes overlaps
//   nothing else that is passed to it.
// - Functions that take a `const throng_world *` may run on any number of threads at once. All others need the world for
//   themselves, and return `THRONG_STATUS_BUSY` if it is in use.
// - What fills a buffer takes its capacity, and tells in `count` how many there are. If that is more than the buffer has room
//   for, it gets the first ones, and the status is `THRONG_STATUS_BUFFER_TOO_SMALL`. With a capacity of 0 the buffer may be
//   null.
// - Callbacks must return: no exception and no `longjmp` may leave them.
// - A struct that begins with `struct_size` needs its own size there, and may grow in later versions. What is zero in it is as
//   it is by default.
