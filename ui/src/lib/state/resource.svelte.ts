// Something that is loaded, shown while it is loaded, and may fail. Late answers of earlier questions are ignored.
import { asFault } from "../backend";
import type { Fault } from "../backend/generated/dto";

export interface Resource<T> {
  readonly value: T | undefined;
  readonly fault: Fault | null;
  readonly loading: boolean;
  reload(): void;
}

/** Loads again whenever what `load` reads before its first `await` changes. Call while a component is made. */
export function resource<T>(load: () => Promise<T> | undefined): Resource<T> {
  let value = $state.raw<T | undefined>(undefined);
  let fault = $state.raw<Fault | null>(null);
  let loading = $state(true);
  let again = $state(0);
  let asked = 0;

  $effect(() => {
    void again;
    const answer = load();
    const mine = ++asked;
    if (!answer) {
      loading = false;
      return;
    }
    loading = true;
    answer.then(
      (got) => {
        if (mine !== asked) return;
        value = got;
        fault = null;
        loading = false;
      },
      (error: unknown) => {
        if (mine !== asked) return;
        fault = asFault(error);
        loading = false;
      },
    );
  });

  return {
    get value() {
      return value;
    },
    get fault() {
      return fault;
    },
    get loading() {
      return loading;
    },
    reload() {
      again += 1;
    },
  };
}
