// The layers of a strata bar. The order is fixed: what stays first, what goes last.
import type { Disposition, Strata } from "../../lib/backend/generated/dto";

export const ORDER: readonly Disposition[] = ["kept", "folded", "recovered", "dropped", "unknown", "pending"];

export const total = (strata: Strata): number => ORDER.reduce((sum, of) => sum + strata[of], 0);

export const layers = (strata: Strata): { of: Disposition; bytes: number }[] =>
  ORDER.map((of) => ({ of, bytes: strata[of] })).filter((layer) => layer.bytes > 0);
