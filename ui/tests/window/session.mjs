// What tests and pictures of the real window do with it: ask what it shows, press, go, wait, take a picture.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { By, Key } from "selenium-webdriver";
import { startApp } from "./app.mjs";

const assay = resolve(import.meta.dirname, "../../../target/debug/assay");
const WAIT = 30_000;

/** Puts settings where the app will look for them. */
export function settled(settings) {
  return (home) => {
    const folder = join(home, ".xdg/data/assay");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
  };
}

/** Opens the app. `pictures`: the folder for pictures, if any are wanted. */
export async function session(options, pictures) {
  const app = await startApp(options);
  const run = (script, ...args) => app.window.executeScript(script, ...args);
  const text = (selector) =>
    run(
      "return [...document.querySelectorAll(arguments[0])].map((e) => (e.innerText ?? e.textContent).trim())",
      selector,
    );
  const all = async () => (await text("main")).join(" ");

  const self = {
    app,
    text,
    all,
    /** Waits until `probe` returns something true, and returns it. */
    async eventually(what, probe) {
      const end = Date.now() + WAIT;
      for (;;) {
        const found = await probe();
        if (found) return found;
        if (Date.now() > end) {
          await self.picture("failure");
          throw new Error(`${what} did not come: ${(await all()).slice(0, 2000)}\n${app.log()}`);
        }
        await new Promise((done) => setTimeout(done, 100));
      }
    },
    /** Presses the first button or link that is found and can be pressed. What is drawn anew meanwhile is
     * looked for again. */
    async pressBy(how, what) {
      await self.eventually(what, async () => {
        for (const one of await app.window.findElements(how)) {
          try {
            if (!(await one.isDisplayed()) || !(await one.isEnabled())) continue;
            await one.click();
            return true;
          } catch {
            return false;
          }
        }
        return false;
      });
    },
    press: (selector) => self.pressBy(By.css(selector), selector),
    pressWords: (words) => self.pressBy(By.xpath(`//button[contains(normalize-space(.), "${words}")]`), words),
    go: (hash) => run("location.hash = arguments[0]", hash),
    /** Types where the focus is. */
    async type(...keys) {
      await app.window
        .actions()
        .sendKeys(...keys)
        .perform();
    },
    /** Waits until nothing is on its way and everything is drawn. */
    async quiet(milliseconds = 350) {
      await self.eventually("quiet", async () =>
        run("return !document.querySelector('[role=progressbar], [aria-busy=true], .waiting')"),
      );
      await new Promise((done) => setTimeout(done, milliseconds));
    },
    async picture(name) {
      if (!pictures) return;
      const file = join(pictures, `${name}.png`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, await app.picture());
    },
    /** What the command line says of the same home, a line an object. */
    cli(command, ...flags) {
      const library = join(app.home, ".xdg/data/assay/library.db");
      const out = execFileSync(assay, [command, "--json", "--home", app.home, "--library", library, ...flags], {
        encoding: "utf8",
        maxBuffer: 1 << 28,
      });
      return out
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
    stop: () => app.stop(),
  };
  return self;
}

export { Key };
