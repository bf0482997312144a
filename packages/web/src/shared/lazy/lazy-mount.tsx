import { Suspense, useState, type ReactNode } from 'react';

interface LazyMountProps {
  /** True while it is open. */
  when: boolean;
  /** Lazy components. */
  children: ReactNode;
}

/**
 * Loads a dialog or drawer on first use, so that the page itself is small. It then stays mounted for its closing
 * transition.
 */
export function LazyMount({ when, children }: LazyMountProps) {
  const [used, setUsed] = useState(when);
  if (when && !used) setUsed(true);
  return used ? <Suspense fallback={null}>{children}</Suspense> : null;
}
