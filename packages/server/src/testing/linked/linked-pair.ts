import { type Carrier, ProcessLink } from '../../lib/processes/process-link.ts';

interface LinkedPair {
  links: readonly [ProcessLink, ProcessLink];
  /** Messages between the two ends. */
  sent: unknown[][];
  /** The first end receives nothing until `resume`, like a suspended process. */
  freeze(): void;
  resume(): void;
}

/** Two ends of a link in one process. Messages are copied, as between processes. */
export function linkedPair(): LinkedPair {
  const sent: unknown[][] = [];
  const receivers: ((messages: unknown) => void)[] = [];
  const pending: unknown[] = [];
  let isFrozen = false;
  const deliver = (end: number, messages: unknown): void => {
    if (end === 0 && isFrozen) pending.push(messages);
    else receivers[end]?.(messages);
  };
  const carrier = (end: number): Carrier => ({
    send(messages) {
      sent.push(messages);
      const copy: unknown = structuredClone(messages);
      setImmediate(() => deliver(1 - end, copy));
    },
    listen: (hear) => void (receivers[end] = hear),
  });
  return {
    links: [new ProcessLink(carrier(0)), new ProcessLink(carrier(1))],
    sent,
    freeze: () => void (isFrozen = true),
    resume() {
      isFrozen = false;
      for (const messages of pending.splice(0)) receivers[0]?.(messages);
    },
  };
}
