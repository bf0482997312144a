import { describe, expect, it } from 'vitest';
import { keyHint, maskedKey, newKey, parseKey, readCredential } from './resolve.ts';

const key = 'A'.repeat(40) + 'bcdefxyz';

describe('relay keys', () => {
  it('are 48 characters of [0-9A-Za-z], never twice the same', () => {
    expect(newKey()).toMatch(/^[0-9A-Za-z]{48}$/);
    expect(newKey()).not.toBe(newKey());
  });

  it.each([
    [`Bearer sk-${key}`, key, ''],
    [`bearer ${key}`, key, ''],
    [`sk-${key}`, key, ''],
    [key, key, ''],
    [`Bearer sk-sk-${key}`, key, ''],
    [`Bearer sk-${key}-17`, key, '17'],
    [`sk-${key}-17-18`, key, '17'],
    ['', '', ''],
    ['Bearer ', '', ''],
  ])('are understood as %s', (raw, expected, pin) => {
    expect(parseKey(raw)).toEqual({ key: expected, pin });
  });

  it('show only their ends', () => {
    expect(keyHint(key)).toBe('AAAA…fxyz');
    expect(maskedKey(key)).toBe('sk-AAA***xyz');
  });

  it.each([
    ['OpenAI', '/v1/chat/completions', '', { authorization: 'Bearer a' }, 'Bearer a'],
    ['Anthropic', '/v1/messages', '', { 'x-api-key': 'x', authorization: 'Bearer a' }, 'x'],
    ['Anthropic with a bearer', '/v1/messages', '', { authorization: 'Bearer a' }, 'Bearer a'],
    ['Anthropic model list', '/v1/models', '', { 'x-api-key': 'x', 'anthropic-version': '2023-06-01' }, 'x'],
    ['x-api-key on an OpenAI path', '/v1/chat/completions', '', { 'x-api-key': 'x' }, 'x'],
    ['Anthropic files', '/v1/files', '', { 'x-api-key': 'x', 'anthropic-version': '2023-06-01' }, 'x'],
    ['Google files', '/v1/files', '', { 'x-goog-api-key': 'g' }, 'g'],
    [
      'a bearer beside an empty key',
      '/v1/messages',
      '',
      { 'x-api-key': '', authorization: 'Bearer a' },
      'Bearer a',
    ],
    ['an empty bearer', '/v1/responses', '', { 'x-goog-api-key': 'g', authorization: 'Bearer ' }, 'g'],
    ['a bearer and a query', '/v1/responses', '?key=q', { authorization: 'Bearer a' }, 'Bearer a'],
    ['a Midjourney secret on another path', '/v1/chat/completions', '', { 'mj-api-secret': 'm' }, 'm'],
    [
      'Gemini Live',
      '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent',
      '?key=q',
      {},
      'q',
    ],
    ['Gemini header', '/v1beta/models/gemini-pro:generateContent', '', { 'x-goog-api-key': 'g' }, 'g'],
    ['Gemini query', '/v1beta/models/gemini-pro:generateContent', '?alt=sse&key=q', {}, 'q'],
    ['Gemini model list of the newest client', '/v1/models', '?pageSize=5', { 'x-goog-api-key': 'g' }, 'g'],
    ['OpenAI model list', '/v1/models', '', { authorization: 'Bearer a' }, 'Bearer a'],
    ['a query key on an OpenAI path', '/v1/chat/completions', '?key=q', {}, 'q'],
    [
      'Midjourney',
      '/mj/submit/imagine',
      '',
      { 'mj-api-secret': 'm', authorization: 'midjourney-proxy' },
      'm',
    ],
    ['Midjourney with a mode', '/fast/mj/submit/imagine', '', { 'mj-api-secret': 'm' }, 'm'],
    [
      'Midjourney with a bearer',
      '/mj/submit/imagine',
      '',
      { 'mj-api-secret': 'm', authorization: 'Bearer a' },
      'Bearer a',
    ],
    [
      'realtime',
      '/v1/realtime',
      '?model=gpt-4o-realtime',
      { 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.sk-r, openai-beta.realtime-v1' },
      'sk-r',
    ],
    [
      'realtime with a bearer',
      '/v1/realtime',
      '',
      { 'sec-websocket-protocol': 'realtime', authorization: 'Bearer a' },
      'Bearer a',
    ],
  ])('are found where %s clients put them', (_name, path, query, headers, expected) => {
    expect(readCredential(path, query, headers)).toBe(expected);
  });
});

it('a header of a million spaces is parsed once', () => {
  const authorization = `${'\u00a0'.repeat(1_000_000)}x`;
  expect(readCredential('/v1/chat/completions', '', { authorization })).toBe(authorization);
});
