import type { Socket } from 'node:net';
import type { PoolOptions } from './pool-options.ts';

const silent = (ms: number): Error =>
  Object.assign(new Error(`a connection to the database was silent for ${ms} ms`), { code: 'ETIMEDOUT' });

/** How long a connection may be silent, in ms. */
export const silenceOf = ({ silenceMs, idleTransactionMs }: PoolOptions): number =>
  silenceMs ?? idleTransactionMs + 5_000;

/**
 * Breaks a connection that brings no byte for so long while it is used, as `setTimeout` on its socket says: a firewall or an
 * address translation that has forgotten it lets nothing through and says so to nobody, and the kernel would wait for hours.
 * What ran on it fails as on any broken connection. Before that `isWorking` asks on another connection whether the server still
 * works for this one: a long statement, or a commit that waits for a standby, is left alone.
 */
export function breakWhenSilent(socket: Socket, isWorking: () => Promise<boolean>): void {
  const examine = async (): Promise<void> => {
    const { bytesRead, timeout: ms = 0 } = socket;
    const isBusy = await isWorking().catch(() => false);
    // Given back, or heard of, meanwhile.
    if (socket.destroyed || !socket.timeout || socket.bytesRead > bytesRead) return;
    if (isBusy) socket.setTimeout(ms);
    else socket.destroy(silent(ms));
  };
  socket.on('timeout', () => void examine());
}
