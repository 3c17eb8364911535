//! labdb-tds
