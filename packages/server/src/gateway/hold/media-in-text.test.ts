import { type Bill, checkBill, logType } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { countRequest, countText } from '../../relay/token-count.ts';
import { createTokenCounter } from '../../lib/token-count/token-counter.ts';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { answerEvents, type Piece } from '../../testing/upstream/answer-events.ts';
import { imageOf, soundOf } from '../../testing/upstream/answer-media.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';

// Images and sound within the text of a chat are charged like its words, at any end of the answer (docs/money.md).

const painter = 'gemini-2.5-flash-image';
const speaker = 'gpt-4o-audio-preview';
const image = imageOf(1_024, 1_024);
/** Tokens of an image of 1,024 by 1,024, by Google's table. */
const imageTokens = 1_290;

const counter = createTokenCounter();
let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 24, models: painter });
  await gate.addChannel({ type: 1, models: speaker });
  const each = (value: number) => JSON.stringify({ [painter]: value, [speaker]: value });
  await gate.core.settings.setMany({
    ModelRatio: each(1),
    CompletionRatio: each(1),
    ImageCompletionRatio: each(1),
    RetryTimes: '0',
  });
});
afterAll(async () => {
  await gate.close();
  await counter.close();
});

const asked: Record<string, [path: string, body: JsonObject]> = {
  painted: [
    `/v1beta/models/${painter}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: 'Paint twice' }] }] },
  ],
  whole: [
    `/v1beta/models/${painter}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text: 'Paint twice' }] }] },
  ],
  drawn: [
    '/v1/responses',
    { model: speaker, stream: true, input: 'Draw a cat', tools: [{ type: 'image_generation' }] },
  ],
  spoken: [
    '/v1/chat/completions',
    {
      model: speaker,
      stream: true,
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'pcm16' },
      messages: [{ role: 'user', content: 'Say hello' }],
    },
  ],
};

const readInput = (name: keyof typeof asked): Promise<number> => {
  const protocol = name === 'spoken' ? 'openai-chat' : name === 'drawn' ? 'openai-responses' : 'gemini';
  return countRequest(counter, protocol, asked[name]![1], protocol === 'gemini' ? painter : speaker);
};

/** Receives all text that has reached the caller. */
let hear: (text: string) => void = () => undefined;

/** Resolves when the caller has read these words. */
const heard = (words: string): Promise<void> =>
  new Promise((resolve) => {
    hear = (text) => text.includes(words) && resolve();
  });

/**
 * The upstream streams these pieces. With `last`, it breaks off before its usage, after the caller has read `last`.
 */
function say(protocol: 'gemini' | 'openai-chat' | 'openai-responses', pieces: Piece[], last?: string): void {
  const isBroken = last !== undefined;
  const delivered = heard(last ?? '');
  gate.upstream.next(async (exchange) => {
    exchange.head(200, sseHeaders);
    const events = answerEvents[protocol]({ pieces, input: 9, output: 2 * imageTokens });
    for (const one of isBroken ? events.slice(0, protocol === 'openai-chat' ? -3 : -1) : events) {
      if (exchange.isGone) return;
      await exchange.write(one);
      await exchange.turn();
    }
    if (isBroken) return delivered.then(() => exchange.fin());
    await exchange.end();
  });
}

async function send(name: keyof typeof asked, caller: TestCaller): Promise<{ status: number; text: string }> {
  const [path, body] = asked[name]!;
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const chunks: Uint8Array[] = [];
  // A stream that breaks off is read up to the break.
  await (async () => {
    for await (const chunk of answer.body!) {
      chunks.push(chunk);
      hear(Buffer.concat(chunks).toString());
    }
  })().catch(() => undefined);
  await expect.poll(() => gate.relay.gateway.running.size, { interval: 2 }).toBe(0);
  await gate.core.ledger.flush();
  return { status: answer.status, text: Buffer.concat(chunks).toString() };
}

/** Row of a caller's only call; the terms of the row explain it. */
async function readRow(caller: TestCaller) {
  const filters = { userId: caller.userId, type: logType.consume };
  const { rows } = await logs.list(gate.core.store.db, filters, { offset: 0, limit: 9 });
  expect(rows).toHaveLength(1);
  const other = JSON.parse(rows[0]!.other) as { usage_source: string; receipt: Omit<Bill, 'quota'> };
  expect(checkBill({ quota: rows[0]!.quota, ...other.receipt })).toBe(true);
  const terms = Object.fromEntries(other.receipt.terms.map(({ what, count }) => [what, count]));
  return { quota: rows[0]!.quota, source: other.usage_source, terms };
}

async function writtenOff(): Promise<number> {
  const rows = await gate.core.store.db.selectFrom('ledger').select('writeoff_delta').execute();
  return rows.reduce((sum, { writeoff_delta: delta }) => sum - delta, 0);
}

describe('an answer with images', () => {
  it('ends with the balance before the image that is not paid for, and is charged for what came', async () => {
    const input = await readInput('painted');
    const caller = await gate.addCaller({ balance: input + imageTokens + 200 });
    say('gemini', ['Look: ', { media: image }, ' and ', { media: image }]);
    const { text } = await send('painted', caller);
    expect(text.split('inlineData')).toHaveLength(2);
    expect(text).toContain('quota');
    const output = await countText(counter, 'Look:  and ', painter);
    const row = await readRow(caller);
    expect(row).toMatchObject({ source: 'estimated', terms: { input, output, imageOutput: imageTokens } });
    expect((await gate.readBalance(caller)).balance).toBe(200 - output);
    expect(await writtenOff()).toBe(0);
  });

  it('is held and charged at the price of images, where they have one of their own', async () => {
    await gate.core.settings.set('ImageCompletionRatio', JSON.stringify({ [painter]: 10 }));
    try {
      const input = await readInput('painted');
      for (const isPaid of [false, true]) {
        const caller = await gate.addCaller({ balance: imageTokens * 10 + (isPaid ? input + 200 : -1) });
        say('gemini', ['Look: ', { media: image }, ' and ', 'more'], isPaid ? ' and ' : 'Look');
        const { text } = await send('painted', caller);
        expect(text.includes('inlineData')).toBe(isPaid);
        const output = await countText(counter, isPaid ? 'Look:  and ' : 'Look: ', painter);
        const { quota, terms } = await readRow(caller);
        expect(quota).toBe(input + output + (isPaid ? imageTokens * 10 : 0));
        expect(terms.imageOutput).toBe(isPaid ? imageTokens : undefined);
      }
      expect(await writtenOff()).toBe(0);
    } finally {
      await gate.core.settings.set('ImageCompletionRatio', JSON.stringify({ [painter]: 1 }));
    }
  });

  it('is charged for the images that came where it breaks off before its usage', async () => {
    const input = await readInput('painted');
    const caller = await gate.addCaller({ balance: 100_000 });
    say('gemini', [{ media: image }, ' and ', 'more'], ' and ');
    const { text } = await send('painted', caller);
    expect(text).toContain('inlineData');
    expect(await readRow(caller)).toMatchObject({
      source: 'estimated',
      terms: { input, imageOutput: imageTokens },
    });
  });

  it('in one piece is delivered whole or not at all, however large: who cannot pay for it pays the input', async () => {
    const input = await readInput('whole');
    const large = Buffer.concat([Buffer.from(image.base64, 'base64'), Buffer.alloc(1_500_000, 7)]);
    const parts = [{ inlineData: { mimeType: 'image/png', data: large.toString('base64') } }];
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: imageTokens,
      totalTokenCount: input + imageTokens,
    };
    const body = JSON.stringify({
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata,
    });
    for (const balance of [input + 100, input + imageTokens]) {
      const caller = await gate.addCaller({ balance });
      gate.upstream.next(async (exchange) => {
        exchange.head(200, { 'content-type': 'application/json' });
        for (let at = 0; at < body.length; at += 100_000) await exchange.write(body.slice(at, at + 100_000));
        await exchange.end();
      });
      const isPaid = balance > input + imageTokens - 1;
      const { status, text } = await send('whole', caller);
      expect(status).toBe(isPaid ? 200 : 403);
      expect(text === body).toBe(isPaid);
      expect((await readRow(caller)).quota).toBe(isPaid ? input + imageTokens : input);
    }
    expect(await writtenOff()).toBe(0);
  });
});

describe('an answer with sound', () => {
  it('is charged for its seconds at the price of sound where it breaks off before its usage', async () => {
    const ratio = JSON.stringify({ [speaker]: 10 });
    await gate.core.settings.setMany({
      AudioRatio: ratio,
      AudioCompletionRatio: JSON.stringify({ [speaker]: 2 }),
    });
    const input = await readInput('spoken');
    const caller = await gate.addCaller({ balance: 100_000 });
    const spoken: Piece[] = [{ media: soundOf(1.01) }, { media: soundOf(1.02) }, 'ends'];
    say('openai-chat', spoken, 'ends');
    await send('spoken', caller);
    // Twenty tokens per second, as OpenAI counts.
    const row = await readRow(caller);
    expect(row).toMatchObject({ source: 'estimated', terms: { input, audioOutput: 41 } });
    expect(row.quota).toBe(input + 41 * 20 + (await countText(counter, 'ends', speaker)));
  });
});

describe('an image that a tool of Responses draws', () => {
  /** Tokens of an image of 1,024 by 1,024, by OpenAI's table for its best quality. */
  const drawnTokens = 4_160;

  it('is charged for what came where the answer breaks off before its usage', async () => {
    const caller = await gate.addCaller({ balance: 100_000 });
    say('openai-responses', [{ media: image }, 'done'], 'done');
    const { text } = await send('drawn', caller);
    expect(text).toContain(image.base64);
    // The image, and the single part of it sent before.
    expect(await readRow(caller)).toMatchObject({
      source: 'estimated',
      terms: { input: await readInput('drawn'), imageOutput: drawnTokens + 100 },
    });
  });

  it.each([
    [
      'by the image where the usage is of the model alone',
      {},
      { input: 9, output: 12, imageOutput: drawnTokens },
    ],
    [
      'as the vendor counts it beside the usage',
      {
        tool_usage: {
          image_gen: {
            input_tokens: 30,
            input_tokens_details: { image_tokens: 10, text_tokens: 20 },
            output_tokens: 515,
          },
        },
      },
      { input: 29, imageInput: 10, output: 12, imageOutput: 515 },
    ],
    [
      'once where the usage has it',
      { usage: { input_tokens: 9, output_tokens: 512, output_tokens_details: { image_tokens: 500 } } },
      { input: 9, output: 12, imageOutput: 500 },
    ],
  ])('is charged %s', async (_, fields, terms) => {
    const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: image.base64 };
    const usage = { input_tokens: 9, output_tokens: 12, total_tokens: 21 };
    const whole = { id: 'resp_1', object: 'response', status: 'completed', output: [item], usage, ...fields };
    const events = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ].map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`);
    for (const cut of [true, false]) {
      const caller = await gate.addCaller({ balance: 100_000 });
      gate.upstream.next(async (exchange) => {
        exchange.head(200, sseHeaders);
        // One event at a time, and all events in one read.
        for (const piece of cut ? events : [events.join('')]) {
          await exchange.write(piece);
          await exchange.turn();
        }
        await exchange.end();
      });
      const { text } = await send('drawn', caller);
      expect(text).toContain('response.completed');
      expect(await readRow(caller)).toMatchObject({ source: 'upstream', terms });
    }
    expect(await writtenOff()).toBe(0);
  });
});
