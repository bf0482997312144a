import { describe, expect, it } from 'vitest';
import {
  filledWords,
  formFaults,
  type RelayErrorEntry,
  type RelayErrorName,
  relayErrors,
  untranslatable,
  vertexKeyFaults,
} from './index.ts';
import type { Words } from '../words.ts';

const entries = Object.entries(relayErrors) as [RelayErrorName, RelayErrorEntry][];
const chinese = /\p{Script=Han}/u;
const slotsOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
const texts: [string, Words][] = [
  ...entries,
  ...Object.entries(formFaults),
  ...Object.entries(untranslatable),
  ...Object.entries(vertexKeyFaults),
];

describe('the table of relay errors', () => {
  it.each(texts)('%s: the Chinese text is Chinese, the English one has none', (_name, { zh, en }) => {
    expect(zh).toMatch(chinese);
    expect(en).not.toMatch(/[^\u0020-\u007e]/);
    expect(en.replace(/\{\w+\}/g, '')).toMatch(/[a-z]{3}/i);
  });

  it.each(entries)('%s: each value of the Chinese text is in the English one, too', (_name, { zh, en }) => {
    for (const slot of slotsOf(zh)) expect(slotsOf(en)).toContain(slot);
  });

  it.each(entries)('%s: has an error status, and a code for programs', (name, entry) => {
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.status).toBeLessThan(600);
    expect(entry.code ?? name).toMatch(/^[a-z_]*$/);
    // A 5xx means that the same request may succeed later. A fault of the caller is never a 5xx.
    expect(entry.blame === 'caller' && entry.status >= 500).toBe(false);
  });

  it('inserts values in the language of the text around them', () => {
    const values = { protocol: 'gemini', what: { zh: '音频', en: 'sound' } };
    expect(filledWords(relayErrors.cannot_translate, values)).toEqual({
      zh: '该渠道使用 gemini 协议，其中无法表达：音频',
      en: 'this channel speaks gemini, in which sound cannot be said',
    });
  });

  it('a placeholder in a value is not replaced', () => {
    const { en } = filledWords(relayErrors.no_available_channel, { group: '{model}', model: 'm' });
    expect(en).toBe('No available channels for model m under current group {model}');
  });
});
