import { type Carrier, ProcessLink } from '../../lib/processes/process-link.ts';

interface LinkedPair {
  links: readonly [ProcessLink, ProcessLink];
  /** The messages that went between them. */
  sent: unknown[][];
  /** The first end hears nothing, as a process that is frozen, until `wake`. */
  freeze(): void;
  wake(): void;
}

/** Two ends of a link in one process. What is sent is copied, as between processes. */
export function linkedPair(): LinkedPair {
  const sent: unknown[][] = [];
  const hears: ((messages: unknown) => void)[] = [];
  const unheard: unknown[] = [];
  let isFrozen = false;
  const deliver = (end: number, messages: unknown): void => {
    if (end === 0 && isFrozen) unheard.push(messages);
    else hears[end]?.(messages);
  };
  const carrier = (end: number): Carrier => ({
    send(messages) {
      sent.push(messages);
      const copy: unknown = structuredClone(messages);
      setImmediate(() => deliver(1 - end, copy));
    },
    listen: (hear) => void (hears[end] = hear),
  });
  return {
    links: [new ProcessLink(carrier(0)), new ProcessLink(carrier(1))],
    sent,
    freeze: () => void (isFrozen = true),
    wake() {
      isFrozen = false;
      for (const messages of unheard.splice(0)) hears[0]?.(messages);
    },
  };
}
