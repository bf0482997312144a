import { expect } from 'vitest';
import type { GatewayHarness, TestCaller } from '../gateway-harness.ts';
import { RealtimeClient } from '../realtime-client.ts';
import { startFakeRealtime } from '../upstream/fake-realtime.ts';
import { realtimeModel } from './realtime-world.ts';

// Calls for tests of budgets and ceilings that reach a limit.

export type Call = [path: string, body: object];
export type CallProtocol = 'chat' | 'responses' | 'messages' | 'gemini';

/** A call that generates text. */
export const textCalls: Record<CallProtocol, (model: string, text: string, stream: boolean) => Call> = {
  chat: (model, content, stream) => [
    '/v1/chat/completions',
    { model, stream, messages: [{ role: 'user', content }] },
  ],
  responses: (model, input, stream) => ['/v1/responses', { model, stream, input }],
  messages: (model, content, stream) => [
    '/v1/messages',
    { model, stream, max_tokens: 50_000, messages: [{ role: 'user', content }] },
  ],
  gemini: (model, text, stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
};
export const callProtocols = Object.keys(textCalls) as CallProtocol[];

export const sendCall = (
  gate: GatewayHarness,
  { key }: TestCaller,
  [path, body]: Call,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Resolves when no call runs and all charges are written. */
export async function waitUntilSettled({ relay, core }: GatewayHarness): Promise<void> {
  await expect.poll(() => relay.gateway.running.size, { interval: 2 }).toBe(0);
  await core.ledger.flush();
}

/** Requests responses in a realtime session until an error ends it; returns the error and the close code. */
export async function talkUntilEnded(
  gate: GatewayHarness,
  { key }: TestCaller,
  headers: Record<string, string> = {},
): Promise<{ error: unknown; closeCode: number }> {
  const voices = await startFakeRealtime();
  voices.script({ words: 30, paceMs: 0, soundBytes: 0, usage: null });
  await gate.addChannel({ models: realtimeModel, base_url: voices.url });
  const address = `${gate.url.replace('http', 'ws')}/v1/realtime?model=${realtimeModel}`;
  const client = await RealtimeClient.open(address, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const failed = client.next('error');
  const timer = setInterval(() => client.send({ type: 'response.create' }), 20);
  const { error } = await failed;
  clearInterval(timer);
  const { code } = await client.closed;
  await waitUntilSettled(gate);
  await voices.close();
  return { error, closeCode: code };
}
