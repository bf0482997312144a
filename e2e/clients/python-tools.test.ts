/** @module-tag deep */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openGateway } from '../../packages/server/src/testing/gateway-harness.ts';
import { startToolServer } from '../../packages/server/src/testing/upstream/tool-server.ts';

const home = join(import.meta.dirname, 'python');
const isInstalled = globSync(join(home, 'venv/lib/*/site-packages/mcp')).length > 0;
const missing = isInstalled ? '' : ' (skipped: python/requirements.txt is not installed)';
const tools = ['weather__add', 'weather__refuses', 'weather__slow'];

test.skipIf(!isInstalled)(
  `Python's official client lists and calls tools${missing}`,
  async () => {
    const gate = await openGateway();
    const server = await startToolServer();
    try {
      await gate.addChannel({ type: 9002, base_url: server.url, key: '', models: tools.join(',') });
      const prices = Object.fromEntries(tools.map((name) => [name, 0.01]));
      await gate.core.settings.set('ModelPrice', JSON.stringify(prices));
      const caller = await gate.addCaller({ balance: 1_000_000 });
      const { stdout } = await promisify(execFile)(
        join(home, 'venv/bin/python'),
        ['-B', join(home, 'mcp_tools.py')],
        { env: { PATH: process.env['PATH'], TOLLGATE_URL: gate.url, TOLLGATE_KEY: caller.key } },
      );
      expect(JSON.parse(stdout)).toEqual({
        server: 'Tollgate',
        tools,
        added: '5',
        slow: 'slow but there',
        progress: [
          [1, 2, 'step 1'],
          [2, 2, 'step 2'],
        ],
        refused: expect.stringContaining('the city is missing') as string,
      });
      expect(await gate.readBalance(caller)).toEqual({ balance: 990_000, held: 0 });
    } finally {
      await server.close();
      await gate.close();
    }
  },
  120_000,
);
