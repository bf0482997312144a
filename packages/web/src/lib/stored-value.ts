import { useSyncExternalStore } from 'react';

/** The text format of a value. `read` returns undefined for invalid text. */
export interface Codec<T> {
  read: (text: string) => T | undefined;
  write: (value: T) => string;
}

/** A typed value of local storage, shared by all components and synchronized with the other tabs. */
export interface StoredValue<T, Fallback = T> {
  readonly key: string;
  get: () => T | Fallback;
  /** Writes a value; `undefined` removes the key, so that the fallback applies again. */
  set: (value: T | undefined) => void;
  subscribe: (listener: () => void) => () => void;
  use: () => T | Fallback;
}

/** Private windows and full disks throw; the value is then in memory only. */
function readText(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

function writeText(key: string, text: string | null): void {
  try {
    if (text === null) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, text);
  } catch {
    // The value stays in memory for this visit.
  }
}

/** Declares a key of local storage. The parsed value is cached, so `get` returns the same object until it changes. */
export function storedValue<T, Fallback = T>(
  key: string,
  fallback: Fallback,
  codec: Codec<T>,
): StoredValue<T, Fallback> {
  const listeners = new Set<() => void>();
  const parse = (text: string | null): T | Fallback =>
    text === null ? fallback : (codec.read(text) ?? fallback);
  let value = parse(readText(key));
  const notify = () => listeners.forEach((listener) => listener());

  window.addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return;
    value = parse(event.newValue);
    notify();
  });

  const self: StoredValue<T, Fallback> = {
    key,
    get: () => value,
    set: (next) => {
      value = next ?? fallback;
      writeText(key, next === undefined ? null : codec.write(next));
      notify();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    use: () => useSyncExternalStore(self.subscribe, self.get),
  };
  return self;
}

/** Text as it is. */
export const asText: Codec<string> = { read: (text) => text, write: (value) => value };
/** The strings `true` and `false`. */
export const asFlag: Codec<boolean> = { read: (text) => text === 'true', write: String };

/** One of the listed words. */
export const asChoice = <T extends string>(choices: readonly T[]): Codec<T> => ({
  read: (text) => choices.find((choice) => choice === text),
  write: (value) => value,
});

/** A whole number among the listed ones. */
export const asOneOf = <T extends number>(choices: readonly T[]): Codec<T> => ({
  read: (text) => choices.find((choice) => choice === Number(text)),
  write: String,
});

/** JSON that passes `check`; anything else counts as absent. */
export const asJson = <T>(check: (value: unknown) => value is T): Codec<T> => ({
  read: (text) => {
    try {
      const value: unknown = JSON.parse(text);
      return check(value) ? value : undefined;
    } catch {
      return undefined;
    }
  },
  write: (value) => JSON.stringify(value),
});
