import { describe, expect, it } from 'vitest';
import { protocols } from '../../../relay/protocols.ts';
import { providerOf } from '../../../relay/registry.ts';
import { refuse, RelayError } from '../../../relay/types/index.ts';
import type { RelayErrorFields } from '../../../relay/types/relay-error.ts';
import { exhaustedMs, isChannelFault, mayRetry, shouldDisable, vendorWaitMs } from './again.ts';

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

describe('a request that its upstream refuses', () => {
  /** Type of a channel, its vendor's status and body, as documented or observed. */
  const refusals: [string, number, number, unknown][] = [
    [
      'moderation of OpenRouter',
      20,
      403,
      {
        error: {
          code: 403,
          message: 'openai/gpt-4o requires moderation on OpenAI. Your input was flagged for "violence".',
          metadata: { reasons: ['violence'], flagged_input: 'x', provider_name: 'OpenAI' },
        },
      },
    ],
    [
      'usage guidelines of xAI',
      48,
      403,
      {
        code: 'The caller does not have permission to execute the specified operation',
        error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_CSAM',
      },
    ],
    [
      'a file of Gemini that is not the channel’s',
      24,
      403,
      {
        error: {
          code: 403,
          message: 'You do not have permission to access the File nosuch or it may not exist.',
          status: 'PERMISSION_DENIED',
        },
      },
    ],
    [
      'a cache of Gemini that is not the channel’s',
      24,
      403,
      {
        error: {
          code: 403,
          message: 'CachedContent not found (or permission denied)',
          status: 'PERMISSION_DENIED',
        },
      },
    ],
    [
      'a bucket that Vertex cannot read',
      41,
      403,
      {
        error: {
          code: 403,
          message: "Permission 'storage.objects.get' denied on resource (or it may not exist).",
          status: 'PERMISSION_DENIED',
        },
      },
    ],
    [
      'an input beyond OpenAI’s tokens a minute',
      1,
      429,
      {
        error: {
          message:
            'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 90000.',
          type: 'tokens',
          param: null,
          code: 'rate_limit_exceeded',
        },
      },
    ],
    [
      'a policy violation of OpenAI',
      1,
      403,
      { error: { message: 'Rejected.', type: 'image_generation_user_error', code: 'moderation_blocked' } },
    ],
    [
      'an invalid request that a server answers with 500',
      1,
      500,
      { error: { message: 'bad tool schema', type: 'invalid_request_error', param: null, code: null } },
    ],
    [
      'an input that DashScope’s filter refuses',
      17,
      500,
      { error: { message: 'Output data may contain bad words.', type: 'x', code: 'data_inspection_failed' } },
    ],
    [
      'the risk control of a Chinese vendor',
      1,
      403,
      {
        error: { message: 'The request was rejected by risk control', type: 'content_security', code: null },
      },
    ],
  ];
  const context = { enabled: true, autoBan: true, keywords: ['Permission denied'] };
  const readAs = (type: number, status: number, body: unknown): RelayError => {
    const endpoint = providerOf(type)!.endpoints;
    const { readError: own, protocol } = (endpoint['openai-chat'] ?? Object.values(endpoint)[0])!;
    const answer = {
      status,
      contentType: 'application/json',
      body: Buffer.from(JSON.stringify(body)),
      secrets: [],
      retryAfterSeconds: undefined,
    };
    return own ? own(answer) : protocols[protocol]!.outbound.readError(answer);
  };

  it.each(refusals)('neither counts against its channel nor disables it: %s', (_name, type, status, body) => {
    const error = readAs(type, status, body);
    expect(error.status).toBe(status);
    expect(isChannelFault(error)).toBe(false);
    expect(shouldDisable(error, { ...context, channelType: type })).toBe(false);
  });

  it.each<[string, number, number, unknown]>([
    [
      'a flagged account',
      1,
      403,
      { error: { message: 'Your account was flagged for sensitive content.', type: 'forbidden' } },
    ],
    [
      'a Gemini key without the API',
      24,
      403,
      {
        error: {
          code: 403,
          message: 'Generative Language API has not been used in project 1 before or it is disabled.',
          status: 'PERMISSION_DENIED',
        },
      },
    ],
  ])('is told from a refused channel: %s', (_name, type, status, body) => {
    const error = readAs(type, status, body);
    expect(isChannelFault(error)).toBe(true);
    expect(shouldDisable(error, { ...context, channelType: type })).toBe(true);
  });

  it('does not disable its channel by a keyword that the upstream quotes from it', () => {
    const error = upstream(400, { message: 'Unsupported role: "permission denied".' });
    const quoting = { ...context, channelType: 1, asked: { messages: [{ role: 'Permission Denied' }] } };
    expect(shouldDisable(error, quoting)).toBe(false);
    expect(shouldDisable(error, { ...quoting, asked: { messages: [{ role: 'user' }] } })).toBe(true);
  });
});

const openaiLimit = (left: string, reset: string): Record<string, string> => ({
  'x-ratelimit-remaining-requests': left,
  'x-ratelimit-reset-requests': reset,
  'x-ratelimit-remaining-tokens': '149984',
  'x-ratelimit-reset-tokens': '59m',
});

describe('what a vendor says of when it takes calls again', () => {
  const now = Date.UTC(2026, 10, 29, 8, 0, 0);
  const headers = (given: Record<string, string>) => upstream(429, { headers: given });
  const anthropicLimits = {
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': '2026-11-29T08:00:10Z',
    'anthropic-ratelimit-input-tokens-remaining': '0',
    'anthropic-ratelimit-input-tokens-reset': '2026-11-29T08:01:00Z',
    'anthropic-ratelimit-output-tokens-remaining': '9',
    'anthropic-ratelimit-output-tokens-reset': '2026-11-29T08:05:00Z',
  };
  const limit = (reset: string) => headers({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });

  it.each<[string, RelayError, number]>([
    ['Retry-After in seconds', upstream(429, { retryAfterSeconds: 20 }), 20_000],
    ['Retry-After as a date', headers({ 'retry-after': 'Sun, 29 Nov 2026 08:00:30 GMT' }), 30_000],
    ['Retry-After in ms', headers({ 'retry-after-ms': '1250', 'retry-after': '2' }), 1_250],
    ['Retry-After before a reset', headers({ 'retry-after': '5', ...openaiLimit('0', '6m0s') }), 5_000],
    ['OpenAI: nothing remains', headers(openaiLimit('0', '6m0.5s')), 360_500],
    ['OpenAI: in ms', headers(openaiLimit('0', '120ms')), 120],
    ['OpenAI: something remains', headers(openaiLimit('3', '6m0s')), 0],
    ['Anthropic: the later of two', headers(anthropicLimits), 60_000],
    ['Unix seconds', limit(String(now / 1000 + 9)), 9_000],
    ['Unix ms', limit(String(now + 9_500)), 9_500],
    ['a reset that is over', limit('1600000000'), 0],
    ['a reset without a time', limit('soon'), 0],
    ['another failure', upstream(500, { retryAfterSeconds: 20 }), 0],
  ])('is read from %s', (_case, error, ms) => {
    expect(vendorWaitMs(error, now)).toBe(ms);
  });
});

describe('the wait of a good answer', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    [
      'no remaining requests',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' },
      360_000,
    ],
    ['no remaining tokens', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '20ms' }, 20],
    [
      'no remaining output',
      {
        'anthropic-ratelimit-output-tokens-remaining': '0',
        'anthropic-ratelimit-output-tokens-reset': '2026-01-01T00:00:30Z',
        'anthropic-ratelimit-requests-remaining': '7',
        'anthropic-ratelimit-requests-reset': '2026-01-01T00:01:00Z',
      },
      30_000,
    ],
    ['some of both', { 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '6m0s' }, 0],
    ['no moment', { 'x-ratelimit-remaining-requests': '0' }, 0],
    ['seconds', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1' }, 1_000],
  ])('is read from headers with %s', (_case, headers, ms) => {
    expect(exhaustedMs(headers, now)).toBe(ms);
  });
});
