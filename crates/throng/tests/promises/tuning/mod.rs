//! Promises about tuning: what is measured leads to a better config, and so does a sample.

mod advice;
mod suggestions;
