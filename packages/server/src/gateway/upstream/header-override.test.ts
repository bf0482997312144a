import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import * as faults from '../../testing/upstream/fake-upstream-faults.ts';

let gate: GatewayHarness;
let caller: TestCaller;
beforeEach(async () => {
  gate = await openGateway();
  caller = await gate.addCaller();
});
afterEach(() => gate.close());

const call = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }], ...body }),
  });

const calls = [
  ['/v1/chat/completions', { stream: false }],
  ['/v1/chat/completions', { stream: true }],
  ['/v1/messages', { max_tokens: 20 }],
  ['/v1/responses', { input: 'hi', messages: undefined }],
] as const;

it.each(calls)('a channel’s headers go out with %s %o, and no key of a caller does', async (path, body) => {
  await gate.addChannel({
    header_override: JSON.stringify({ 'x-tenant': 'seven', Authorization: 'Token {api_key}', '*': '' }),
  });
  await (await call(path, body, { 'x-run': 'r1', cookie: 'session=s' })).text();
  const { headers } = gate.upstream.requests.at(-1)!;
  expect(headers).toMatchObject({ 'x-tenant': 'seven', 'x-run': 'r1' });
  expect(headers.authorization).toMatch(/^Token /);
  expect(headers.cookie).toBeUndefined();
  expect(JSON.stringify(headers)).not.toContain(caller.key);
  await gate.core.ledger.flush();
  expect(await gate.findings()).toEqual([]);
});

it('a secret in a header that the upstream repeats does not reach the caller', async () => {
  await gate.addChannel({ header_override: '{"x-access-token":"literal-7f3a"}' });
  gate.upstream.next(faults.refuse(400, { message: 'bad token literal-7f3a' }));
  const text = await (await call('/v1/chat/completions', {})).text();
  expect(text).not.toContain('literal-7f3a');
});
