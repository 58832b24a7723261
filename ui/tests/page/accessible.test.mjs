import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { previewAll } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const PLACES = [
  "#/sources",
  "#/acceptance/codex/summary",
  "#/acceptance/codex/matrix",
  "#/acceptance/codex/conversations",
  "#/acceptance/codex/c/codex%3A0",
  "#/acceptance/copilot",
  "#/import",
  "#/import/run/12",
  "#/import/run/12/list",
  "#/library",
  "#/library?lossy=true",
  "#/library/time",
  "#/library?q=retry",
  "#/library/c/%40codex%3A0?q=retry&m=2",
  "#/settings",
];

async function findings(page, what) {
  const found = await page.evaluate(async () =>
    (await window.axe.run(document, { resultTypes: ["violations"] })).violations
      .filter((v) => ["serious", "critical"].includes(v.impact))
      .map(
        (v) =>
          `${v.id}: ${v.nodes
            .slice(0, 3)
            .map((n) => `${n.target} ${n.any[0]?.message ?? n.failureSummary ?? ""}`)
            .join(" | ")}`,
      ),
  );
  return found.map((line) => `${what} ${line}`);
}

const tests = {};
for (const lang of ["en", "zh-CN"])
  for (const theme of ["light", "dark", "contrast"])
    tests[`no serious finding: ${lang}, ${theme}`] = async (open) => {
      const page = await open({ query: { lang, theme, mock: "invented" }, reducedMotion: "reduce" });
      await page.evaluate(axe);
      await previewAll(page);
      const found = [];
      for (const place of PLACES) {
        await page.evaluate((hash) => (location.hash = hash), place);
        await page.waitForTimeout(350);
        if (place.includes("acceptance/codex/c/")) await page.locator(".ghost .head").first().click();
        if (place === "#/sources") await page.locator("button[aria-expanded=false]").first().click();
        await page.waitForTimeout(150);
        // A virtual list hides its rows until they are measured, and again when it measures anew.
        await page.evaluate(() => (window.calm = 0));
        await page.waitForFunction(() => {
          const rows = [...document.querySelectorAll("[role=row][id], [role=option][id], article")];
          window.calm = rows.every((e) => getComputedStyle(e).visibility === "visible") ? window.calm + 1 : 0;
          return window.calm >= 5;
        });
        found.push(...(await findings(page, place)));
      }
      await page.keyboard.press("?");
      await page.waitForTimeout(150);
      found.push(...(await findings(page, "shortcuts")));
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.waitForTimeout(150);
      found.push(...(await findings(page, "palette")));
      assert.deepEqual(found, []);
    };

tests["at 200 % every place can be used without scrolling sideways"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, width: 640, height: 400 });
  await previewAll(page);
  for (const place of PLACES) {
    await page.evaluate((hash) => (location.hash = hash), place);
    await page.waitForTimeout(250);
    const wide = await page.evaluate(
      () =>
        document.documentElement.scrollWidth > innerWidth ||
        document.querySelector("main").scrollWidth > document.querySelector("main").clientWidth + 1,
    );
    assert.equal(wide, false, `${place} is wider than the window`);
  }
};

export default tests;
