import { describe, expect, it } from 'vitest';
import type { Answer, Outgoing } from '../../lib/outbound/http.ts';
import { checkHuman } from './human-check.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The far side of the network: answers as told and keeps what it was asked. */
function setUp(on: boolean, reply: () => Promise<Answer>) {
  const asked: Outgoing[] = [];
  const values: Record<string, unknown> = { TurnstileCheckEnabled: on, TurnstileSecretKey: 'hidden' };
  return {
    asked,
    deps: {
      settings: { get: (key: string) => values[key] as never },
      http: {
        request(call: Outgoing) {
          asked.push(call);
          return reply();
        },
      },
      log,
    },
  };
}

const says =
  (body: string, status = 200) =>
  async (): Promise<Answer> => ({
    status,
    headers: {},
    body: Buffer.from(body),
  });

describe('the human check', () => {
  it('asks nobody while it is switched off', async () => {
    const { deps, asked } = setUp(false, says('{}'));
    await expect(checkHuman(deps, '', '1.1.1.1')).resolves.toBeUndefined();
    expect(asked).toHaveLength(0);
  });

  it('lets through whom the verifier knows, telling it answer and address', async () => {
    const { deps, asked } = setUp(true, says('{"success":true}'));
    await expect(checkHuman(deps, 'answer', '1.1.1.1')).resolves.toBeUndefined();
    expect(asked[0]?.body?.toString()).toBe('secret=hidden&response=answer&remoteip=1.1.1.1');
    expect(asked[0]?.scope).toBe('public');
  });

  it('refuses a missing answer without asking', async () => {
    const { deps, asked } = setUp(true, says('{"success":true}'));
    await expect(checkHuman(deps, '', '1.1.1.1')).rejects.toMatchObject({ code: 'human_check_missing' });
    expect(asked).toHaveLength(0);
  });

  it.each([
    ['says no', says('{"success":false}')],
    ['says yes in other words', says('{"success":"true"}')],
    ['is broken', says('<html>')],
    ['fails', says('{"success":true}', 500)],
    ['cannot be reached', () => Promise.reject(new Error('no route'))],
  ])('refuses when the verifier %s', async (_name, reply) => {
    const { deps } = setUp(true, reply);
    await expect(checkHuman(deps, 'answer', '1.1.1.1')).rejects.toMatchObject({ code: 'human_check_failed' });
  });
});
