/** @module-tag deep */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { product } from '@tollgate/contract';
import { generateText, type LanguageModel, stepCountIs, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { logs, runs } from '../../store/index.ts';
import { playModel } from '../../testing/model/fake-model.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { waitUntilSettled } from '../../testing/worlds/limited-calls.ts';

// An agent whose model asks for its tool for ever is stopped by the limit of its run, with an error that its SDK reads.

let gate: GatewayHarness;
const models = { chat: 31, responses: 1, 'claude-played': 14, 'gemini-played': 24 } as const;
beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set(
    'ModelRatio',
    JSON.stringify(Object.fromEntries(Object.keys(models).map((name) => [name, 30]))),
  );
  for (const [name, type] of Object.entries(models)) await gate.addChannel({ type, models: name });
  gate.upstream.script(playModel(() => ({ call: 'weather', input: { city: 'Paris' } })));
});
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

interface Access {
  apiKey: string;
  headers: Record<string, string>;
}
const sdks: Record<string, (access: Access) => LanguageModel> = {
  'Chat Completions': (access) => createOpenAI({ ...access, baseURL: `${gate.url}/v1` }).chat('chat'),
  Responses: (access) => createOpenAI({ ...access, baseURL: `${gate.url}/v1` })('responses'),
  Messages: (access) => createAnthropic({ ...access, baseURL: `${gate.url}/v1` })('claude-played'),
  Gemini: (access) => createGoogleGenerativeAI({ ...access, baseURL: `${gate.url}/v1beta` })('gemini-played'),
};

/** $0.05 in quota units. */
const most = 25_000;
const english = { 'accept-language': 'en' };

async function madeKey(caller: TestCaller): Promise<Access & { run: string }> {
  const answer = await fetch(`${gate.url}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}` },
    body: JSON.stringify({ max: 0.05 }),
  });
  const { key, run } = (await answer.json()) as { key: string; run: string };
  return { apiKey: key, headers: english, run };
}
const named = ({ key }: TestCaller): Access & { run: string } => ({
  apiKey: key,
  headers: { ...english, [product.headers.run]: 'agent; max=0.05' },
  run: 'agent',
});

describe.each(Object.keys(sdks))('an endless loop of tools in %s', (protocol) => {
  it.each([
    ['the key of its run', madeKey],
    ['the header of its run', named],
  ] as const)(
    'ends at the limit by %s, spends no unit more, and has a row for each unit',
    async (_, access) => {
      const caller = await gate.addCaller();
      const { run, ...credentials } = await access(caller);
      let turns = 0;
      const weather = tool({
        description: 'The weather of a city',
        inputSchema: z.object({ city: z.string() }),
        execute: () => Promise.resolve(`${(turns += 1)} degrees`),
      });
      const model = sdks[protocol]!(credentials);
      const loop = { prompt: 'What is the weather?', tools: { weather }, stopWhen: stepCountIs(500) };
      await expect(generateText({ model, ...loop, maxRetries: 0 })).rejects.toMatchObject({
        name: 'AI_APICallError',
        statusCode: 403,
        message: expect.stringContaining(`The limit of the run ${run}`),
      });
      await waitUntilSettled(gate);
      const { db } = gate.core.store;
      const [row] = await runs.find(db, caller.userId, [run]);
      const { used, held, calls } = row!;
      expect(turns).toBeGreaterThan(1);
      expect([held, calls]).toEqual([0, turns]);
      expect(used).toBeLessThanOrEqual(most);
      expect((await gate.readBalance(caller)).balance).toBe(5_000_000 - used);
      const filter = { userId: caller.userId, tags: [{ name: 'run', value: run }] };
      const { quota } = await logs.stat(db, filter, 0);
      expect(quota).toBe(used);
    },
  );
});
