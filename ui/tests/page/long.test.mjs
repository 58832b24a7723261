import assert from "node:assert/strict";

export default {
  async "a conversation of fifty thousand records opens at once and jumps anywhere"(open) {
    const page = await open({ query: { mock: "large" } });
    await page.getByRole("button", { name: "Preview Codex" }).click();
    await page.waitForFunction(() => document.querySelectorAll("a.bar").length >= 1);
    await page.evaluate(() => (location.hash = "#/acceptance/codex/conversations"));
    await page.getByRole("grid").waitFor();
    assert.ok((await page.locator("[role=row]").count()) < 80, "only what is in sight is drawn");
    const grid = page.getByRole("grid");
    await grid.focus();
    await page.keyboard.press("End");
    await page.waitForFunction(() => document.querySelector("[id^=row-29]") !== null);

    const took = await page.evaluate(async () => {
      const began = performance.now();
      location.hash = "#/acceptance/codex/c/codex%3Along";
      while (!document.querySelector("article .head")) await new Promise((done) => requestAnimationFrame(done));
      return performance.now() - began;
    });
    console.log(`     opened in ${Math.round(took)} ms`);
    const items = Number(await page.locator("[role=slider]").getAttribute("aria-valuemax"));
    assert.ok(items > 40_000, `${items} items`);
    assert.ok((await page.locator("article").count()) < 80, "only what is in sight is drawn");

    const strip = await page.locator("[role=slider]").boundingBox();
    await page.mouse.click(strip.x + 10, strip.y + strip.height * 0.8);
    await page.waitForFunction((all) => {
      const at = [...document.querySelectorAll("article")].map((a) => Number(a.getAttribute("aria-posinset")));
      return at.some((n) => n > all * 0.75 && n < all * 0.85) && document.querySelectorAll("article .head").length > 2;
    }, items);
    const frames = await page.evaluate(async () => {
      const feed = document.querySelector("[role=feed]");
      const times = [];
      let last = performance.now();
      for (let step = 0; step < 90; step += 1) {
        feed.scrollTop += 120;
        await new Promise((done) => requestAnimationFrame(done));
        const now = performance.now();
        times.push(now - last);
        last = now;
      }
      return times.sort((a, b) => a - b);
    });
    console.log(`     scrolling: median frame ${frames[45].toFixed(1)} ms, worst ${frames[89].toFixed(0)} ms`);
    // Times are told and not judged: a machine may be busy. What makes them is: how much is drawn.
    assert.ok((await page.locator("article").count()) < 80, "only what is in sight is drawn");
  },
};
