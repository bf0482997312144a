/** @module-tag deep */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';

// JSON with tens of thousands of levels can be parsed, but recursive functions can neither traverse nor write it. An
// upstream that sends it fails its own call and no other.

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.setMany({ SelfUseModeEnabled: 'true', RetryTimes: '0' });
  await gate.addChannel({ type: 31, models: 'm-chat', auto_ban: 0 });
  await gate.addChannel({ type: 1, models: 'm-own', auto_ban: 0 });
  await gate.addChannel({ type: 14, models: 'm-messages', auto_ban: 0 });
  await gate.addChannel({ type: 24, models: 'm-gemini', auto_ban: 0 });
  await gate.addChannel({ type: 34, models: 'm-cohere', auto_ban: 0 });
  caller = await gate.addCaller();
});
afterEach(async () => {
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
});
afterAll(() => gate.close());

const levels = 31_000;
const nested = '['.repeat(levels) + ']'.repeat(levels);
const odd = (more: string): string => `{"type":"error",${more}"odd":${nested}}`;

const bodies: Readonly<Record<string, string>> = {
  'an error with it': `{"type":"error","error":{"message":"no","type":"server_error","odd":${nested}}}`,
  'an error that is it': `{"type":"error","error":${nested}}`,
  'it beside a message': odd('"message":"no",'),
  'it as choices': `{"choices":${nested},"candidates":${nested},"content":${nested},"output":${nested}}`,
  'it in a message': `{"id":"x","object":"chat.completion","type":"message","role":"assistant","choices":[{"index":0,"message":{"content":${nested},"odd":${nested}},"finish_reason":"stop"}],"content":[{"type":"tool_use","id":"t","name":"f","input":{"a":${nested}}}],"candidates":[{"index":0,"content":{"parts":[{"functionCall":{"name":"f","args":{"a":${nested}}}}]},"finishReason":"STOP"}],"output":[{"type":"message","content":${nested}}],"message":{"content":${nested}}}`,
};

const asks = {
  'm-chat': ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  'm-own': ['/v1/responses', { input: 'hi' }],
  'm-messages': ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }],
  'm-gemini': ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  'm-cohere': ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
} as const;

describe.each(Object.keys(asks) as (keyof typeof asks)[])('a call of %s', (model) => {
  it.each(Object.keys(bodies))(
    'is answered where its upstream sends %s, and the process goes on',
    async (name) => {
      const body = bodies[name]!;
      for (const stream of [true, false]) {
        for (const status of [200, 400, 429, 500]) {
          gate.upstream.next(async (exchange) => {
            const isStream = stream && status === 200;
            exchange.head(status, isStream ? sseHeaders : { 'content-type': 'application/json' });
            await exchange.end(isStream ? `event: error\ndata: ${body}\n\ndata: ${body}\n\n` : body);
          });
          const [path, asked] = asks[model];
          const answer = await fetch(gate.url + path, {
            method: 'POST',
            headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ model, stream, ...asked }),
          });
          const text = await answer.text();
          expect([status, text.length > 0]).toEqual([status, true]);
          expect(status === 200 || (answer.status >= 400 && text.includes('error')), text.slice(0, 200)).toBe(
            true,
          );
        }
      }
    },
  );
});
