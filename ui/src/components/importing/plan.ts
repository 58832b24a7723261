// What a plan comes to under a choice of sources and actions.
import type { ImportPlan, ImportRequest } from "../../lib/backend/generated/dto";

/** The plans that an import acts on. */
export const ACTIONS = ["new", "grown", "changed", "metadata"] as const;
export type Action = (typeof ACTIONS)[number];

export const countOf = (counts: readonly { code: string; count: number }[], code: string): number =>
  counts.find((count) => count.code === code)?.count ?? 0;

/** How many conversations the choice comes to; `null` where a source was not previewed, so that nobody knows. */
export function amount(plan: ImportPlan, sources: ReadonlySet<string>, actions: ReadonlySet<string>): number | null {
  const meant = plan.sources.filter((source) => source.enabled && sources.has(source.source));
  if (meant.some((source) => !source.previewed)) return null;
  return meant.reduce(
    (sum, source) => sum + ACTIONS.filter((a) => actions.has(a)).reduce((n, a) => n + countOf(source.actions, a), 0),
    0,
  );
}

/** The request for a choice. All actions are written as none, so that a plan made later counts too. */
export function request(
  plan: ImportPlan,
  sources: ReadonlySet<string>,
  actions: ReadonlySet<string>,
  keys: readonly string[],
  verify: boolean,
): ImportRequest {
  return {
    sources: plan.sources
      .filter((source) => source.enabled && sources.has(source.source))
      .map((source) => source.source),
    keys: [...keys],
    actions:
      ACTIONS.every((action) => actions.has(action)) || keys.length
        ? []
        : ACTIONS.filter((action) => actions.has(action)),
    verify,
  };
}
