// The built page in Chromium with the mock behind it. One browser for all tests, one page for each.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { preview } from "vite";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function chromiumPath() {
  const known = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const found = known.find((path) => path && existsSync(path));
  if (!found)
    throw new Error("No Chromium found. Install it (Debian: apt-get install chromium) or set CHROMIUM to its path.");
  return found;
}

export async function open() {
  const server = await preview({ preview: { port: 0, strictPort: false, host: "127.0.0.1" }, logLevel: "error" });
  const address = server.httpServer.address();
  const base = `http://127.0.0.1:${address.port}/`;
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
  return {
    /** A page at `hash`, with `query` (`mock`, `lang`, `theme`); fails on any error in it and on any request that leaves it. */
    async page({ query = {}, hash = "", width = 1280, height = 800, ...context } = {}) {
      const made = await browser.newContext({
        viewport: { width, height },
        locale: "en-GB",
        timezoneId: "Asia/Shanghai",
        ...context,
      });
      const page = await made.newPage();
      // `SLOW=8 node tests/page/run.mjs`: as on a machine that is eight times slower.
      if (process.env.SLOW) {
        const session = await made.newCDPSession(page);
        await session.send("Emulation.setCPUThrottlingRate", { rate: Number(process.env.SLOW) });
      }
      const problems = [];
      page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(base) && !request.url().startsWith("data:"))
          problems.push(`remote: ${request.url()}`);
      });
      await page.goto(`${base}?${new URLSearchParams(query)}${hash}`);
      // A hundred thousand made-up conversations take a slow machine a while.
      await page.waitForSelector("[data-page-title]", { timeout: 120_000 });
      page.setDefaultTimeout(30_000);
      return { page, problems, close: () => made.close() };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Previews everything and waits for it. */
export async function previewAll(page, name = /Preview everything|全部预览/) {
  await page.getByRole("button", { name }).click();
  await page.waitForFunction(() => document.querySelectorAll("a.bar").length >= 3);
  await page.waitForFunction(() => !document.querySelector('[role="progressbar"]'));
}
