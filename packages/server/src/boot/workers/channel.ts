import type { Serializable } from 'node:child_process';
import type { Carrier } from '../../lib/processes/process-link.ts';

/** A process at the other end of Node's channel between parent and child; either side looks like this. */
export interface Peer {
  send?(message: Serializable, done: (error: Error | null) => void): boolean;
  on(event: 'message', hear: (message: unknown) => void): unknown;
}

/** Sends messages over Node's channel. Messages to a process that has ended are lost. */
export const overChannel = (peer: Peer): Carrier => ({
  send: (messages) => void peer.send?.(messages as Serializable, () => undefined),
  listen: (hear) => void peer.on('message', hear),
});
