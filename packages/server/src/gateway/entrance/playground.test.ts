import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { withoutPlaygroundWords } from './playground.ts';

const exchangeOf = (path: string, body: string) => ({
  path,
  raw: Buffer.from(body),
  json: JSON.parse(body) as JsonObject,
});
const playground = '/pg/chat/completions';

describe('a call of the playground', () => {
  it('goes out without the group and without a bound of 0, everything else as it came', () => {
    const body = '{"model":"m", "group":"vip","temperature":0,"max_tokens":0,"stream":true}';
    for (const path of [playground, `${playground}/`]) {
      const sent = withoutPlaygroundWords(exchangeOf(path, body));
      expect(JSON.parse(sent.raw.toString()), path).toEqual({ model: 'm', temperature: 0, stream: true });
      expect(sent.json, path).toEqual({ model: 'm', temperature: 0, stream: true });
    }
  });

  it('keeps a bound that is one', () => {
    const body = '{"model":"m","max_tokens":5}';
    expect(withoutPlaygroundWords(exchangeOf(playground, body)).raw.toString()).toBe(body);
  });

  it('is the only one that is changed', () => {
    const call = exchangeOf('/v1/chat/completions', '{"model":"m","group":"vip","max_tokens":0}');
    expect(withoutPlaygroundWords(call)).toBe(call);
  });
});
