//! Trace flags for the time of a restore: only those that were not on are turned on, and exactly
//! those are turned off again.

use crate::server::Workplace;
use records::Failure;
use sqlserver::Columns;
use sqlserver::SqlError;
use sqlserver::texts::restore as texts;

/// The flags that this run turned on.
#[derive(Debug, Default)]
pub(crate) struct TraceFlags {
    ours: Vec<i32>,
}

impl TraceFlags {
    /// Turns flags on for the whole server.
    ///
    /// # Errors
    /// The login may not (only a sysadmin may), or it failed; then none is on because of this.
    pub(crate) async fn turn_on(place: &mut Workplace, flags: &[i32]) -> Result<Self, SqlError> {
        let results = place.master.batch(&texts::trace_status(flags).sql).await?;
        let mut on = Vec::new();
        for row in results.iter().flatten() {
            if row.whole("Global")? == Some(1) {
                on.extend(
                    row.whole("TraceFlag")?
                        .and_then(|flag| i32::try_from(flag).ok()),
                );
            }
        }
        let ours: Vec<i32> = flags
            .iter()
            .copied()
            .filter(|flag| !on.contains(flag))
            .collect();
        if !ours.is_empty() {
            place.master.run(&texts::set_trace(&ours, true).sql).await?;
        }
        Ok(Self { ours })
    }

    /// Puts them back.
    ///
    /// # Errors
    /// They could not be turned off; how to do it by hand.
    pub(crate) async fn put_back(self, place: &mut Workplace) -> Result<(), Failure> {
        if self.ours.is_empty() {
            return Ok(());
        }
        let text = texts::set_trace(&self.ours, false);
        let by_hand = format!("Turn them off by hand: {}", text.sql);
        if !place.master.is_open() {
            place
                .master
                .reopen()
                .await
                .map_err(|failure| failure.remedy(by_hand.clone()))?;
        }
        place
            .run(
                &text,
                "turning off the trace flags that were turned on for the restore",
            )
            .await
            .map_err(|failure| failure.remedy(by_hand))
    }
}
