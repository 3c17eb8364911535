//! labdb through a real driver over a real socket, the server in the test's own process.

mod harness;
mod smoke;
