import { render, screen, within } from "@testing-library/svelte";
import { tick } from "svelte";
import { beforeEach, describe, expect, test, vi } from "vitest";
import Ghost from "../../src/components/timeline/Ghost.svelte";
import Message from "../../src/components/timeline/Message.svelte";
import Record from "../../src/components/timeline/Record.svelte";
import Strata from "../../src/components/shared/Strata.svelte";
import FaultBox from "../../src/components/shared/FaultBox.svelte";
import Code from "../../src/lib/code/Code.svelte";
import Markdown from "../../src/lib/markdown/Markdown.svelte";
import { Find, FIND } from "../../src/lib/state/find.svelte";
import { live } from "../../src/lib/a11y/live.svelte";
import { app } from "../../src/lib/state/app.svelte";
import { useBackend } from "../../src/lib/backend";
import { mock } from "../../src/lib/backend/mock";
import type { TimelineItem } from "../../src/lib/backend/generated/dto";
import { i18n } from "../../src/lib/i18n/index.svelte";

const backend = await mock("invented", { pace: 0 });
beforeEach(() => {
  useBackend(backend);
  i18n.use("en");
});

const item = (more: Partial<TimelineItem>): TimelineItem => ({
  index: 4,
  item: "message",
  disposition: "kept",
  reason: null,
  from: "assistant",
  kind: "text",
  content: "Hello",
  cut: false,
  bytes: 5,
  thinking: null,
  toolName: null,
  toolCallId: null,
  hasToolUse: false,
  at: "2026-11-03T01:31:02.000Z",
  origin: "recorded",
  rule: null,
  belongsBefore: null,
  branch: null,
  chips: [],
  entry: 7,
  ...more,
});
const around = { source: "codex", conversation: "codex:0", retention: "full" as const, jump: () => {}, show: () => {} };

describe("a message", () => {
  test("says when its time was made up, and by which rule", () => {
    render(Message, { ...around, item: item({ origin: "synthetic", rule: "preceding-message" }) });
    expect(screen.getByLabelText("made-up time: that of the message before").textContent).toBe("≈");
  });
  test("marks a derived time and points to where an out-of-order one belongs", async () => {
    const jump = vi.fn();
    render(Message, { ...around, jump, item: item({ origin: "derived", rule: "timing-info", belongsBefore: 1 }) });
    expect(screen.getByText("~")).toBeTruthy();
    screen.getByRole("button", { name: "by its time it belongs before #2" }).click();
    expect(jump).toHaveBeenCalledWith(1);
  });
  test("carries the chips of what was folded into it; each opens its record", () => {
    const show = vi.fn();
    render(Message, {
      ...around,
      show,
      item: item({ chips: [{ kind: "function_call", reason: "tool-input", label: "shell", entry: 12 }] }),
    });
    screen.getByRole("button", { name: "shell" }).click();
    expect(show).toHaveBeenCalledWith(12);
  });
  test("recovered content is marked with its reason", () => {
    render(Message, {
      ...around,
      item: item({ disposition: "recovered", reason: "tool-result", kind: "tool-result", toolName: "shell" }),
    });
    expect(screen.getByText("recovered")).toBeTruthy();
    expect(screen.getByText("tool result")).toBeTruthy();
  });
});

test("a ghost stands closed, opens to its text, and shows its record", async () => {
  const show = vi.fn();
  render(Ghost, {
    ...around,
    show,
    item: item({
      item: "ghost",
      disposition: "dropped",
      reason: "malformed-json",
      content: '{"half',
      kind: "malformed",
    }),
  });
  const button = screen.getByRole("button");
  expect(button.getAttribute("aria-expanded")).toBe("false");
  expect(within(button).getByText("dropped")).toBeTruthy();
  button.click();
  await tick();
  expect(button.getAttribute("aria-expanded")).toBe("true");
  expect(document.querySelector("pre")?.textContent).toBe('{"half');
  expect(show).toHaveBeenCalledWith(7);
});

test("the raw record tells file, line, bytes and reason", async () => {
  render(Record, { conversation: "codex:0", retention: "full", entry: 8, close: () => {} });
  expect(await screen.findByText(/line 9 · bytes/)).toBeTruthy();
  expect(screen.getAllByText("damaged record")[0]).toBeTruthy();
  expect(screen.getByText(/rollout-2026/)).toBeTruthy();
});

test("a strata bar can be read aloud", () => {
  render(Strata, { strata: { kept: 50, recovered: 30, folded: 0, unknown: 0, dropped: 20, pending: 0 } });
  expect(screen.getByRole("img").getAttribute("aria-label")).toBe(
    "Content by what becomes of it: kept 50% (50 bytes), recovered 30% (30 bytes), dropped 20% (20 bytes)",
  );
});

test("a fault says what happened, what it means, what to do; also one without words", async () => {
  const { rerender } = render(FaultBox, { fault: { code: "disk-full", params: {}, detail: "ENOSPC" } });
  expect(screen.getByRole("alert").textContent).toContain("The disk is full.");
  i18n.use("zh-CN");
  await tick();
  expect(screen.getByRole("alert").textContent).toContain("磁盘已满");
  await rerender({ fault: { code: "from-the-future", params: {}, detail: "x" } });
  expect(screen.getByRole("alert").textContent).toContain("from-the-future");
});

test("Markdown draws, and markup stays text", () => {
  const { container } = render(Markdown, {
    text: "A **b** `c` <img src=x onerror=alert(1)> [bad](javascript:alert(1)) ![pic](https://x/y.png)\n\n- one\n- two\n\n<script>alert(1)</script>",
  });
  expect(container.querySelector("strong")?.textContent).toBe("b");
  expect(container.querySelectorAll("li")).toHaveLength(2);
  expect(container.querySelector("img, script, a")).toBeNull();
  expect(container.textContent).toContain("<img src=x onerror=alert(1)>");
  expect(container.textContent).toContain("<script>alert(1)</script>");
});

test("folded code opens where what is looked for is folded, and folds again when the person wants it", async () => {
  const find = new Find();
  const text = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");
  render(Code, { props: { text, as: "terminal" }, context: new Map([[FIND, find]]) });
  const fold = screen.getByRole("button", { name: /60 lines/ });
  expect(fold.getAttribute("aria-expanded")).toBe("false");
  find.open = true;
  find.type("line 3");
  await tick();
  expect(fold.getAttribute("aria-expanded"), "line 30 is folded, line 3 is not").toBe("true");
  fold.click();
  await tick();
  expect(fold.getAttribute("aria-expanded")).toBe("false");
});

test("what is only the beginning is copied whole, and what is not copied is not said to be", async () => {
  const copied: string[] = [];
  useBackend({ ...backend, copy: async (text) => void copied.push(text) });
  render(Code, { text: "begin", as: "terminal", whole: async () => "beginning and end" });
  screen.getByRole("button", { name: i18n.words.code.copy }).click();
  await vi.waitFor(() => expect(copied).toEqual(["beginning and end"]));
  await vi.waitFor(() => expect(live.text).toContain("Copied"));
  live.text = "";
  useBackend({ ...backend, copy: () => Promise.reject({ code: "not-copied", params: {}, detail: "" }) });
  screen.getByRole("button", { name: i18n.words.code.copy }).click();
  await vi.waitFor(() => expect(app.fault?.code).toBe("not-copied"));
  expect(live.text).toBe("");
  app.fault = null;
});
