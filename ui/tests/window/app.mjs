// Runs the real app for a test: its own home folder, its own screen if there is none, the driver in a
// process group of its own so that nothing outlives the test.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Builder, Capabilities } from "selenium-webdriver";

const root = resolve(import.meta.dirname, "../../..");
const driver = join(root, "target/tools/bin/tauri-driver");
// An installed app can be tested, too, or a release.
const binary = process.env.ASSAY_APP ?? join(root, "target/debug/assay-app");
const sampleHome = join(root, "target/debug/examples/sample-home");

function freePort() {
  return new Promise((done) => {
    const server = net.createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

async function opened(port, milliseconds) {
  const end = Date.now() + milliseconds;
  while (Date.now() < end) {
    const up = await new Promise((done) => {
      const socket = net.connect(port, "127.0.0.1");
      socket.once("connect", () => (socket.destroy(), done(true)));
      socket.once("error", () => done(false));
    });
    if (up) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** A virtual screen; its display name, and how to end it. */
export async function screen(size = "1280x820x24") {
  const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", size, "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const display = await new Promise((done, fail) => {
    server.once("error", fail);
    server.stdio[3].once("data", (number) => done(`:${String(number).trim()}`));
  });
  return { display, stop: () => server.kill("SIGKILL") };
}

/** Starts the app. `sample`: lay the sample stores out in its home. */
export async function startApp({ display, sample = true, language = "en_US.UTF-8", prepare } = {}) {
  for (const file of [driver, binary])
    if (!existsSync(file)) throw new Error(`${file} is missing: run make test-window`);
  const home = mkdtempSync(join(tmpdir(), "assay-window-"));
  for (const part of ["data", "config", "cache", "run"])
    mkdirSync(join(home, ".xdg", part), { recursive: true, mode: 0o700 });
  if (sample) execFileSync(sampleHome, [home]);
  await prepare?.(home);
  const [port, nativePort] = [await freePort(), await freePort()];
  const child = spawn(driver, ["--port", String(port), "--native-port", String(nativePort)], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LANG: language,
      LC_ALL: language,
      DISPLAY: display,
      XDG_DATA_HOME: join(home, ".xdg/data"),
      XDG_CACHE_HOME: join(home, ".xdg/cache"),
      XDG_RUNTIME_DIR: join(home, ".xdg/run"),
      GDK_BACKEND: "x11",
      NO_AT_BRIDGE: "1",
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
    },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (log += piece));
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  process.once("exit", end);
  await opened(port, 15_000);
  const wanted = new Capabilities();
  wanted.setBrowserName("wry");
  wanted.set("tauri:options", { application: binary, args: [] });
  const window = await new Builder().withCapabilities(wanted).usingServer(`http://127.0.0.1:${port}/`).build();
  return {
    window,
    home,
    log: () => log,
    /** A picture of the page, once what is on it has been drawn. */
    async picture() {
      // Where WebKit draws by itself, the picture of a page on which nothing moves never comes.
      await window.executeAsyncScript(
        `const done = arguments[0];
         const still = document.body.style;
         let n = 0;
         const move = setInterval(() => {
           still.opacity = ++n % 2 ? "0.9999" : "";
           if (n === 40) clearInterval(move);
         }, 50);
         requestAnimationFrame(() => requestAnimationFrame(done));`,
      );
      return Buffer.from(await window.takeScreenshot(), "base64");
    },
    async stop() {
      await Promise.race([window.quit().catch(() => {}), new Promise((done) => setTimeout(done, 3_000))]);
      end();
      process.off("exit", end);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
