import { type Carrier, ProcessLink } from '../../lib/processes/process-link.ts';

/** Two ends of a link in one process, and the messages that went between them. What is sent is copied, as between processes. */
export function linkedPair(): { links: readonly [ProcessLink, ProcessLink]; sent: unknown[][] } {
  const sent: unknown[][] = [];
  const hears: ((messages: unknown) => void)[] = [];
  const carrier = (end: number): Carrier => ({
    send(messages) {
      sent.push(messages);
      const copy: unknown = structuredClone(messages);
      setImmediate(() => hears[1 - end]?.(copy));
    },
    listen: (hear) => void (hears[end] = hear),
  });
  return { links: [new ProcessLink(carrier(0)), new ProcessLink(carrier(1))], sent };
}
