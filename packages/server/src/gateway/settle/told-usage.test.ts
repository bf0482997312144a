import { afterAll, beforeAll, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';

// A caller who requests the usage gets it from every server: the charged usage, marked as the gateway's count if the
// server reported none.

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'gpt-4o-mini', setting: JSON.stringify({ protocols: 'chat' }) });
  gate.upstream.script(chat({ usage: null }));
});
afterAll(() => gate.close());

const model = 'gpt-4o-mini';
const messages = [{ role: 'user', content: 'How are you today?' }];
const contents = [{ role: 'user', parts: [{ text: 'How are you today?' }] }];

interface Told {
  usage?: Record<string, unknown>;
  usageMetadata?: Record<string, unknown>;
  response?: Told;
}

const google = '/v1beta/models/gpt-4o-mini';
const asks: [string, string, object, [input: string, output: string]][] = [
  ['chat', '/v1/chat/completions', { model, messages }, ['prompt_tokens', 'completion_tokens']],
  [
    'chat, streamed',
    '/v1/chat/completions',
    { model, messages, stream: true, stream_options: { include_usage: true } },
    ['prompt_tokens', 'completion_tokens'],
  ],
  ['Messages', '/v1/messages', { model, messages, max_tokens: 99 }, ['input_tokens', 'output_tokens']],
  [
    'Messages, streamed',
    '/v1/messages',
    { model, messages, max_tokens: 99, stream: true },
    ['input_tokens', 'output_tokens'],
  ],
  ['Responses', '/v1/responses', { model, input: 'How are you?' }, ['input_tokens', 'output_tokens']],
  [
    'Responses, streamed',
    '/v1/responses',
    { model, input: 'How are you?', stream: true },
    ['input_tokens', 'output_tokens'],
  ],
  ['Gemini', `${google}:generateContent`, { contents }, ['promptTokenCount', 'candidatesTokenCount']],
  [
    'Gemini, streamed',
    `${google}:streamGenerateContent?alt=sse`,
    { contents },
    ['promptTokenCount', 'candidatesTokenCount'],
  ],
];

async function ask(path: string, body: object) {
  const caller = await gate.addCaller();
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  await gate.core.ledger.flush();
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
  const objects = text.startsWith('{')
    ? [text]
    : [...text.matchAll(/^data: (\{.*\})/gm)].map(([, data]) => data!);
  const told = objects.map((each) => JSON.parse(each) as Told);
  return { text, row: rows[0]!, told };
}

it.each(asks)(
  '%s tells what is charged, and that it was counted here',
  async (_name, path, body, [input, output]) => {
    const { text, row, told } = await ask(path, body);
    const usages = told.map(
      ({ usage, usageMetadata, response }) => usage ?? usageMetadata ?? response?.usage,
    );
    const last = usages.findLast((usage) => usage);
    expect(last, text).toMatchObject({
      [input]: row.prompt_tokens,
      [output]: row.completion_tokens,
      source: 'counted',
    });
    expect(row.completion_tokens).toBeGreaterThan(0);
  },
);

it('a chat that did not ask for the usage of its stream is told none', async () => {
  const { text, told } = await ask('/v1/chat/completions', { model, messages, stream: true });
  expect(text).toContain('[DONE]');
  expect(told.every(({ usage }) => !usage)).toBe(true);
});

it('the chunk with the usage comes before the end marker, under the name of the others', async () => {
  const { text, told } = await ask('/v1/chat/completions', {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  const names = (chunk: object | undefined) => {
    const { id, object, model: named } = chunk as Record<string, unknown>;
    return { id, object, named };
  };
  expect(names(told.at(-1))).toEqual(names(told.at(0)));
  expect(told.at(-1)).toMatchObject({ choices: [] });
});
