// JSON as it was written: cut into its fields and set out over lines without being read as values, so that no number,
// no order and no spelling changes. Deliberately absent: telling whether it is sound; whoever calls knows that.

const STRING = /"(?:[^"\\]|\\.)*"/y;
const SPACE = /[\s]*/y;
const SCALAR = /[^\s,:{}[\]"]+/y;

const at = (pattern: RegExp, text: string, from: number): string => {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? "";
};

/** A sound JSON text over lines. */
export function indented(text: string): string {
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (let i = 0; i < text.length;) {
    i += at(SPACE, text, i).length;
    const sign = text[i];
    if (sign === undefined) break;
    if (sign === '"') {
      const word = at(STRING, text, i);
      out += word;
      i += word.length || 1;
    } else if (sign === "{" || sign === "[") {
      const inside = i + 1 + at(SPACE, text, i + 1).length;
      if (text[inside] === "}" || text[inside] === "]") {
        out += sign + text[inside];
        i = inside + 1;
        continue;
      }
      depth += 1;
      out += sign + line();
      i += 1;
    } else if (sign === "}" || sign === "]") {
      depth = Math.max(0, depth - 1);
      out += line() + sign;
      i += 1;
    } else if (sign === ",") {
      out += sign + line();
      i += 1;
    } else if (sign === ":") {
      out += ": ";
      i += 1;
    } else {
      const word = at(SCALAR, text, i);
      out += word;
      i += word.length || 1;
    }
  }
  return out;
}

/** The fields of a sound JSON object as they were written: name and value. */
export function fieldsOf(text: string): [name: string, value: string][] {
  const fields: [string, string][] = [];
  let depth = 0;
  let name: string | null = null;
  let from = 0;
  const end = (to: number) => {
    if (name !== null) fields.push([name, text.slice(from, to).trim()]);
    name = null;
  };
  for (let i = 0; i < text.length;) {
    const sign = text[i];
    if (sign === '"') {
      const word = at(STRING, text, i);
      if (depth === 1 && name === null) {
        name = JSON.parse(word) as string;
        i += word.length;
        i += at(SPACE, text, i).length + 1;
        from = i;
      } else i += word.length || 1;
      continue;
    }
    if (sign === "{" || sign === "[") depth += 1;
    else if (sign === "}" || sign === "]") {
      if (depth === 1) end(i);
      depth -= 1;
    } else if (sign === "," && depth === 1) end(i);
    i += 1;
  }
  return fields;
}
