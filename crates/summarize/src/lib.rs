//! summarize
