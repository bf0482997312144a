import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttp, type Http } from '../../../lib/outbound/http.ts';
import { createGuard } from '../../../lib/outbound/outbound-guard.ts';
import { type FakeTurnstile, startFakeTurnstile } from '../../../testing/upstream/sign-in/fake-turnstile.ts';
import { checkHuman } from './human-check.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let service: FakeTurnstile;
let http: Http;
beforeEach(async () => {
  service = await startFakeTurnstile('hidden');
  http = createHttp(createGuard());
});
afterEach(async () => {
  await http.close();
  await service.close();
});

/** Checks an answer of the widget while the option is on, or off. */
function check(answer: string, on = true): Promise<void> {
  const values: Record<string, unknown> = { TurnstileCheckEnabled: on, TurnstileSecretKey: 'hidden' };
  const settings = { get: (key: string) => values[key] as never };
  return checkHuman({ settings, http, log, serviceUrl: service.url }, answer, '1.1.1.1');
}

describe('the human check', () => {
  it('is not required while it is disabled', async () => {
    await expect(check('', false)).resolves.toBeUndefined();
    expect(service.asked).toEqual([]);
  });

  it('admits whom the verifier confirms, once, and sends it the answer and the address', async () => {
    await expect(check('passed-1')).resolves.toBeUndefined();
    expect(service.asked).toEqual([{ secret: 'hidden', response: 'passed-1', remoteip: '1.1.1.1' }]);
    await expect(check('passed-1')).rejects.toMatchObject({ code: 'human_check_failed' });
  });

  it('refuses a missing answer without asking the verifier', async () => {
    await expect(check('')).rejects.toMatchObject({ code: 'human_check_missing' });
    expect(service.asked).toEqual([]);
  });

  it.each([
    ['says no', { status: 200, body: '{"success":false}' }],
    ['says yes in other words', { status: 200, body: '{"success":"true"}' }],
    ['is broken', { status: 200, body: '<html>' }],
    ['fails', { status: 500, body: '{"success":true}' }],
  ])('refuses when the verifier %s', async (_name, reply) => {
    service.answer(reply);
    await expect(check('passed-1')).rejects.toMatchObject({ code: 'human_check_failed' });
  });

  it('refuses when the verifier cannot be reached', async () => {
    await service.close();
    await expect(check('passed-1')).rejects.toMatchObject({ code: 'human_check_failed' });
    service = await startFakeTurnstile('hidden');
  });
});
