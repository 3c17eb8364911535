//! labdb-storage
