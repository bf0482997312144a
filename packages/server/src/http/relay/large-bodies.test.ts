import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';

// No body delays other callers: slow work runs in an event-loop turn of its own, or is refused.

const models = { own: 'gpt-4o-mini', translated: 'claude-x' };
let gate: GatewayHarness;
let caller: TestCaller;
beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 1, models: models.own });
  await gate.addChannel({ type: 14, models: models.translated });
  const one = JSON.stringify(Object.fromEntries(Object.values(models).map((name) => [name, 1])));
  await gate.core.settings.setMany({ ModelRatio: one, CompletionRatio: one });
  caller = await gate.addCaller({ balance: 1_000_000_000_000 });
});
afterAll(() => gate.close());
afterEach(() => vi.restoreAllMocks());

const post = (body: string): Promise<Response> =>
  fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body,
  });

const messages = '[{"role":"user","content":"hi"}]';
const members = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');

it.each([
  ['more fields than any vendor has', `${members(1_001)},"messages":${messages}`],
  ['300,000 members of one object', `"messages":${messages},"metadata":{${members(300_000)}}`],
  ['100,000 messages', `"messages":[${`${messages.slice(1, -1)},`.repeat(100_000)}{}]`],
  ['a list of 9 million numbers', `"messages":${messages},"logit_bias":[${'7,'.repeat(9_000_000)}7]`],
  ['20 MB of blanks', `"messages":${messages}${' '.repeat(21_000_000)}`],
])('a body of %s is refused before anything is held or sent', async (_, fields) => {
  const sent = gate.upstream.requests.length;
  const answer = await post(`{"model":"${models.own}",${fields}}`);
  expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('body')]);
  expect(gate.upstream.requests).toHaveLength(sent);
});

it.each(Object.entries(models))(
  'a large request is sent as it is, one step in a turn: %s',
  async (way, model) => {
    gate.upstream.script(json({ error: { message: 'no' } }, 400));
    const content = 'word "quoted" 中文 '.repeat(400_000);
    const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content }] });
    let turn = 0;
    let isOver = false;
    const nextTurn = (): void => {
      turn += 1;
      if (!isOver) setImmediate(nextTurn);
    };
    const steps: [string, number][] = [];
    const { parse, stringify } = JSON;
    const from = Buffer.from.bind(Buffer);
    const note = <T>(step: string, isLarge: boolean, result: T): T => {
      if (isLarge) steps.push([step, turn]);
      return result;
    };
    vi.spyOn(JSON, 'parse').mockImplementation((text: string) =>
      note('parse', text.length > 4_000_000, parse(text) as unknown),
    );
    vi.spyOn(JSON, 'stringify').mockImplementation((...given: Parameters<typeof stringify>) => {
      const text = stringify(...given);
      return note('stringify', text?.length > 4_000_000, text);
    });
    vi.spyOn(Buffer, 'from').mockImplementation(((...given: [string]) =>
      note(
        'bytes',
        typeof given[0] === 'string' && given[0].length > 4_000_000,
        from(...given),
      )) as typeof from);
    const asked = post(body);
    nextTurn();
    const answer = await asked;
    isOver = true;
    vi.restoreAllMocks();
    expect(answer.status).toBe(400);
    expect(steps.map(([step]) => step)).toEqual(way === 'own' ? ['parse'] : ['parse', 'stringify', 'bytes']);
    expect(new Set(steps.map(([, at]) => at)).size).toBe(steps.length);
    const sent = gate.upstream.requests.at(-1)!.json() as { messages: unknown };
    expect(JSON.stringify(sent.messages).includes(content.slice(0, 5))).toBe(true);
    expect(JSON.stringify(sent).length).toBeGreaterThan(content.length);
  },
);
