import { describe, expect, it } from 'vitest';
import { scanForm } from '../../lib/form.ts';
import type { JsonObject } from '../../lib/json.ts';
import { withoutPlaygroundWords } from './admit.ts';

const exchangeOf = (path: string, body: string) => ({
  path,
  form: undefined,
  raw: Buffer.from(body),
  json: JSON.parse(body) as JsonObject,
});
const playground = '/pg/chat/completions';

describe('a call of the playground', () => {
  it('is sent without the group and without a max_tokens of 0, everything else unchanged', () => {
    const body = '{"model":"m", "group":"vip","temperature":0,"max_tokens":0,"stream":true}';
    for (const path of [playground, `${playground}/`]) {
      const sent = withoutPlaygroundWords(exchangeOf(path, body));
      expect(JSON.parse(sent.raw.toString()), path).toEqual({ model: 'm', temperature: 0, stream: true });
      expect(sent.json, path).toEqual({ model: 'm', temperature: 0, stream: true });
    }
  });

  it('keeps a max_tokens above 0', () => {
    const body = '{"model":"m","max_tokens":5}';
    expect(withoutPlaygroundWords(exchangeOf(playground, body)).raw.toString()).toBe(body);
  });

  it('is sent without the group also where it is a form, with its file byte for byte', () => {
    const part = (name: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const file = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\r\n';
    const raw = Buffer.from(`${part('model', 'm')}${part('group', 'vip')}${file}--b--\r\n`);
    const sent = withoutPlaygroundWords({
      path: '/pg/audio/transcriptions',
      raw,
      json: { model: 'm', group: 'vip' },
      form: { scan: scanForm(raw, 'b'), files: [] },
    });
    expect(sent.raw.toString()).toBe(`${part('model', 'm')}${file}--b--\r\n`);
    expect(sent.json).toEqual({ model: 'm' });
    expect(sent.form?.scan.parts.map(({ name }) => name)).toEqual(['model', 'file']);
  });

  it('is the only kind of call that is changed', () => {
    const call = exchangeOf('/v1/chat/completions', '{"model":"m","group":"vip","max_tokens":0}');
    expect(withoutPlaygroundWords(call)).toBe(call);
  });
});
