import { useEffect, useState } from 'react';

const arrived = new Map<() => Promise<unknown>, unknown>();

/**
 * The result of `load`, once `wanted`; null while it loads, if it fails, and before it is wanted. Later uses have it at
 * once.
 *
 * @param load - a function that keeps its identity
 */
export function useOnDemand<T>(load: () => Promise<T>, wanted: boolean): T | null {
  const [, setLoads] = useState(0);
  const has = arrived.has(load);
  useEffect(() => {
    if (!wanted || has) return;
    let gone = false;
    load().then(
      (value) => {
        arrived.set(load, value);
        if (!gone) setLoads((loads) => loads + 1);
      },
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [load, wanted, has]);
  return wanted && has ? (arrived.get(load) as T) : null;
}
