import assert from "node:assert/strict";

export default {
  async "what the engine says of the sample home can be walked through whole"(open) {
    for (const lang of ["en", "zh-CN"]) {
      const page = await open({ query: { mock: "sample", lang } });
      await page.locator("header .btn.primary").click();
      await page.locator("a.bar").first().waitFor();
      await page.waitForFunction(() => !document.querySelector('[role="progressbar"]'));
      const sources = await page.evaluate(() =>
        [...document.querySelectorAll("a.bar")].map((bar) => bar.getAttribute("href")),
      );
      assert.ok(sources.length > 0);
      for (const source of sources) {
        for (const tab of ["summary", "matrix", "conversations"]) {
          await page.evaluate((hash) => (location.hash = hash), `${source}/${tab}`);
          await page.locator("main h1").waitFor();
          await page.waitForTimeout(120);
          assert.equal(await page.locator("[role=alert]").count(), 0, `${source}/${tab}`);
        }
        const row = page.locator("[role=row][id]").first();
        if (!(await row.count())) continue;
        await row.click();
        await page.locator("article .head").first().waitFor();
        await page.keyboard.press("r");
        await page.waitForTimeout(250);
        assert.equal(await page.locator("[role=alert]").count(), 0, `${source} opened`);
      }
    }
  },
};
