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

/** The latest few whose title, project or id holds the text. Where one place cannot be asked, the others are. */
export async function titled(text: string): Promise<Titled[]> {
  const b = await backend();
  const library = app.state?.library;
  const none = { rows: [] };
  const here = library && !library.fault && (library.conversations > 0 || library.older);
  const previewed = app.sources.filter(({ source }) => app.views[source]?.strata);
  const [kept, ...pages] = await Promise.all([
    here ? b.kept({ ...asked(plain).query, text, limit: FEW }).catch(() => none) : none,
    ...previewed.map(({ source }) =>
      b.conversations(source, "full", { ...askedRows(plain), text, limit: FEW }).catch(() => none),
    ),
  ]);
  const known = new Set(kept.rows.map((row) => `${row.source}/${row.id}`));
  const others = pages.flatMap((page) => page.rows).filter((row) => !known.has(`${row.source}/${row.id}`));
  return [
    ...kept.rows.map((row) => ({ ...row, path: ["library", "c", row.key] })),
    ...others.map((row) => ({ ...row, path: ["acceptance", row.source, "c", row.key] })),
  ]
    .slice(0, FEW)
    .map(({ source, title, project, path }) => ({ source, title, project, path }));
}
