import type { JsonObject } from '../../../lib/json.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../gateway-harness.ts';
import { pollTasks } from '../../poll-tasks.ts';
import { type CloudStorage, startCloudStorage } from './cloud-storage.ts';
import type { VideoFarSide } from './far-side.ts';
import { type Vendor, vendors } from './vendors.ts';

/** One gateway in front of all video vendors. */
export interface VendorsWorld {
  gate: GatewayHarness;
  /** Storage of the Vertex videos. */
  storage: CloudStorage;
  sideOf(vendor: Vendor): VideoFarSide;
  /** Creates a user with a balance; `strange` for a user whose channels have keys unknown to the vendors. */
  enter(strange?: 'strange'): Promise<Guest>;
  /** Polls every open task. */
  poll(): Promise<void>;
  close(): Promise<void>;
}

/** A user of video models. */
export interface Guest {
  caller: TestCaller;
  ask(path: string, body?: JsonObject): Promise<{ status: number; body: JsonObject }>;
  /** The bytes at a path, or a part of them. */
  fetch(path: string, range?: string): Promise<{ status: number; text: string; type: string | null }>;
  /** Spent amount in quota units. */
  spent(): Promise<number>;
}

const start = 5_000_000;
/** Dollars per second of every model, and the same in quota units. */
const price = 0.1;
export const secondUnits = 50_000;
/** The group of the channels with unknown keys. */
const strangers = 'vip';

/** Opens it on SQLite. */
export async function openVendorsWorld(): Promise<VendorsWorld> {
  const gate = await openGateway();
  const prices = Object.fromEntries(vendors.map(({ model }) => [model, price]));
  await gate.core.settings.set('ModelPrice', JSON.stringify(prices));
  const sides = new Map<Vendor, VideoFarSide>();
  for (const vendor of vendors) sides.set(vendor, await vendor.start());
  const sideOf = (vendor: Vendor): VideoFarSide => sides.get(vendor)!;
  const storage = await startCloudStorage(sideOf(vendors.find(({ type }) => type === 41)!).port);
  for (const vendor of vendors) await addChannels(gate, vendor, sideOf(vendor), storage);
  return {
    gate,
    storage,
    sideOf,
    async enter(strange) {
      const group = strange ? strangers : 'default';
      return guestOf(gate, await gate.addCaller({ balance: start, allowance: start, group }));
    },
    poll: () => pollTasks(gate),
    async close() {
      await gate.close();
      await storage.close();
      for (const side of sides.values()) await side.close();
    },
  };
}

/** Adds a channel with the vendor's key, and one with an unknown key for `strangers`. */
async function addChannels(
  gate: GatewayHarness,
  vendor: Vendor,
  side: VideoFarSide,
  { proxy }: CloudStorage,
): Promise<void> {
  const { type, model, channel } = vendor;
  const { right, strange } = vendor.keys(side);
  // Cloud Storage has one global host name, so only a proxy leads to this server.
  const setting = type === 41 ? { setting: JSON.stringify({ proxy }) } : {};
  const shared = { type, base_url: side.url, models: model, ...channel, ...setting };
  await gate.addChannel({ ...shared, key: right, group: 'default' });
  await gate.addChannel({ ...shared, key: strange, group: strangers });
}

function guestOf(gate: GatewayHarness, caller: TestCaller): Guest {
  const headers = { authorization: `Bearer ${caller.key}` };
  return {
    caller,
    async ask(path, body) {
      const answer = await fetch(gate.url + path, {
        method: body ? 'POST' : 'GET',
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as JsonObject };
    },
    async fetch(path, range) {
      const answer = await fetch(gate.url + path, {
        headers: { ...headers, ...(range !== undefined && { range }) },
      });
      const type = answer.headers.get('content-type');
      return { status: answer.status, text: await answer.text(), type };
    },
    spent: async () => start - (await gate.readBalance(caller)).balance,
  };
}
