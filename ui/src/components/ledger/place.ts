// Which row of a source's table was opened last, so that coming back finds it.
const rows = new Map<string, number>();

export const place = {
  of: (source: string): number => rows.get(source) ?? 0,
  keep: (source: string, index: number): void => void rows.set(source, index),
};
