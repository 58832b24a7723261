// Chooses what stands behind the door. The mock is a chunk of its own: the window never loads it.
import type { Backend } from "./backend";
import type { Fault } from "./generated/dto";

declare global {
  interface Window {
    __TAURI_INTERNALS__?: unknown;
  }
}

async function choose(): Promise<Backend> {
  if (window.__TAURI_INTERNALS__ !== undefined) return (await import("./tauri")).tauri;
  return (await import("./mock")).mock(new URLSearchParams(location.search).get("mock") ?? "sample");
}

let chosen: Promise<Backend> | undefined;

/** The backend of this page. */
export function backend(): Promise<Backend> {
  return (chosen ??= choose());
}

/** Puts another backend in place; for tests. */
export function useBackend(instead: Backend): void {
  chosen = Promise.resolve(instead);
}

/** What a rejected call says. Anything that is not a fault becomes one, so that it is shown and not lost. */
export function asFault(error: unknown): Fault {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string") {
    return { params: {}, detail: "", ...(error as object), code: error.code };
  }
  return { code: "unexpected", params: {}, detail: error instanceof Error ? error.message : String(error) };
}
