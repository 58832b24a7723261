// How fast the app opens and what it takes, in the real window: `make measure` (the release build; ASSAY_APP for
// another). Printed, never judged: a busy machine is slow.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { screen } from "./app.mjs";
import { session } from "./session.mjs";

/** Records of the long conversation. */
const RECORDS = 50_000;
const ID = "5f0c1f6e-9d55-4c0b-8a31-00000000beef";
const TIMES = 3;

/** A session that somebody worked in for weeks. */
function long(home) {
  const folder = join(home, ".claude/projects/-home-u-long");
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: RECORDS }, (_, n) => {
    const role = n % 2 ? "assistant" : "user";
    const text = n % 2 ? `Step ${n}: it is done.\n\n\`\`\`rust\nlet n = ${n};\n\`\`\`` : `Now step ${n}, please.`;
    const content = n % 2 ? [{ type: "text", text }] : text;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
    const parentUuid = n ? `m${n - 1}` : null;
    const about = { parentUuid, uuid: `m${n}`, sessionId: ID, cwd: "/home/u/long", timestamp };
    return JSON.stringify({ type: role, ...about, message: { role, id: `msg${n}`, content } });
  });
  writeFileSync(join(folder, `${ID}.jsonl`), lines.join("\n") + "\n");
}

/** A process and all that it started. */
function family(pid) {
  const parents = new Map();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent] = readFileSync(`/proc/${entry}/stat`, "utf8").split(") ")[1].split(" ");
      parents.set(Number(entry), Number(parent));
    } catch {
      // It has ended.
    }
  }
  const all = [pid];
  for (const of of all) for (const [child, parent] of parents) if (parent === of) all.push(child);
  return all;
}

/** Megabytes that processes take, shared pages in parts. */
function memory(pids) {
  const kilobytes = pids.map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]),
  );
  return Math.round(kilobytes.reduce((a, b) => a + b, 0) / 1024);
}

/** When a process began, in milliseconds since 1970. */
function began(pid) {
  const ticks = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[19]);
  const boot = Number(/^btime (\d+)/m.exec(readFileSync("/proc/stat", "utf8"))[1]);
  const now = Date.now() - Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1000;
  // The boot time is told in whole seconds; what has passed since tells it better.
  return (Math.abs(now - boot * 1000) < 2000 ? now : boot * 1000) + ticks * 10;
}

const display = process.env.DISPLAY ? { display: process.env.DISPLAY, stop() {} } : await screen();
const print = (what, value) => console.log(`${what.padEnd(58)} ${value}`);
try {
  for (let time = 1; time <= TIMES; time += 1) {
    const s = await session({ display: display.display, prepare: long });
    try {
      const pid = Number(execFileSync("pgrep", ["-n", "-x", "assay-app"], { encoding: "utf8" }));
      const painted = await s.eventually("a first paint", () =>
        s.app.window.executeScript(
          "const p = performance.getEntriesByName('first-contentful-paint')[0]; return p && performance.timeOrigin + p.startTime",
        ),
      );
      print("from the start of the process to the first words", `${Math.round(painted - began(pid))} ms`);
      await s.quiet(3000);
      const of = family(pid);
      const each = of.map((one) => `${readFileSync(`/proc/${one}/comm`, "utf8").trim()} ${memory([one])}`).join(", ");
      print("memory, idle, all processes", `${memory(of)} MB (${each})`);
      await s.press("header .btn.primary");
      await s.eventually("a preview", async () => (await s.text("a.bar")).length >= 5);
      await s.quiet();
      const key = encodeURIComponent(`claude-code/${ID}`);
      const opened = await s.app.window.executeAsyncScript(
        `const [hash, done] = arguments;
         const began = performance.now();
         location.hash = hash;
         const look = () => document.querySelector("article .head") ? done(performance.now() - began) : requestAnimationFrame(look);
         look();`,
        `#/acceptance/claude-code/c/${key}`,
      );
      print(`a conversation of ${RECORDS} records, opened in`, `${Math.round(opened)} ms`);
      await s.quiet(2000);
      const frames = await s.app.window.executeAsyncScript(
        `const [steps, by, done] = arguments;
         const box = document.querySelector(".timeline");
         const times = [];
         let last = performance.now();
         const step = (now) => {
           times.push(now - last);
           last = now;
           box.scrollTop += by;
           times.length < steps ? requestAnimationFrame(step) : done(times.sort((a, b) => a - b));
         };
         requestAnimationFrame(step);`,
        200,
        120,
      );
      const share = (of) => frames[Math.floor(frames.length * of)].toFixed(0);
      print("a picture while it is scrolled, half of them and 95 % in", `${share(0.5)} ms, ${share(0.95)} ms`);
      await s.quiet(2000);
      print("memory after that", `${memory(family(pid))} MB`);
    } finally {
      await s.stop();
    }
  }
} finally {
  display.stop();
}
