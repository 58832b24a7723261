// Conversations by what is typed in the command palette: of the library, and of what was previewed and is not in it.
import { backend } from "../../lib/backend";
import { app } from "../../lib/state/app.svelte";
import { asked } from "../../lib/state/library.svelte";
import { asked as askedRows } from "../../lib/state/rows.svelte";

export interface Titled {
  source: string;
  title: string;
  project: string;
  path: string[];
}

const FEW = 6;
const plain = new URLSearchParams();

/** The latest few whose title, project or id holds the text. */
export async function titled(text: string): Promise<Titled[]> {
  const b = await backend();
  const library = app.state?.library;
  const kept =
    library && !library.fault && (library.conversations || library.older)
      ? (await b.kept({ ...asked(plain).query, text, limit: FEW })).rows
      : [];
  const found: Titled[] = kept.map((row) => ({
    source: row.source,
    title: row.title,
    project: row.project,
    path: ["library", "c", row.key],
  }));
  const known = new Set(kept.map((row) => `${row.source}/${row.id}`));
  for (const { source } of app.sources) {
    if (found.length >= FEW || !app.views[source]?.strata) continue;
    const page = await b.conversations(source, "full", { ...askedRows(plain), text, limit: FEW });
    for (const row of page.rows)
      if (!known.has(`${row.source}/${row.id}`) && found.length < FEW)
        found.push({
          source,
          title: row.title,
          project: row.project,
          path: ["acceptance", source, "c", row.key],
        });
  }
  return found;
}
