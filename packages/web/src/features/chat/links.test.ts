import { describe, expect, test } from 'vitest';
import { chatLinksOf, targetOf } from './links.ts';

const filling = { address: 'https://gate.example', key: 'sk-abc' };
const urlOf = (template: string) => {
  const target = targetOf(template, filling);
  return target.kind === 'web' ? target.url : target.kind;
};

describe('a chat link', () => {
  test('has key and address as values, whatever is around them', () => {
    const url = urlOf('https://chat.example/#/?settings={"key":"{key}","url":"{address}/v1"}');
    const settings = decodeURIComponent(new URL(url).hash);
    expect(settings).toBe('#/?settings={"key":"sk-abc","url":"https://gate.example/v1"}');
  });

  test('may begin with the address of this site', () => {
    expect(urlOf('{address}/chat/#{key}')).toBe('https://gate.example/chat/#sk-abc');
  });

  test('encodes the key within its value', () => {
    const target = targetOf('https://chat.example/?key={key}', { ...filling, key: 'sk-a&b=c#d' });
    expect(target).toMatchObject({ url: 'https://chat.example/?key=sk-a%26b%3Dc%23d' });
  });

  test.each([
    'https://{key}.example/',
    'https://{key}/',
    'https://user:{key}@chat.example/',
    'https://{key}@chat.example/',
    'http://chat.example:{key}/',
  ])('whose host comes from the key is refused: %s', (template) => {
    expect(urlOf(template)).toBe('bad');
  });

  test.each([
    'javascript:alert("{key}")',
    ' javascript:alert(1)',
    'data:text/html,{key}',
    'vbscript:x',
    'blob:https://gate.example/x',
    'file:///etc/{key}',
    'not a link {key}',
    '',
  ])('with a script or a local file is refused: %s', (template) => {
    expect(urlOf(template)).toBe('bad');
  });

  test('to an application on the device is not opened', () => {
    expect(urlOf('opencat://team/join?domain={address}&token={key}')).toBe('app');
  });

  test('is only embedded over https', () => {
    expect(targetOf('http://chat.local/#{key}', filling)).toMatchObject({ kind: 'web', embeds: false });
    expect(targetOf('https://chat.local/#{key}', filling)).toMatchObject({ kind: 'web', embeds: true });
  });
});

test('keeps its index where entries of the list are empty', () => {
  expect(chatLinksOf([{ A: 'https://a' }, {}, { B: 'https://b' }])).toEqual([
    { index: 0, name: 'A', template: 'https://a' },
    { index: 2, name: 'B', template: 'https://b' },
  ]);
});
