import { type Bill, checkBill, logType } from '@tollgate/contract';
import OpenAI from 'openai';
import { expect } from 'vitest';
import type { Sleep } from '../../lib/clock.ts';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../gateway-harness.ts';

/** Replacement for the waits of providers. Tests read and control them; no time passes. */
class Waits {
  /** Requested durations, in ms. */
  readonly asked: number[] = [];
  /** While true, a wait lasts until its request ends. */
  isHeld = false;
  private begun = Promise.withResolvers<void>();

  readonly sleep: Sleep = (ms, signal) => {
    this.asked.push(ms);
    this.begun.resolve();
    if (!this.isHeld) return Promise.resolve();
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };

  /** Resolves when a wait begins. */
  get aWait(): Promise<void> {
    return this.begun.promise;
  }

  clear(): void {
    this.asked.length = 0;
    this.isHeld = false;
    this.begun = Promise.withResolvers<void>();
  }
}

/** Content of every downloaded file. */
export const fetchedImage = Buffer.from('an image from its address');

/** A caller with a balance on a real gateway, and the cost of its image and audio calls. */
export interface MediaWorld {
  gate: GatewayHarness;
  waits: Waits;
  /** Addresses of downloaded files. */
  fetched: string[];
  caller: TestCaller;
  openai: OpenAI;
  /** Starts again with a new caller. `balance` is in quota units. */
  begin(balance?: number): Promise<void>;
  spent(): Promise<number>;
  /** The only log row of the caller. Its receipt must add up to its charge. */
  row(): Promise<
    Omit<Awaited<ReturnType<typeof logs.list>>['rows'][number], 'other'> & { other: LogDetails }
  >;
  /** Waits until no call runs, and checks the ledger. */
  inOrder(): Promise<void>;
}

type LogDetails = Record<string, unknown> & { receipt: Omit<Bill, 'quota'> };

/** Opens a gateway with providers that do not wait or download. */
export async function openMediaWorld(): Promise<MediaWorld> {
  const waits = new Waits();
  const fetched: string[] = [];
  const gate = await openGateway(
    {},
    {
      sleep: waits.sleep,
      fetchFile(url) {
        fetched.push(url);
        return Promise.resolve({ mediaType: 'image/png', base64: fetchedImage.toString('base64') });
      },
    },
  );
  let given = 0;
  const world: MediaWorld = {
    gate,
    waits,
    fetched,
    caller: await gate.addCaller(),
    openai: new OpenAI({ apiKey: 'nobody' }),
    async begin(balance = 5_000_000) {
      waits.clear();
      fetched.length = 0;
      given = balance;
      world.caller = await gate.addCaller({ balance });
      world.openai = new OpenAI({ apiKey: world.caller.key, baseURL: `${gate.url}/v1`, maxRetries: 0 });
    },
    spent: async () => given - (await gate.readBalance(world.caller)).balance,
    async row() {
      await world.inOrder();
      const { rows } = await logs.list(
        gate.core.store.db,
        { userId: world.caller.userId, type: logType.consume },
        { offset: 0, limit: 5 },
      );
      expect(rows).toHaveLength(1);
      const other = JSON.parse(rows[0]!.other) as LogDetails;
      expect(checkBill({ quota: rows[0]!.quota, ...other.receipt })).toBe(true);
      return { ...rows[0]!, other };
    },
    async inOrder() {
      await expect.poll(() => gate.relay.gateway.running.size, { timeout: 10_000 }).toBe(0);
      await gate.core.ledger.flush();
      expect(await gate.openHolds()).toBe(0);
      expect(await gate.findings()).toEqual([]);
    },
  };
  return world;
}
