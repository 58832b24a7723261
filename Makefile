# Everything a person needs is `make run` and `make test`; both install what is missing and say so.
.PHONY: run test app package-test measure dev bench fuzz screenshots lint test-core test-page test-window ui-packages tools

SHELL := /bin/bash
TOOLS := $(CURDIR)/target/tools/bin
APP   := target/debug/assay-app

## run: build and open the app; without a display, do its main job on the sample home by command line
run:
ifneq ($(DISPLAY)$(WAYLAND_DISPLAY)$(filter Darwin,$(shell uname -s))$(filter Windows_NT,$(OS)),)
	@.ci/setup cli app
	@$(MAKE) --no-print-directory $(APP)
	$(APP)
else
	@echo "No display: doing what the app does — detect, preview, import — on the sample home, by command line."
	@.ci/setup cli
	cargo build --quiet --package assay-cli
	@home=$$(mktemp -d) && trap 'rm -rf "$$home"' EXIT && set -e && \
	cargo run --quiet --package assay-sources --example sample-home -- "$$home" && \
	for step in detect preview import import; do \
	  echo; echo "\$$ assay $$step --home $$home"; \
	  target/debug/assay $$step --home "$$home" || [ $$? -eq 1 ]; \
	done
endif

## test: every check; exactly what CI runs
test:
	@.ci/setup cli app page window
	$(MAKE) lint
	$(MAKE) test-core
	$(MAKE) test-page
	$(MAKE) test-window

lint: ui-packages
	cargo fmt --all --check
	npm --prefix ui run check
	npm --prefix ui run build
	cargo clippy --workspace --all-targets -- --deny warnings

# Property tests draw the same cases on every run, so that a red run means a change; `make fuzz` draws others.
test-core:
	PROPTEST_RNG_SEED=20261130 cargo test

## fuzz: every source for its share of MINUTES (ten): by coverage with a nightly compiler, else by the property tests
MINUTES ?= 10
fuzz:
	@.ci/setup cli
	@.ci/fuzz $(MINUTES)

test-page: ui-packages
	npm --prefix ui test
	npm --prefix ui run test:page

test-window: ui-packages tools $(APP)
	cargo build --package assay-cli
	cargo build --package assay-sources --example sample-home
	npm --prefix ui run test:window

ui-packages: ui/node_modules/.package-lock.json
ui/node_modules/.package-lock.json: ui/package-lock.json
	npm --prefix ui ci --no-audit --no-fund
	@touch $@

tools: $(TOOLS)/tauri-driver
$(TOOLS)/tauri-driver:
	cargo install tauri-driver --version '^2' --locked --root target/tools

# Always asked for: cargo knows better than make whether something changed.
.PHONY: $(APP)
$(APP): ui-packages
	npm --prefix ui run build
	cargo build --package assay --features tauri/custom-protocol

## app: the release bundles of this machine (.deb and .rpm on Linux)
app: ui-packages
	@.ci/setup cli app
	npm --prefix ui exec -- tauri build $(if $(filter Linux,$(shell uname -s)),--bundles deb$(,)rpm) -- --package assay

, := ,

## package-test: installs the .deb of `make app` on this machine, goes through it, removes it
package-test: ui-packages tools
	@.ci/setup cli window
	cargo build --package assay-cli
	cargo build --package assay-sources --example sample-home
	@.ci/package

## measure: how fast the release build opens, and what it takes
measure: ui-packages tools
	@.ci/setup cli app window
	npm --prefix ui exec -- tauri build --no-bundle -- --package assay
	cargo build --package assay-cli
	cargo build --package assay-sources --example sample-home
	ASSAY_APP=$(CURDIR)/target/release/assay-app node ui/tests/window/measure.mjs

## dev: the app with the page reloading as it is edited
dev: ui-packages
	@.ci/setup cli app
	npm --prefix ui exec -- tauri dev -- --package assay

## bench: throughput and memory, as ratios within one run
bench:
	@.ci/setup cli
	cargo bench --package assay-cli
	cargo run --release --package assay-library --example search

## screenshots: docs/screenshots/ from the real window over the sample home
screenshots: ui-packages tools $(APP)
	@.ci/setup window
	cargo build --package assay-cli
	cargo build --package assay-sources --example sample-home
	npm --prefix ui run screenshots
	@# Fewer colours make them a quarter of the size, where ImageMagick is there to do it.
	@command -v convert >/dev/null && find docs/screenshots -name '*.png' -exec convert {} +dither -colors 96 PNG8:{} \; || true
