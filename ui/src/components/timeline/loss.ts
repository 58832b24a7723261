// What counts as a loss when a person looks for the next one.
import type { Disposition } from "../../lib/backend/generated/dto";

export const isLoss = (of: Disposition): boolean => of === "dropped" || of === "unknown";
