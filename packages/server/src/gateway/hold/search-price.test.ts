import { logType } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'my-search-preview,my-model,gpt-4.1' });
  await gate.core.settings.set('ModelRatio', '{"my-search-preview": 1, "my-model": 1, "gpt-4.1": 1}');
  caller = await gate.addCaller();
});
afterAll(() => gate.close());

const chatAnswer = json({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
const responsesAnswer = json({
  id: 'r',
  object: 'response',
  status: 'completed',
  created_at: 1,
  model: 'm',
  output: [{ type: 'web_search_call', id: 'w', status: 'completed', action: { type: 'search', query: 'x' } }],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
});

/** Price of 1,000 searches in the row of a call, in dollars. */
async function readPrice(path: string, body: object): Promise<unknown> {
  gate.upstream.next(path === '/v1/responses' ? responsesAnswer : chatAnswer);
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  const all = { start_timestamp: 0, end_timestamp: 0, username: '', token_name: '', model_name: '' };
  const filters = { ...all, type: logType.consume, channel: 0, group: '', request_id: '' };
  const { items } = await gate.core.logs.list(filters, { page: 1, pageSize: 1 });
  return (JSON.parse(items[0]!.other) as { web_search_price?: number }).web_search_price;
}

describe('a web search', () => {
  it('is charged by the context size, in chats', async () => {
    const model = 'my-search-preview';
    const messages = [{ role: 'user', content: 'x' }];
    const chat = (web_search_options?: object) =>
      readPrice('/v1/chat/completions', {
        model,
        messages,
        ...(web_search_options && { web_search_options }),
      });
    expect(await chat()).toBe(27.5);
    expect(await chat({})).toBe(27.5);
    expect(await chat({ search_context_size: 'low' })).toBe(25);
    expect(await chat({ search_context_size: 'high' })).toBe(30);
  });

  it('is charged by the context size in responses, under every name of the tool', async () => {
    const ask = (tool: object) =>
      readPrice('/v1/responses', { model: 'my-model', input: 'x', tools: [tool] });
    expect(await ask({ type: 'web_search_preview' })).toBe(27.5);
    expect(await ask({ type: 'web_search_preview', search_context_size: 'low' })).toBe(25);
    expect(await ask({ type: 'web_search', search_context_size: 'high' })).toBe(30);
    expect(await ask({ type: 'function', name: 'f', search_context_size: 'high' }), 'another tool').toBe(
      27.5,
    );
  });

  it('costs more by OpenAI’s older tool than by its newer one, where the model does not reason', async () => {
    const ask = (type: string) =>
      readPrice('/v1/responses', { model: 'gpt-4.1', input: 'x', tools: [{ type }] });
    expect([await ask('web_search'), await ask('web_search_2025_08_26')]).toEqual([10, 10]);
    expect([await ask('web_search_preview'), await ask('web_search_preview_2025_03_11')]).toEqual([25, 25]);
  });
});
