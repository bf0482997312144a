import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { sessionOf } from './session.ts';

const session = (json: JsonObject, headers: Record<string, string> = {}, userId = 7) =>
  sessionOf({ json, req: { headers }, caller: { userId } as Parameters<typeof sessionOf>[0]['caller'] });

const say = (role: string, text: string) => ({ role, content: text });

/** A conversation in each protocol, and the same conversation with two more messages. */
const grown: Record<string, (texts: readonly string[]) => JsonObject> = {
  Chat: (texts) => ({
    model: 'm',
    messages: [say('system', 'Be brief.'), ...texts.map((text) => say('user', text))],
  }),
  Messages: (texts) => ({
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: texts.map((text) => say('user', text)),
  }),
  Responses: (texts) => ({ instructions: 'Be brief.', input: texts.map((text) => say('user', text)) }),
  Gemini: (texts) => ({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: texts.map((text) => ({ role: 'user', parts: [{ text }] })),
  }),
};

describe.each(Object.entries(grown))('a conversation over %s', (_, build) => {
  it('is one session while it grows, and another one with another beginning', () => {
    const first = session(build(['one', 'two']));
    expect(first).not.toBe('');
    expect(session(build(['one', 'two', 'three', 'four']))).toBe(first);
    expect(session({ ...build(['one', 'two']), temperature: 1, stream: true })).toBe(first);
    expect(session(build(['other', 'two']))).not.toBe(first);
  });
});

describe('a name', () => {
  it.each<[string, JsonObject, Record<string, string>]>([
    ['in the header of an agent', {}, { session_id: 's-1' }],
    ['of the cache', { prompt_cache_key: 's-1' }, {}],
    ['of the user, as Claude Code sends it', { metadata: { user_id: 's-1' } }, {}],
    ['of the user', { user: 's-1' }, {}],
    ['of kept contents', { cachedContent: 's-1' }, {}],
  ])('%s makes one session of all conversations of its caller', (_, json, headers) => {
    const named = session({ ...json, messages: [say('user', 'a')] }, headers);
    expect(session({ ...json, messages: [say('user', 'b')] }, headers)).toBe(named);
    expect(session({ ...json, messages: [say('user', 'a')] }, headers, 8)).not.toBe(named);
  });

  it('of an agent counts before one in the body', () => {
    expect(session({ user: 'u' }, { 'x-session-id': 's' })).toBe(session({}, { 'x-session-id': 's' }));
  });
});

it('a request without words has no session', () => {
  expect(session({ model: 'm' })).toBe('');
});

it('of a long beginning the first part counts', () => {
  const long = 'x'.repeat(1_000_000);
  expect(session({ messages: [say('user', long)] }).length).toBeLessThan(5_000);
});
