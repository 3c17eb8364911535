//! sqlserver
