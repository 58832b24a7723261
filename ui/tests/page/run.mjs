// The page in real Chromium: journeys, keyboard, languages, themes, long conversations, accessibility.
// `node tests/page/run.mjs [name]` runs those whose name holds `name`.
import { readdirSync } from "node:fs";
import { open } from "./harness.mjs";

const only = process.argv[2] ?? "";
const here = new URL("./", import.meta.url);
const files = readdirSync(here).filter((file) => file.endsWith(".test.mjs"));
const browser = await open();
let failed = 0;
let ran = 0;

for (const file of files.sort()) {
  const { default: tests } = await import(new URL(file, here).href);
  for (const [name, test] of Object.entries(tests)) {
    if (!`${file} ${name}`.includes(only)) continue;
    const opened = [];
    const began = performance.now();
    try {
      await test(async (options) => {
        const one = await browser.page(options);
        opened.push(one);
        return one.page;
      });
      const problems = opened.flatMap((one) => one.problems);
      if (problems.length) throw new Error(problems.join("\n"));
      console.log(`ok   ${file} · ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${file} · ${name}\n     ${String(error.stack ?? error).replaceAll("\n", "\n     ")}`);
    }
    ran += 1;
    for (const one of opened) await one.close();
  }
}

await browser.close();
console.log(`${ran - failed} of ${ran} passed`);
process.exitCode = failed || !ran ? 1 : 0;
