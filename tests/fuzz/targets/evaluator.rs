//! The engine: any batch ends, with results or errors, soon after its client asks for the end.
#![no_main]

use fuzz::engine::{Engine, Listener, writes_elsewhere};
use labdb::exec::run_batch;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::time::Duration;

const INPUTS_PER_ENGINE: u32 = 2_000;
const PATIENCE: Duration = Duration::from_millis(100);

thread_local! {
    static ENGINE: RefCell<Option<(Engine, u32)>> = const { RefCell::new(None) };
}

fuzz_target!(|text: &str| {
    if writes_elsewhere(text) {
        return;
    }
    ENGINE.with_borrow_mut(|engine| {
        if engine
            .as_ref()
            .is_none_or(|(_, inputs)| *inputs >= INPUTS_PER_ENGINE)
        {
            if let Some((old, _)) = engine.take() {
                old.instance.close();
            }
            *engine = Some((Engine::start(), 0));
        }
        if let Some((engine, inputs)) = engine {
            *inputs += 1;
            if engine.instance.database("fuzz").is_none() {
                // Dropped, or taken offline, by an input.
                *inputs = INPUTS_PER_ENGINE;
            }
            if let Some(session) = engine.session() {
                // An error of severity 20 or more ends the session: that is an answer too.
                let _ = run_batch(&session, text, &mut Listener::for_a(PATIENCE));
            }
        }
    });
});
