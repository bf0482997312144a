import { Suspense, useState, type ReactNode } from 'react';

interface LazyMountProps {
  /** True while it is wanted. */
  when: boolean;
  /** Parts made by `lazy`. */
  children: ReactNode;
}

/**
 * What opens over a page: its code comes with its first use, so that the page itself is small. It then stays mounted,
 * to close the way it opened.
 */
export function LazyMount({ when, children }: LazyMountProps) {
  const [used, setUsed] = useState(when);
  if (when && !used) setUsed(true);
  return used ? <Suspense fallback={null}>{children}</Suspense> : null;
}
