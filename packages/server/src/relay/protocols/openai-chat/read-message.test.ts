import { describe, expect, it } from 'vitest';
import type { Json } from '../../../lib/json.ts';
import { readMessages } from './read-message.ts';

const user = (content: Json) => readMessages([{ role: 'user', content }]);
const image = (url: string) => user([{ type: 'image_url', image_url: { url } }])[0]!.parts[0];

describe('the messages of a chat', () => {
  it('have images as data with the type of their bytes, where the client named none', () => {
    for (const [base64, mediaType] of [
      ['iVBORw0KGgoAAAA', 'image/png'],
      ['/9j/4AAQ', 'image/jpeg'],
      ['R0lGODlh', 'image/gif'],
      ['UklGRiQA', 'image/webp'],
    ] as const) {
      const expected = { type: 'image', source: { kind: 'data', mediaType, base64 } };
      expect(image(base64), 'base64 alone').toEqual(expected);
      expect(image(`data:;base64,${base64}`), 'an address without a kind').toEqual(expected);
      expect(image(`data:${mediaType};base64,${base64}`)).toEqual(expected);
    }
    expect(image('https://example.com/a.png')).toMatchObject({ source: { kind: 'url' } });
  });

  it('are refused with an image that is neither an address nor data', () => {
    for (const url of ['', 'photo.png', 'file:///etc/passwd', 'data:;base64,AAAA']) {
      expect(() => image(url), url).toThrow('an image needs an http address or a data URL');
    }
  });

  it('may be empty, but not of a type that would be left out silently', () => {
    for (const empty of [null, '', []]) expect(user(empty)[0]!.parts).toEqual([]);
    for (const content of [5, true, { type: 'text', text: 'x' }]) {
      expect(() => user(content)).toThrow('must be text or a list of parts');
    }
  });
});
