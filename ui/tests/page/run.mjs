// The page in real Chromium: journeys, keyboard, languages, themes, long conversations, accessibility.
// `node tests/page/run.mjs [name]` runs those whose name holds `name`.
import { readdirSync } from "node:fs";
import { open } from "./harness.mjs";

const only = process.argv[2] ?? "";
const here = new URL("./", import.meta.url);
const files = readdirSync(here).filter((file) => file.endsWith(".test.mjs"));
const browser = await open();
/** How long one test may take: a page that hangs fails its test and not the run. */
const MOST = 180_000;
let failed = 0;
let ran = 0;

for (const file of files.sort()) {
  const { default: tests } = await import(new URL(file, here).href);
  for (const [name, test] of Object.entries(tests)) {
    if (!`${file} ${name}`.includes(only)) continue;
    const opened = [];
    const began = performance.now();
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${MOST / 1000} s`)), MOST);
    });
    try {
      const done = test(async (options) => {
        const one = await browser.page(options);
        opened.push(one);
        return one.page;
      });
      await Promise.race([done, late]);
      const problems = opened.flatMap((one) => one.problems);
      if (problems.length) throw new Error(problems.join("\n"));
      console.log(`ok   ${file} · ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${file} · ${name}\n     ${String(error.stack ?? error).replaceAll("\n", "\n     ")}`);
    }
    clearTimeout(timer);
    ran += 1;
    for (const one of opened) await one.close();
  }
}

await browser.close();
console.log(`${ran - failed} of ${ran} passed`);
process.exitCode = failed || !ran ? 1 : 0;
