import { describe, expect, it } from 'vitest';
import { refuse, RelayError } from '../../../relay/types/index.ts';
import type { RelayErrorFields } from '../../../relay/types/relay-error.ts';
import { isChannelFault, mayRetry, shouldDisable } from './again.ts';

const upstream = (status: number, fields: Partial<RelayErrorFields> = {}) =>
  new RelayError({ status, code: 'bad_response_status_code', message: 'no', blame: 'channel', ...fields });

const openai = { pinned: false, channelType: 1 };
const anthropic = { pinned: false, channelType: 14 };

describe('mayRetry', () => {
  it.each([
    [429, true],
    [307, true],
    [500, true],
    [502, true],
    [503, true],
    [529, true],
    [504, false],
    [524, false],
    [408, false],
    [400, false],
    [401, true],
    [402, true],
    [403, true],
    [404, true],
    [200, false],
    [204, false],
  ])('on an upstream status %i answers %s', (status, expected) => {
    expect(mayRetry(upstream(status), openai)).toBe(expected);
  });

  it('repeats a 400 on Anthropic channels only', () => {
    expect(mayRetry(upstream(400), anthropic)).toBe(true);
    expect(mayRetry(upstream(400, { blame: 'caller', type: 'invalid_request_error' }), anthropic)).toBe(true);
    expect(mayRetry(upstream(400, { blame: 'caller', type: 'invalid_request_error' }), openai)).toBe(false);
  });

  it('never repeats with a pinned channel', () => {
    expect(mayRetry(upstream(500), { ...openai, pinned: true })).toBe(false);
  });

  it('never repeats what Tollgate itself refused', () => {
    expect(mayRetry(refuse('insufficient_user_quota'), openai)).toBe(false);
    expect(mayRetry(refuse('internal_error'), openai)).toBe(false);
    expect(mayRetry(refuse('invalid_json'), anthropic)).toBe(false);
  });
});

describe('a call for which there was no free connection', () => {
  const crowded = refuse('no_free_connection');

  it('is retried on another channel, unless one was pinned', () => {
    expect(mayRetry(crowded, openai)).toBe(true);
    expect(mayRetry(crowded, { ...openai, pinned: true })).toBe(false);
  });

  it('counts neither against the channel nor for disabling it', () => {
    expect(isChannelFault(crowded)).toBe(false);
    const context = { enabled: true, autoBan: true, channelType: 1, keywords: [crowded.message] };
    expect(shouldDisable(crowded, context)).toBe(false);
  });
});

describe('a failure counts against the channel', () => {
  it.each([
    [500, true],
    [503, true],
    [504, true],
    [429, true],
    [408, true],
    [401, true],
    [402, true],
    [403, true],
    [400, false],
    [404, false],
    [413, false],
    [422, false],
  ])('with status %i: %s', (status, expected) => {
    expect(isChannelFault(upstream(status))).toBe(expected);
  });

  it('never when Tollgate itself refused', () => {
    expect(isChannelFault(refuse('ledger_unavailable'))).toBe(false);
    expect(isChannelFault(refuse('insufficient_user_quota'))).toBe(false);
  });
});

describe('shouldDisable', () => {
  const context = {
    enabled: true,
    autoBan: true,
    channelType: 1,
    keywords: ['Your credit balance is too low', ' '],
  };

  it.each<[string, RelayError, boolean]>([
    ['401', upstream(401), true],
    ['403', upstream(403), false],
    ['500', upstream(500), false],
    ['429', upstream(429), false],
    ['code invalid_api_key', upstream(400, { code: 'invalid_api_key' }), true],
    ['code account_deactivated', upstream(400, { code: 'account_deactivated' }), true],
    ['code billing_not_active', upstream(429, { code: 'billing_not_active' }), true],
    ['type insufficient_quota', upstream(429, { type: 'insufficient_quota' }), true],
    ['type insufficient_user_quota', upstream(403, { type: 'insufficient_user_quota' }), true],
    ['type authentication_error', upstream(400, { type: 'authentication_error' }), true],
    ['type permission_error', upstream(403, { type: 'permission_error' }), true],
    ['type forbidden', upstream(403, { type: 'forbidden' }), true],
    ['a keyword in any case', upstream(400, { message: 'YOUR CREDIT balance is TOO LOW to go on' }), true],
    [
      'our own refusal',
      refuse('insufficient_user_quota', {}, { status: 401 }).copy({
        message: 'Your credit balance is too low',
      }),
      false,
    ],
  ])('on %s', (_name, error, expected) => {
    expect(shouldDisable(error, context)).toBe(expected);
  });

  it('on 403 of Gemini channels', () => {
    expect(shouldDisable(upstream(403), { ...context, channelType: 24 })).toBe(true);
  });

  it('never while the option or the channel forbids it', () => {
    expect(shouldDisable(upstream(401), { ...context, enabled: false })).toBe(false);
    expect(shouldDisable(upstream(401), { ...context, autoBan: false })).toBe(false);
  });
});
