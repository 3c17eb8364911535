//! setup-db
