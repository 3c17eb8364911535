//! Values and their types: conversion, arithmetic, comparison, as SQL Server documents them.
//! Nothing here knows tables, sessions or statements.

pub mod arithmetic;
pub mod calendar;
pub mod compare;
pub mod convert;
pub mod decimal_type;
pub mod format;
pub mod key;
pub mod like;
pub mod parse;
pub mod types;
pub mod wide;
