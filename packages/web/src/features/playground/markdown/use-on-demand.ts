import { useEffect, useState } from 'react';

const arrived = new Map<() => Promise<unknown>, unknown>();

/**
 * What `load` resolves to, once `wanted`; null while it comes, if it fails, and before it is wanted. It is there at once in
 * every later use.
 *
 * @param load - a function that stays the same
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
