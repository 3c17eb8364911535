# writelog. `make help` lists the targets.

CARGO   ?= cargo
PREFIX  ?= /usr/local
DESTDIR ?=

programs    := setup-db snapshot loadgen audit diff summarize report restore-db labdb
experiments := recovery-model delayed-durability durability-procs write-speed crash-loss restore-time
# `--all-targets` everywhere, so that programs and tests are compiled once, with the same features.
build_flags := --release --workspace --all-targets --locked

.PHONY: help
help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' Makefile

.PHONY: build
build: ## build the programs
	$(CARGO) build $(build_flags)

.PHONY: demo
demo: build ## every experiment, small, on labdb, on this machine's disk
	scripts/demo

.PHONY: recovery-model
recovery-model: build ## the same on the server that SQLCMDSERVER names (SIZE=published for the published size)
	scripts/recovery-model

.PHONY: delayed-durability
delayed-durability: build ## four ways to commit small transactions, on the server that SQLCMDSERVER names
	scripts/delayed-durability

.PHONY: durability-procs
durability-procs: build ## durable against delayed commits in two procedures, on the server that SQLCMDSERVER names
	scripts/durability-procs

.PHONY: crash-loss
crash-loss: build ## KILLS the server (KILL_COMMAND, START_COMMAND) and counts the acknowledged commits that are gone
	scripts/crash-loss

.PHONY: write-speed
write-speed: build ## how fast its storage is when it writes 1 GB (FOLDERS to compare several)
	scripts/write-speed

.PHONY: restore-time
restore-time: build ## what file sizes cost a restore (SIZE=published for data files of 4 to 19 GB)
	scripts/restore-time

.PHONY: ab
ab: build ## two settings of your own (A_SQL, B_SQL, SCRIPT…) on the server that SQLCMDSERVER names
	scripts/ab

.PHONY: setup
setup: ## fetch the judges that tests use (Microsoft's parser and others) into target/judges
	scripts/setup-judges target/judges

.PHONY: test
test: setup build ## every test, through the real programs, the real driver and a real socket
	WRITELOG_JUDGES=$(CURDIR)/target/judges $(CARGO) test --release --workspace --all-targets --locked
	scripts/report-skips target/judges

.PHONY: fuzz
fuzz: ## give every fuzz target FUZZ_SECONDS (20) of inputs that nobody meant
	scripts/fuzz

.PHONY: lint
lint: ## formatting and clippy
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(build_flags) -- -D warnings

.PHONY: bench
bench: build ## the figures that the project promises, both sides of each from one run
	target/release/bench

.PHONY: calibrate
calibrate: build ## how often the statistics are wrong where the truth is known, into docs/calibration.md
	target/release/examples/calibrate >docs/calibration.md

.PHONY: schema
schema: ## write the JSON Schema of the records anew from the Rust types
	$(CARGO) run --release --locked --quiet -p records --example schema >docs/records.schema.json

# The programs go to a folder of their own: one of them is called diff, and must not stand before
# the system's own in anybody's PATH.
.PHONY: install
install: build ## install into PREFIX (/usr/local): bin/writelog and libexec/writelog
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/writelog"
	install -m 755 $(addprefix target/release/,$(programs)) "$(DESTDIR)$(PREFIX)/libexec/writelog"
	install -m 755 $(addprefix scripts/,$(experiments) ab demo with-labdb start-labdb) "$(DESTDIR)$(PREFIX)/libexec/writelog"
	install -m 644 scripts/common.sh "$(DESTDIR)$(PREFIX)/libexec/writelog"
	for experiment in $(experiments); do \
		[ -f "fixtures/$$experiment/published.json" ] || continue; \
		install -d "$(DESTDIR)$(PREFIX)/libexec/writelog/fixtures/$$experiment" && \
		install -m 644 "fixtures/$$experiment/published.json" \
			"$(DESTDIR)$(PREFIX)/libexec/writelog/fixtures/$$experiment" || exit 1; \
	done
	install -m 755 scripts/writelog "$(DESTDIR)$(PREFIX)/bin/writelog"

.PHONY: uninstall
uninstall: ## remove what install put there
	rm -rf "$(DESTDIR)$(PREFIX)/libexec/writelog" "$(DESTDIR)$(PREFIX)/bin/writelog"

.PHONY: clean
clean: ## remove what was built
	$(CARGO) clean
