import { useSyncExternalStore } from 'react';

/** A value outside of React with subscribers, for the few values that are used everywhere. */
export interface Store<T> {
  get: () => T;
  set: (value: T) => void;
  use: () => T;
}

export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = () => value;
  return {
    get,
    set: (next) => {
      value = next;
      listeners.forEach((listener) => listener());
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
