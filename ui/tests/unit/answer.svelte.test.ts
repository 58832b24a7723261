// Answers to questions that change: of which question they are, what fails in them, and what they leave alone.
import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answered, type Answer } from "../../src/lib/state/answer.svelte";
import { work } from "../../src/lib/state/work.svelte";

interface Row {
  key: string;
}
interface Asked {
  text: string;
  offset: number;
  answer: (total: number) => void;
  fail: (code: string) => void;
}
const settle = async () => {
  await new Promise((done) => setTimeout(done, 0));
  flushSync();
};

let text = $state("");
let asked: Asked[];
let answer: Answer<{ text: string }, Row>;
let end: () => void;

beforeEach(() => {
  [text, asked] = ["old", []];
  end = $effect.root(() => {
    answer = answered(
      () => ({ text }),
      (question, offset, limit) =>
        new Promise((resolve, reject) =>
          asked.push({
            text: question.text,
            offset,
            answer: (total) => {
              const rows = Array.from({ length: Math.min(limit, total - offset) }, (_, at) => ({
                key: `${question.text} ${offset + at}`,
              }));
              resolve({ total, rows });
            },
            fail: (code) => reject({ code, params: {}, detail: "" }),
          }),
        ),
    );
  });
  flushSync();
});
afterEach(() => end());

test("what is shown says of which question it is until the next answer is here", async () => {
  asked[0]!.answer(500);
  await settle();
  expect([answer.question?.text, answer.list?.total, answer.looking]).toEqual(["old", 500, false]);
  text = "new";
  flushSync();
  expect([answer.question?.text, answer.list?.total, answer.looking]).toEqual(["old", 500, true]);
  asked[1]!.answer(3);
  await settle();
  expect([answer.question?.text, answer.list?.total, answer.looking]).toEqual(["new", 3, false]);
});

test("the old list asks for nothing while a new question is on its way", async () => {
  asked[0]!.answer(5000);
  await settle();
  text = "new";
  flushSync();
  void answer.list?.want(1000, 1040);
  await settle();
  expect(asked.map((one) => one.text)).toEqual(["old", "new"]);
  // Where the new one has no answer, the old one goes on.
  asked[1]!.fail("io");
  await settle();
  expect(answer.fault?.code).toBe("io");
  void answer.list?.want(1000, 1040);
  expect(asked.at(-1)).toMatchObject({ text: "old", offset: 1000 });
});

test("a page that fails is said, is not asked for over and over, and comes when it is tried again", async () => {
  asked[0]!.answer(5000);
  await settle();
  void answer.list?.want(1000, 1040);
  asked[1]!.fail("io");
  await settle();
  expect(answer.fault?.code).toBe("io");
  expect(answer.list?.peek(0)?.key, "what is here stays").toBe("old 0");
  void answer.list?.want(1000, 1040);
  expect(asked.length).toBe(2);
  answer.retry();
  expect(asked[2]).toMatchObject({ text: "old", offset: 1000 });
  asked[2]!.answer(5000);
  await settle();
  expect(answer.fault).toBeNull();
  expect(answer.list?.peek(1000)?.key).toBe("old 1000");
});

test("a question that something else called off is asked again; one that fails can be tried again", async () => {
  asked[0]!.fail("interrupted");
  await settle();
  asked[1]!.fail("io");
  await settle();
  expect(answer.fault?.code).toBe("io");
  answer.retry();
  flushSync();
  asked[2]!.answer(1);
  await settle();
  expect([answer.fault, answer.list?.total]).toEqual([null, 1]);
});

test("the same question asked again has what is in sight before the lines change", async () => {
  asked[0]!.answer(5000);
  await settle();
  void answer.list?.want(1000, 1040);
  asked[1]!.answer(5000);
  await settle();
  const before = answer.list;
  work.generation += 1;
  flushSync();
  asked[2]!.answer(4999);
  await settle();
  expect(answer.list).toBe(before);
  asked[3]!.answer(4999);
  await settle();
  expect([answer.list?.total, answer.list?.peek(1000)?.key, answer.key]).toEqual([
    4999,
    "old 1000",
    JSON.stringify({ text: "old" }),
  ]);
});
