import { describe, expect, test } from "vitest";
import { composing, step } from "../../src/lib/a11y/keys";
import { shapes } from "../../src/components/shared/icon";
import { layers } from "../../src/components/shared/strata";
import { amount, request } from "../../src/components/importing/plan";
import { formatter } from "../../src/lib/i18n/format";
import { resolve as language } from "../../src/lib/i18n/index.svelte";
import { outside } from "../../src/lib/markdown/safe";
import { tokens } from "../../src/lib/markdown/parse";
import { dayOf, monthOf, months, weeks } from "../../src/lib/state/calendar";
import { beginning } from "../../src/lib/markdown/parse";
import { asked as askedKept } from "../../src/lib/state/library.svelte";
import { fateAt, itemOf, recordOf, recordsIn, strip } from "../../src/lib/state/core";
import { href, parse } from "../../src/lib/state/route.svelte";
import { asked, told } from "../../src/lib/state/rows.svelte";
import { resolve as theme } from "../../src/lib/state/theme.svelte";
import { en as words } from "../../src/lib/i18n/en";
import { actionOf, menu, sized } from "../../src/lib/state/actions";
import { evident, without } from "../../src/lib/state/drop.svelte";
import type { CoreRun, ImportPlan, Settings } from "../../src/lib/backend/generated/dto";

describe("formats", () => {
  const en = formatter("en");
  test("sizes in three digits", () => {
    expect(en.bytes(0)).toBe("0 bytes");
    expect(en.bytes(1)).toBe("1 byte");
    expect(en.bytes(999)).toBe("999 bytes");
    expect(en.bytes(1234)).toBe("1.23 kB");
    expect(en.bytes(640_200_000)).toBe("640 MB");
    expect(en.bytes(8_412_000_000)).toBe("8.41 GB");
  });
  test("a share that is there never reads as none or all", () => {
    expect(en.percent(0, 100)).toBe("0%");
    expect(en.percent(1, 1_000_000)).toBe("<0.1%");
    expect(en.percent(999_999, 1_000_000)).toBe(">99%");
    expect(en.percent(24, 1000)).toBe("2.4%");
    expect(en.percent(1, 1)).toBe("100%");
    expect(en.percent(1, 0)).toBe("–");
  });
  test("what is no date is shown as it is", () => expect(en.dateTime("yesterday")).toBe("yesterday"));
  test("durations", () => {
    expect(en.duration(0.2)).toBe("1 sec");
    expect(en.duration(3700)).toBe("1 hr 2 min");
  });
});

describe("core sample", () => {
  const core: CoreRun[] = [
    { disposition: "folded", records: 2, item: 0 },
    { disposition: "kept", records: 3, item: 0 },
    { disposition: "dropped", records: 1, item: 3 },
    { disposition: "recovered", records: 4, item: 4 },
  ];
  test("records and items find one another", () => {
    expect(recordsIn(core)).toBe(10);
    expect(itemOf(core, 2, 8)).toBe(0);
    expect(itemOf(core, 5, 8)).toBe(3);
    expect(itemOf(core, 9, 8)).toBe(7);
    expect(recordOf(core, 3)).toBe(5);
    expect(recordOf(core, 7)).toBe(9);
    expect(fateAt(core, 5)).toBe("dropped");
  });
  test("a record has a row of its own while there is room, and shares one when there is not", () => {
    const roomy = strip(core, 20, 600);
    expect(roomy.each).toBe(1);
    expect(roomy.paths.map((path) => path.of)).toEqual(["kept", "recovered", "folded", "dropped"]);
    const long = strip(
      Array.from(
        { length: 50_000 },
        (_, i) => ({ disposition: i % 50 ? "kept" : "dropped", records: 1, item: i }) as CoreRun,
      ),
      20,
      600,
    );
    expect(long.each).toBeGreaterThan(100);
    expect(long.pitch).toBe(2);
    expect(long.paths.find((path) => path.of === "dropped")?.d.split("M").length).toBeGreaterThan(200);
  });
  test("an empty conversation has an empty strip", () => {
    expect(strip([], 20, 600).paths).toEqual([]);
    expect(itemOf([], 0, 0)).toBe(0);
  });
});

describe("addresses", () => {
  test("keys with slashes, colons and Chinese survive", () => {
    const route = parse(href(["acceptance", "a", "c", "a:/x?y#z 对话"], { q: "重试 & co" }));
    expect(route.path).toEqual(["a", "c", "a:/x?y#z 对话"]);
    expect(route.query.get("q")).toBe("重试 & co");
  });
  test("nonsense leads to the first place", () => expect(parse("#/nowhere").place).toBe("sources"));
  test("a question goes into an address and comes back", () => {
    const query = {
      ...asked(new URLSearchParams()),
      text: "x",
      reason: "tool-result",
      sort: "dropped",
      descending: true,
    };
    expect(asked(parse(href([], told(query))).query)).toEqual(query);
    expect(asked(new URLSearchParams("sort=nonsense")).sort).toBe("time");
  });
});

describe("what strangers wrote", () => {
  test("only web and mail addresses leave", () => {
    expect(outside("https://example.org/x")).toBe("https://example.org/x");
    expect(outside("mailto:a@example.org")).toBe("mailto:a@example.org");
    for (const bad of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "data:text/html,x",
      "tauri://x",
      "relative/path",
      " javascript:alert(1)",
    ])
      expect(outside(bad), bad).toBeNull();
  });
  test("an icon can only draw", () => {
    const drawn = shapes(
      '<path d="M0 0h1" onclick="x()" fill="url(https://x)"/><script>x()</script><image href="https://x"/><circle r="2" cx="1" cy="1"/>',
    );
    expect(drawn).toEqual([
      { tag: "path", attributes: { d: "M0 0h1" } },
      { tag: "circle", attributes: { r: "2", cx: "1", cy: "1" } },
    ]);
  });
  test("a text that is nothing but nesting does not stop the page", () => {
    const deep = ">".repeat(20_000);
    expect(() => tokens(deep)).not.toThrow();
    expect(tokens("x".repeat(100_000))).toBeNull();
  });
});

describe("choices", () => {
  test("language", () => {
    expect(language("zh-CN", ["en"])).toBe("zh-CN");
    expect(language("", ["zh-Hans-SG", "en"])).toBe("zh-CN");
    expect(language("", ["fr", "en-GB"])).toBe("en");
    expect(language("xx", [])).toBe("en");
  });
  test("theme", () => {
    expect(theme("", false, false)).toBe("light");
    expect(theme("", true, true)).toBe("contrast-dark");
    expect(theme("contrast", false, false)).toBe("contrast-light");
    expect(theme("dark", false, true)).toBe("dark");
  });
  test("keys move within a list", () => {
    expect(step("j", 0, 3)).toBe(1);
    expect(step("k", 0, 3)).toBe(0);
    expect(step("End", 0, 3)).toBe(2);
    expect(step("PageDown", 0, 50, 8)).toBe(8);
    expect(step("x", 0, 3)).toBeNull();
    expect(step("j", 0, 0)).toBeNull();
  });
  test("keys of an input method are not ours", () => {
    expect(composing(new KeyboardEvent("keydown", { key: "1", isComposing: true }))).toBe(true);
    expect(composing({ isComposing: false, keyCode: 229 } as KeyboardEvent)).toBe(true);
    expect(composing(new KeyboardEvent("keydown", { key: "1" }))).toBe(false);
  });
  test("strata keep their order", () =>
    expect(
      layers({ kept: 0, recovered: 2, folded: 1, unknown: 0, dropped: 3, pending: 0 }).map((layer) => layer.of),
    ).toEqual(["folded", "recovered", "dropped"]));
});

describe("plan", () => {
  const source = (name: string, more: object) => ({
    source: name,
    enabled: true,
    previewed: true,
    actions: [
      { code: "new", count: 3 },
      { code: "grown", count: 2 },
      { code: "unchanged", count: 9 },
    ],
    skipped: [],
    blocked: [],
    bytes: 1,
    ...more,
  });
  const plan: ImportPlan = {
    sources: [source("a", {}), source("b", { enabled: false }), source("c", {})],
    warnings: [],
  };
  const all = new Set(["new", "grown", "changed", "metadata"]);
  test("counts what would be written, and only that", () => {
    expect(amount(plan, new Set(["a", "b"]), all)).toBe(5);
    expect(amount(plan, new Set(["a", "c"]), new Set(["new"]))).toBe(6);
  });
  test("does not guess at what was not previewed", () =>
    expect(amount({ ...plan, sources: [source("a", { previewed: false })] }, new Set(["a"]), all)).toBeNull());
  test("asks for what was chosen", () => {
    expect(request(plan, new Set(["a", "b"]), all, [], true)).toEqual({
      sources: ["a"],
      keys: [],
      actions: [],
      verify: true,
    });
    expect(request(plan, new Set(["a"]), new Set(["new"]), [], false).actions).toEqual(["new"]);
    expect(request(plan, new Set(["a"]), new Set(["new"]), ["a:1"], false)).toMatchObject({
      keys: ["a:1"],
      actions: [],
    });
  });
});

describe("over time", () => {
  const hour = (iso: string) => Date.parse(iso) / 3_600_000;
  const one = (iso: string, count = 1, code = "a") => ({ code, hour: hour(iso), count });
  test("every month is there, also after years, and a wrong clock makes no thousand empty ones", () => {
    const all = months([
      one("2023-01-15T12:00:00Z"),
      one("2025-11-15T12:00:00Z", 4),
      one("2025-09-15T12:00:00Z", 2, "b"),
    ]);
    expect(all[0]?.at.getFullYear(), "the first month is not cut").toBe(2023);
    expect(all.map((month) => month.total)).toEqual([1, 2, 0, 4]);
    expect(months([one("2024-01-15T12:00:00Z"), one("2025-12-15T12:00:00Z")])).toHaveLength(24);
    expect(months([one("1970-01-15T12:00:00Z"), one("2025-12-15T12:00:00Z")])).toHaveLength(2);
  });
  test("a month and a day as a filter has them", () => {
    expect(monthOf(new Date(2024, 1, 1))).toEqual({ since: "2024-02-01", until: "2024-02-29" });
    expect(dayOf(new Date(2025, 11, 31))).toEqual({ since: "2025-12-31", until: "2025-12-31" });
  });
  test("days are those of the place, also where one has 23 or 25 hours", () => {
    const zone = process.env.TZ;
    process.env.TZ = "Europe/Berlin";
    try {
      expect(new Date(2025, 2, 30).getTimezoneOffset(), "the zone is in force").toBe(-60);
      const grid = weeks(
        [one("2025-03-29T23:00:00Z"), one("2025-03-30T21:00:00Z"), one("2025-03-30T22:00:00Z", 5)],
        new Date(2025, 3, 2),
        2,
        1,
      ).flat();
      const day = (date: number) => grid.find((d) => d.at.getMonth() === 2 && d.at.getDate() === date)?.count;
      expect([day(29), day(30), day(31)]).toEqual([0, 2, 5]);
      expect(grid.every((d) => d.at.getHours() === 0)).toBe(true);
      const { query } = askedKept(new URLSearchParams("since=2025-03-30&until=2025-03-30"));
      expect([query.from, query.before]).toEqual(["2025-03-29T23:00:00.000Z", "2025-03-30T22:00:00.000Z"]);
      const week = askedKept(new URLSearchParams("span=7"), Date.parse("2025-04-01T10:00:00Z"));
      expect(week.query.from).toBe("2025-03-25T23:00:00.000Z");
    } finally {
      process.env.TZ = zone;
    }
  });
});

describe("the beginning of a text", () => {
  const image = `![shot](data:image/png;base64,${"A".repeat(9000)})`;
  test("has an image whole or not at all", () => {
    expect(beginning(`before ${image} after ${"x".repeat(9000)}`, 4000)).toBe(`before ${image}`);
    expect(beginning(`before ${image.slice(0, 5000)}`, 4000)).toBe("before ");
    expect(beginning("y".repeat(5000) + image, 4000)).toHaveLength(4000);
    expect(beginning("![x](data:image/ no image", 4000)).toBe("![x](data:image/ no image");
    expect(beginning("a😀", 2)).toBe("a");
  });
  test("an image may weigh more than a text, and is still drawn", () => {
    const heavy = `![shot](data:image/png;base64,${"A".repeat(400_000)})`;
    expect(tokens(`see ${heavy}`)?.[0]).toMatchObject({ type: "paragraph" });
    expect(tokens("x".repeat(100_000))).toBeNull();
    const began = performance.now();
    beginning("![".repeat(200_000), 4000);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe("what is dropped", () => {
  const fit = (source: string) => ({ source, conversations: 2, key: null, known: false });
  const settings = (folders: Record<string, string[]>, disabled: string[] = []) =>
    ({ folders, disabled }) as unknown as Settings;

  test("is of a source without asking only where one alone fits", () => {
    expect(evident({ fits: [] })).toBeUndefined();
    expect(evident({ fits: [fit("one")] })?.source).toBe("one");
    expect(evident({ fits: [fit("one"), fit("two")] })).toBeUndefined();
  });

  test("can be taken back, and only that", () => {
    const before = settings({ one: ["/a"] }, ["two"]);
    expect(without(settings({ one: ["/a", "/b"], two: ["/b"] }), before)).toEqual({
      folders: { one: ["/a"] },
      disabled: ["two"],
    });
  });
});

describe("actions", () => {
  const key = (key: string, held: Partial<KeyboardEvent> = {}) =>
    actionOf({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });

  test("are keys held with Ctrl or ⌘, and never a plain one", () => {
    expect(key("k")).toBeNull();
    expect(key("K", { ctrlKey: true })).toBe("palette");
    expect(key("2", { metaKey: true })).toBe("acceptance");
    expect(key("2", { ctrlKey: true, altKey: true })).toBeNull();
    expect(key("c", { ctrlKey: true })).toBeNull();
    expect(key("F11")).toBe("full-screen");
  });

  test("sizes stop at either end", () => {
    expect(sized(1, 1)).toBe(1.1);
    expect(sized(0.5, -1)).toBe(0.5);
    expect(sized(3, 1)).toBe(3);
  });

  test("the menu's items have words and each key once on a system", () => {
    for (const only of ["mac", "others"] as const) {
      const items = menu(words)
        .filter((part) => (part.only ?? only) === only)
        .flatMap((part) => part.items.filter((item) => (item.only ?? only) === only));
      const keys = items.flatMap((item) => (item.kind === "action" && item.keys ? [item.keys] : []));
      expect(new Set(keys).size).toBe(keys.length);
      expect(items.every((item) => item.kind === "line" || item.text.length > 0)).toBe(true);
      expect(items.filter((item) => item.kind === "about" || item.kind === "quit")).toHaveLength(2);
    }
  });
});
