import { logType } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LogTable, logs } from '../../store/index.ts';
import { body } from '../../testing/upstream/fake-upstream-faults.ts';
import { chat, chatEvents, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, delta, errorBody, event } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

// A vendor that reports one side of its usage has answered: the gateway counts the other side (docs/money.md).

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('ModelRatio', JSON.stringify({ m: 1, claude: 1 }));
  await gate.addChannel({ models: 'm' });
  await gate.addChannel({ models: 'claude', type: 14 });
});
afterAll(() => gate.close());

type Row = Pick<LogTable, 'prompt_tokens' | 'completion_tokens' | 'quota' | 'other'>;

/** Called when the answer of a call has begun. */
let begun: () => void = () => undefined;

/** Row of one call that the fake upstream answers with its current script. */
async function readRow(
  model: string,
  stream: boolean,
  path = '/v1/chat/completions',
  balance = 5_000_000,
): Promise<Row> {
  const caller = await gate.addCaller({ balance });
  const answer = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      max_tokens: 200,
      messages: [{ role: 'user', content: 'Say a few words, please.' }],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    }),
  });
  begun();
  expect(answer.status).toBe(200);
  await answer.text();
  await gate.core.ledger.flush();
  const { rows } = await logs.list(
    gate.core.store.db,
    { userId: caller.userId, type: logType.consume },
    { offset: 0, limit: 1 },
  );
  return rows[0]!;
}

describe.each([
  ['in one piece', false, false],
  ['as a stream', true, false],
  ['as a stream that comes at once', true, true],
])('an incomplete usage %s', (_, stream, atOnce) => {
  const script = (usage: Record<string, number> | null) =>
    gate.upstream.script(chat({ usage: usage as never, usageWhen: 'always', atOnce }));

  it('is completed by a count of the missing half', async () => {
    script(null);
    const counted = await readRow('m', stream);
    expect(counted.prompt_tokens).toBeGreaterThan(0);
    expect(counted.completion_tokens).toBeGreaterThan(0);
    for (const usage of [{ prompt_tokens: 30 }, { prompt_tokens: 30, completion_tokens: 0 }]) {
      script(usage);
      const row = await readRow('m', stream);
      expect(row).toMatchObject({ prompt_tokens: 30, completion_tokens: counted.completion_tokens });
      expect(JSON.parse(row.other)).toMatchObject({ usage_source: 'counted' });
    }
    script({ prompt_tokens: 0, completion_tokens: 20, total_tokens: 20 });
    const free = await readRow('m', stream);
    expect(free).toMatchObject({ prompt_tokens: 0, completion_tokens: 20 });
    expect(JSON.parse(free.other)).toMatchObject({ usage_source: 'upstream' });
    script({ completion_tokens: 20 });
    const row = await readRow('m', stream);
    expect(row).toMatchObject({ prompt_tokens: counted.prompt_tokens, completion_tokens: 20 });
    expect(JSON.parse(row.other)).toMatchObject({ usage_source: 'counted' });
  });

  it('is completed from the total where there is one', async () => {
    script({ completion_tokens: 20, total_tokens: 50 });
    expect(await readRow('m', stream)).toMatchObject({ prompt_tokens: 30, completion_tokens: 20 });
    script({ prompt_tokens: 30, total_tokens: 50 });
    expect(await readRow('m', stream)).toMatchObject({ prompt_tokens: 30, completion_tokens: 20 });
  });
});

it.each(['/v1/messages', '/v1/chat/completions'])(
  'is completed for Messages too, asked by %s',
  async (path) => {
    const answer = (usage: object) =>
      body(
        JSON.stringify({
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude',
          content: [{ type: 'text', text: 'A few words of an answer.' }],
          stop_reason: 'end_turn',
          usage,
        }),
      );
    gate.upstream.script(answer({ output_tokens: 20 }));
    const input = await readRow('claude', false, path);
    expect(input.prompt_tokens).toBeGreaterThan(5);
    expect(input.completion_tokens).toBe(20);
    gate.upstream.script(answer({ input_tokens: 30, output_tokens: 0 }));
    const output = await readRow('claude', false, path);
    expect(output.prompt_tokens).toBe(30);
    expect(output.completion_tokens).toBeGreaterThan(3);
  },
);

describe('a stream that fails after its usage', () => {
  it.each([
    ['the vendor reports less than was delivered', 2],
    ['more was reported than was delivered', 5_000],
  ])('costs the lesser of the report and our count: %s', async (_, reported) => {
    gate.upstream.next(chat({ usage: null }));
    const { completion_tokens: counted } = await readRow('m', true);
    const delivery = new Promise<void>((resolve) => {
      begun = resolve;
    });
    gate.upstream.next(async (exchange) => {
      const usage = { prompt_tokens: 10, completion_tokens: reported, total_tokens: 10 + reported };
      const events = chatEvents(exchange, { usage, usageWhen: 'always', done: false });
      exchange.head(200, sseHeaders);
      for (const one of events) await exchange.write(one);
      await delivery;
      await exchange.end(event(errorBody('it broke', 'server_error', null)));
    });
    expect((await readRow('m', true)).completion_tokens).toBe(Math.min(reported, counted));
  });

  it('costs the report that comes with what the balance does not cover, if that is less', async () => {
    const words = 'one two three four five six seven eight nine ten ';
    gate.upstream.next(async (exchange) => {
      const usage = { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 };
      exchange.head(200, sseHeaders);
      await exchange.write(event(chatChunk('m', [delta({ content: words.repeat(3) })])));
      await exchange.turn();
      await exchange.end(event(chatChunk('m', [delta({ content: words.repeat(20) })], usage)));
    });
    const row = await readRow('m', true, '/v1/chat/completions', 150);
    expect(JSON.parse(row.other)).toMatchObject({ end_reason: 'quota_exhausted', usage_source: 'upstream' });
    expect(row).toMatchObject({ prompt_tokens: 5, completion_tokens: 6 });
  });
});
