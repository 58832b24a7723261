// Code as a list of coloured pieces. The grammar's tree becomes plain data that a component draws as text;
// nothing here makes markup. The grammars are a chunk of their own that is fetched when the first code is shown.
import type { ElementContent, Root } from "hast";

export interface Piece {
  text: string;
  /** Classes of the piece; empty for plain text. */
  class: string;
}

type Lowlight = { highlight(language: string, text: string): Root; registered(name: string): boolean };
let loaded: Promise<Lowlight> | undefined;
const grammars = () => (loaded ??= import("lowlight").then(({ common, createLowlight }) => createLowlight(common)));

/** More than this is shown plain: colouring it would hold the window up. */
const LIMIT = 60_000;

function flatten(nodes: readonly (ElementContent | Root["children"][number])[], name: string, into: Piece[]): void {
  for (const node of nodes) {
    if (node.type === "text") into.push({ text: node.value, class: name });
    else if (node.type === "element") {
      const own = node.properties.className;
      flatten(node.children, Array.isArray(own) ? own.join(" ") : name, into);
    }
  }
}

/** The pieces of a code, or `null` where it is better shown plain. */
export async function highlight(text: string, language: string): Promise<Piece[] | null> {
  if (!language || text.length > LIMIT) return null;
  const lowlight = await grammars();
  const name = language.toLowerCase();
  if (!lowlight.registered(name)) return null;
  const pieces: Piece[] = [];
  flatten(lowlight.highlight(name, text).children, "", pieces);
  return pieces;
}
