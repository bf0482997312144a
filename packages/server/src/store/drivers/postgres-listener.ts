import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { product } from '@tollgate/contract';
import type { Client } from 'pg';
import { changesChannel } from '../dialects/postgres.ts';
import type { PoolOptions } from './pool-options.ts';

/** A connection that listens until it is closed. */
export interface ChangeListener {
  close(): Promise<void>;
}

interface ListenOptions extends Pick<PoolOptions, 'connectTimeoutMs' | 'onConnectionError'> {
  onChange: () => void;
}

/** Pauses between attempts to connect, in ms: short at first, because a cut connection usually works again at once. */
const firstPauseMs = 50;
const longestPauseMs = 2_000;

/**
 * Maximum time for the server to close a connection. After it the socket is destroyed, because a silent connection does
 * not reach the server.
 */
const closeWithinMs = 1_000;

async function end(client: Client): Promise<void> {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const timer = setTimeout(() => stream.destroy(), closeWithinMs);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/**
 * Listens for announced changes on a separate connection. A broken connection is opened again, and `onChange` is
 * called at each new one. A proxy that shares connections between statements forwards no announcements, so callers
 * must also poll.
 */
export function listenForChanges(url: string, options: ListenOptions): ChangeListener {
  const closing = new AbortController();
  let client: Client | undefined;

  const listenOnce = async (): Promise<void> => {
    const { default: pg } = await import('pg');
    const connection = new pg.Client({
      connectionString: url,
      application_name: `${product.id} changes`,
      connectionTimeoutMillis: options.connectTimeoutMs,
      keepAlive: true,
    });
    client = connection;
    const over = Promise.withResolvers<void>();
    connection.on('error', (error) => {
      if (!closing.signal.aborted) options.onConnectionError(error);
      over.resolve();
    });
    connection.on('end', () => over.resolve());
    connection.on('notification', () => options.onChange());
    try {
      await connection.connect();
      await connection.query(`listen ${changesChannel}`);
      pauseMs = firstPauseMs;
      if (closing.signal.aborted) return;
      options.onChange();
      await over.promise;
    } finally {
      await end(connection);
    }
  };

  let pauseMs = firstPauseMs;
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        if (!closing.signal.aborted)
          options.onConnectionError(error instanceof Error ? error : new Error(String(error)));
      });
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  };
  const ended = run();

  return {
    async close() {
      closing.abort();
      if (client) await end(client);
      await ended;
    },
  };
}
