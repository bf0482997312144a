/** @module-tag deep */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openGateway } from '../../packages/server/src/testing/gateway-harness.ts';
import { fakeBatches } from '../../packages/server/src/testing/upstream/fake-batches.ts';
import { fakeGoogleBatches } from '../../packages/server/src/testing/upstream/fake-google-batches.ts';
import { fakeGoogleFiles } from '../../packages/server/src/testing/upstream/fake-google-files.ts';
import { healthy } from '../../packages/server/src/testing/upstream/fake-upstream-scripts.ts';
import { chatBody, usageBody } from '../../packages/server/src/testing/upstream/fake-upstream-wire.ts';

const home = join(import.meta.dirname, 'python');
const isInstalled = existsSync(join(home, 'venv/installed.txt'));
const missing = isInstalled ? '' : ' (python/venv is missing)';
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Hello!' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 4 },
};
const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello!' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 14 },
};

it.skipIf(!isInstalled)(
  `batches of the official Python clients run from the first file to the last result${missing}`,
  { timeout: 180_000 },
  async () => {
    const gate = await openGateway();
    const files = fakeGoogleFiles(healthy());
    const ofGoogle = fakeGoogleBatches(files.behaviour, Date.now, files);
    const vendor = fakeBatches(ofGoogle.behaviour);
    gate.upstream.script(vendor.behaviour);
    await gate.core.settings.set(
      'ModelRatio',
      JSON.stringify({ claude: 1, 'gpt-4o-mini': 1, 'gemini-2.5-flash': 1 }),
    );
    await gate.addChannel();
    await gate.addChannel({ type: 14, models: 'claude' });
    await gate.addChannel({ type: 24, models: 'gemini-2.5-flash' });
    const { key } = await gate.addCaller();
    const chat = chatBody('gpt-4o-mini', 'Hello!', usageBody(10, 4)) as Record<string, unknown>;
    const hurry = async (): Promise<void> => {
      for (const [id, { lines, object }] of vendor.batches)
        if (lines.length === 0 && object['status'] !== 'completed')
          vendor.end(id, () => ({ answer: 'processing_status' in object ? message : chat }));
      for (const [name, { operation }] of ofGoogle.batches)
        if (operation['done'] !== true) ofGoogle.end(name, () => ({ response: generated }));
      const due = gate.core.store.db.updateTable('tasks').set({ next_poll: 1 }).where('next_poll', '<>', 0);
      await due.execute();
      await gate.relay.house.poller.run();
    };
    const timer = setInterval(() => void hurry(), 300);
    try {
      const env = { ...process.env, SITE: gate.url, KEY: key };
      const run = promisify(execFile)(join(home, 'venv/bin/python'), [join(home, 'batches.py')], { env });
      expect(JSON.parse((await run).stdout)).toEqual({
        openai: [['a', 'b'], true],
        anthropic: [
          [
            ['a', 'succeeded'],
            ['b', 'succeeded'],
          ],
          true,
        ],
        google: [
          [
            ['a', 'Hello!'],
            ['b', 'Hello!'],
          ],
          [true],
          [],
          ['a', 'b'],
        ],
      });
      await expect.poll(() => gate.openHolds()).toBe(0);
      expect(await gate.findings()).toEqual([]);
    } finally {
      clearInterval(timer);
      await gate.close();
    }
  },
);
