import { price, type Usage } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { buildPrice } from '../../../testing/build-price.ts';
import { feed, writerOptions } from '../../../testing/protocols/build-relay.ts';
import { readStream } from '../../../testing/protocols/codec-bench.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { BodyKind } from '../../types/index.ts';
import { anthropicMessages } from '../anthropic-messages/index.ts';
import { gemini } from './index.ts';

const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 };
const grounding = (...webSearchQueries: string[]) => ({ groundingMetadata: { webSearchQueries } });
const body = (
  candidate: JsonObject,
  more: JsonObject = {},
  modelVersion = 'gemini-3-pro-preview',
): JsonObject => ({
  candidates: [{ content: { parts: [{ text: 'a' }] }, index: 0, ...candidate }],
  modelVersion,
  ...more,
});
const stop = { finishReason: 'STOP' };
const events = (...bodies: JsonObject[]): Buffer =>
  Buffer.from(bodies.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join(''));

/** Number of searches charged for an answer that passes unchanged. */
function passed(kind: BodyKind, bytes: Buffer): number | undefined {
  const setup = { kind, contentType: '', hideUsage: false, secrets: [], rewrite: undefined };
  const pipe = gemini.outbound.openPipe(setup);
  return feed(pipe, [bytes]).end.usage?.webSearchCalls;
}

/** The last usage in a translated answer. */
function translated(bytes: Buffer): Usage | undefined {
  const reported = readStream(gemini.codec!, [bytes]).filter((event) => event.type === 'usage');
  return reported.at(-1)?.usage;
}

describe('searches with Google', () => {
  test.each<[string, number, JsonObject[]]>([
    ['none', 0, [body(stop, { usageMetadata })]],
    ['with the end', 2, [body({}), body({ ...stop, ...grounding('a', 'b') }, { usageMetadata })]],
    ['before the usage', 1, [body(grounding('a')), body(stop, { usageMetadata })]],
    ['behind the usage', 1, [body({}, { usageMetadata }), body({ ...stop, ...grounding('a') })]],
    [
      'told twice, and one more',
      2,
      [body(grounding('a'), { usageMetadata }), body({ ...stop, ...grounding('a', 'b') }, { usageMetadata })],
    ],
    ['without a query', 0, [body({ ...stop, ...grounding() }, { usageMetadata })]],
  ])('%s: %d', (_name, count, bodies) => {
    expect(passed('stream', events(...bodies))).toBe(count);
    expect(translated(events(...bodies))?.webSearchCalls).toBe(count);
  });

  test('are counted in whole answers', () => {
    const whole = body({ ...stop, ...grounding('a', 'b') }, { usageMetadata });
    expect(passed('json', Buffer.from(JSON.stringify(whole)))).toBe(2);
  });

  test('of models before the third generation are one for each answer', () => {
    const old = body({ ...stop, ...grounding('a', 'b') }, { usageMetadata }, 'gemini-2.5-flash');
    expect(passed('stream', events(old))).toBe(1);
    expect(translated(events(old))?.webSearchCalls).toBe(1);
  });

  test('do not make a report without output a billable usage', () => {
    const early = { usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } };
    expect(passed('stream', events(body({ ...stop, ...grounding('a') }, early)))).toBeUndefined();
  });

  test('are on the bill, and reported to callers whose protocol counts them', () => {
    const answer = events(body({ ...stop, ...grounding('a', 'b') }, { usageMetadata }));
    const snapshot = buildPrice({ webSearchPrice: 14 });
    // Six tokens, and two searches at 14 dollars per thousand.
    expect(price(translated(answer)!, snapshot).quota).toBe(6 + (2 * 14 * 500_000) / 1_000);
    const written = anthropicMessages.codec!.writeAnswer(
      readStream(gemini.codec!, [answer]),
      writerOptions(),
    );
    expect(written.usage).toMatchObject({ server_tool_use: { web_search_requests: 2 } });
  });
});
