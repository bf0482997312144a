import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import { readLogin, renewedKey, secretsIn, requireTokenUri } from './login.ts';
import { codex } from './index.ts';

const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

describe('a login', () => {
  it('is read as other gateways store it, with its expiry as a time or in seconds', () => {
    const key = (expired: unknown) =>
      JSON.stringify({ access_token: 'a', refresh_token: 'r', account_id: 'id', expired });
    const read = { access: 'a', refresh: 'r', account: 'id' };
    const at = Date.UTC(2026, 10, 23, 12);
    expect(readLogin(key('2026-11-23T12:00:00Z'))).toEqual({ ...read, expiresAtMs: at });
    expect(readLogin(key(at / 1_000))).toEqual({ ...read, expiresAtMs: at });
    expect(readLogin(key('soon'))).toEqual({ ...read, expiresAtMs: 0 });
  });

  it('is read from the file of Codex, whose tokens have their expiry and account', () => {
    const access = jwt({ exp: 1_800_000_000, 'https://api.openai.com/auth': { chatgpt_account_id: 'told' } });
    const key = JSON.stringify({
      OPENAI_API_KEY: null,
      tokens: { access_token: access, refresh_token: 'r' },
    });
    expect(readLogin(key)).toEqual({
      access,
      refresh: 'r',
      account: 'told',
      expiresAtMs: 1_800_000_000_000,
    });
  });

  it.each(['', 'sk-plain', '{}', '[]', '{"tokens":{}}', '{"access_token":1}'])('is not %s', (key) => {
    expect(() => readLogin(key)).toThrow('the key of this channel must have the form');
  });

  it('keeps the other fields of its key when it is renewed, and its refresh token where there is no new one', () => {
    const flat = { access_token: 'a', refresh_token: 'r', account_id: 'id', email: 'e', expires_at: 1 };
    const now = Date.UTC(2026, 10, 23);
    const times = { expired: '2026-11-24T00:00:00.000Z', last_refresh: '2026-11-23T00:00:00.000Z' };
    const renewed = (key: object, answer: object) =>
      JSON.parse(renewedKey(JSON.stringify(key), { ...answer }, now + 86_400_000, now)) as unknown;
    expect(renewed(flat, { access_token: 'b', refresh_token: 's', id_token: 'i' })).toEqual({
      access_token: 'b',
      refresh_token: 's',
      id_token: 'i',
      account_id: 'id',
      email: 'e',
      ...times,
    });
    expect(
      renewed({ mode: 'chatgpt', tokens: { access_token: 'a', refresh_token: 'r' } }, { access_token: 'b' }),
    ).toEqual({
      mode: 'chatgpt',
      tokens: { access_token: 'b', refresh_token: 'r' },
      ...times,
    });
  });

  it('is masked in all its parts', () => {
    const key = JSON.stringify({ access_token: 'a1', refresh_token: 'r1', account_id: 'i1', email: 'e1' });
    expect(secretsIn(key)).toEqual([key, 'a1', 'r1', 'i1', 'e1']);
  });

  it('is renewed at OpenAI, or at the host of the channel’s calls, and nowhere else', () => {
    const at = (uri: string | undefined, baseUrl = 'https://own.test') =>
      requireTokenUri({ key: JSON.stringify({ access_token: 'a', token_uri: uri }), baseUrl });
    expect(at(undefined)).toBe('https://auth.openai.com/oauth/token');
    expect(at('https://own.test/oauth/token')).toBe('https://own.test/oauth/token');
    for (const uri of ['https://evil.test/', 'http://own.test/x', 'https://own.test.evil.test/', 'x'])
      expect(() => at(uri)).toThrow('the key of this channel must have the form');
  });
});

test.each(['previous_response_id', 'prompt'])(
  '%s needs what is not stored there, so that another channel is tried',
  (name) => {
    const channel = buildChannel({ type: 57, key: '{"access_token":"a"}', baseUrl: codex.baseUrl });
    const request = buildRequest('openai-responses', { model: 'm', input: 'hi', [name]: 'x' });
    expect(() => bridge(codex, channel, request, 'm', relayOptions)).toThrow(
      expect.objectContaining({ code: 'cannot_translate' }),
    );
  },
);
