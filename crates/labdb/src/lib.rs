//! labdb
