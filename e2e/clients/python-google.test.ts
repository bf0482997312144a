/** @module-tag deep */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openGateway } from '../../packages/server/src/testing/gateway-harness.ts';
import { fakeGoogleFiles } from '../../packages/server/src/testing/upstream/fake-google-files.ts';
import { json } from '../../packages/server/src/testing/upstream/fake-upstream-scripts.ts';

const home = join(import.meta.dirname, 'python');
const isInstalled = existsSync(join(home, 'venv/installed.txt'));

it.skipIf(!isInstalled)(
  "Google's Python client leaves files and content with Google, in parts without a key",
  { timeout: 120_000 },
  async () => {
    const gate = await openGateway();
    try {
      const candidates = [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }];
      const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 1 };
      const vendor = fakeGoogleFiles(json({ candidates, usageMetadata }));
      gate.upstream.script(vendor.behaviour);
      const terms = { 'gemini-2.5-flash': { cacheStorage: 1 } };
      await gate.core.settings.set('PriceTerms', JSON.stringify(terms));
      for (const key of ['AIza-1', 'AIza-2'])
        await gate.addChannel({ type: 24, name: key, key, models: 'gemini-2.5-flash' });
      const caller = await gate.addCaller();
      const { stdout } = await promisify(execFile)(
        join(home, 'venv/bin/python'),
        ['-B', join(home, 'google_kept.py')],
        {
          env: {
            ...(process.env['PATH'] !== undefined && { PATH: process.env['PATH'] }),
            TOLLGATE_URL: gate.url,
            TOLLGATE_KEY: caller.key,
          },
        },
      );
      expect(JSON.parse(stdout)).toEqual([
        [9_000_000, 'ACTIVE', true, 'ok', 0],
        [true, 'ok', 0],
      ]);
      expect([vendor.files.size, vendor.caches.size]).toEqual([0, 0]);
      await gate.core.ledger.flush();
      expect([await gate.openHolds(), await gate.findings()]).toEqual([0, []]);
    } finally {
      await gate.close();
    }
  },
);
