// What a terminal printed: its colours become classes, its other signs go, a line that was written over shows what it
// said last. Deliberately absent: moving about the screen; a log is read from top to bottom.

export interface Run {
  text: string;
  /** Names of classes: `c1`…`c6`, `bold`, `dim`. */
  class: string;
}

const SIGN = /\u001b\[([0-9;:?]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

interface Style {
  colour: number;
  bold: boolean;
  dim: boolean;
}
const plain = (): Style => ({ colour: 0, bold: false, dim: false });

function apply(style: Style, codes: string): Style {
  const next = { ...style };
  const numbers = codes.split(/[;:]/).map(Number);
  for (let i = 0; i < numbers.length; i += 1) {
    const code = numbers[i] ?? 0;
    if (code === 0) Object.assign(next, plain());
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 22) [next.bold, next.dim] = [false, false];
    else if ((code >= 31 && code <= 36) || (code >= 91 && code <= 96)) next.colour = code % 10;
    else if (code === 30 || code === 37 || code === 39 || code === 90 || code === 97) next.colour = 0;
    else if (code === 38 || code === 48) i += numbers[i + 1] === 5 ? 2 : 4;
  }
  return next;
}

const classOf = (style: Style): string =>
  [style.colour ? `c${style.colour}` : "", style.bold ? "bold" : "", style.dim ? "dim" : ""].filter(Boolean).join(" ");

/** What a line says at last, where carriage returns begin it anew. One at its end takes nothing away. */
const last = (line: string): string => {
  const texts = line.split("\r");
  return texts.findLast((text) => text.replace(SIGN, "").trim()) ?? texts.at(-1) ?? "";
};
const overwritten = (text: string): string => (text.includes("\r") ? text.split("\n").map(last).join("\n") : text);

export function runs(text: string): Run[] {
  const all: Run[] = [];
  let style = plain();
  let done = 0;
  const put = (piece: string) => {
    const clean = piece.replace(CONTROL, "");
    if (!clean) return;
    const name = classOf(style);
    const last = all.at(-1);
    if (last && last.class === name) last.text += clean;
    else all.push({ text: clean, class: name });
  };
  const shown = overwritten(text);
  for (const sign of shown.matchAll(SIGN)) {
    put(shown.slice(done, sign.index));
    if (sign[2] === "m") style = apply(style, sign[1] ?? "");
    done = sign.index + sign[0].length;
  }
  put(shown.slice(done));
  return all;
}
