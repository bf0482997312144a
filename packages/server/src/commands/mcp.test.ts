import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { role, selfApi } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled, bundledEnv } from '../testing/bundled.ts';
import { type House, openHouse, operatorCalls, testPassword } from '../testing/harness.ts';

let house: House;
let env: Record<string, string>;

beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls });
  const root = await house.person('root', { role: role.root });
  const made = await root.must(
    selfApi.createAccessToken,
    { name: 'mcp', scope: 'all', days: 1 },
    { password: testPassword },
  );
  const url = await house.app.listen({ port: 0, host: '127.0.0.1' });
  const { token } = made as { token: string };
  env = { ...bundledEnv(), TOLLGATE_URL: url, TOLLGATE_TOKEN: token, TOLLGATE_USER: String(root.userId) };
});
afterAll(() => house.close());

/** Runs `work` with the official client, connected to the command. */
async function using(words: readonly string[], work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [bundled('mcp'), ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

/** What a tool answers: its text, and whether it was refused. */
async function use(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const [{ text }] = content as [{ text: string }];
  return { text, isError: isError === true };
}

describe('management by a model', () => {
  it('reads, and neither offers nor makes a change', async () => {
    await using([], async (client) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['list_calls', 'describe_call', 'read']);
      const { text } = await use(client, 'list_calls');
      expect(text).toContain('tokens.list');
      expect(text).not.toMatch(/^tokens\.create /m);
      expect((await use(client, 'describe_call', { name: 'tokens.list' })).text).toContain('GET /api/token/');
      expect((await use(client, 'read', { name: 'tokens.list', fields: { size: 5 } })).text).toBe('[]');
      for (const [tool, call] of [
        ['read', 'tokens.create'],
        // It makes a new token, although it is a GET.
        ['read', 'account.accessToken'],
        ['change', 'tokens.create'],
        ['change', 'tokens.list'],
        ['describe_call', 'no.call'],
      ] as const)
        expect((await use(client, tool, { name: call, fields: { name: 'x' } })).isError).toBe(true);
      expect((await use(client, 'read', { name: 'tokens.list' })).text).toBe('[]');
    });
  });

  it('makes changes if it is asked to, and says why one is refused', async () => {
    await using(['--write'], async (client) => {
      const fields = { name: 'of a model', remain_quota: 5_000 };
      expect(await use(client, 'change', { name: 'tokens.create', fields })).toMatchObject({
        isError: false,
      });
      const listed = await use(client, 'read', { name: 'tokens.list' });
      expect(JSON.parse(listed.text)).toMatchObject([fields]);
      const refused = await use(client, 'change', { name: 'tokens.remove', fields: { id: 999_999 } });
      expect(refused).toEqual({ isError: true, text: expect.stringMatching(/\S/) as unknown });
    });
  });
});
