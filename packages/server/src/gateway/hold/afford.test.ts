import { describe, expect, it } from 'vitest';
import type { ProtocolId } from '../../relay/types/index.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import { buildRequest } from '../../testing/protocols/build-relay.ts';
import { boundToHold } from './hold.ts';
import type { RelayCall } from '../call/types.ts';

/** The parts of an exchange that the bound uses. */
function exchangeOf(protocol: ProtocolId, text: string): RelayCall {
  const { raw, json, facts } = buildRequest(protocol, text);
  return { raw, json, facts, inbound: callerProtocol(protocol)!.inbound } as unknown as RelayCall;
}

const bounded = (protocol: ProtocolId, text: string, paidTokens: number, isPartial = true): string =>
  boundToHold(exchangeOf(protocol, text), {
    paidTokens,
    pays: (tokens) => tokens <= paidTokens,
    isPartial,
  }).raw.toString();

const chat = (rest: string) => `{"model":"gpt-4o", "messages":[{"role":"user","content":"x"}]${rest}}`;

describe('an answer in one piece', () => {
  it('is bounded to what its hold pays for, with everything else left as it was sent', () => {
    expect(bounded('openai-chat', chat(', "max_tokens": 5000, "x_unknown": 1.0'), 100)).toBe(
      chat(', "max_tokens": 100, "x_unknown": 1.0'),
    );
    expect(bounded('openai-chat', chat(''), 100)).toContain('"max_tokens":100');
    expect(bounded('openai-chat', chat(',"max_completion_tokens":900,"max_tokens":900'), 100)).toContain(
      '"max_completion_tokens":100',
    );
    expect(bounded('openai-completions', '{"model":"m","prompt":"x"}', 7)).toContain('"max_tokens":7');
    expect(bounded('openai-responses', '{"model":"m","input":"x"}', 7)).toContain('"max_output_tokens":7');
    const message = '{"model":"m","max_tokens":4096,"messages":[{"role":"user","content":"x"}]}';
    expect(bounded('anthropic-messages', message, 7)).toBe(message.replace('4096', '7'));
  });

  it('is bounded in both spellings of Gemini', () => {
    const contents = '"contents":[{"parts":[{"text":"x"}]}]';
    const one = bounded('gemini', `{"model":"gemini-2.5-pro",${contents}}`, 9);
    expect(JSON.parse(one)).toMatchObject({ generationConfig: { maxOutputTokens: 9 } });
    const spelt = bounded(
      'gemini',
      `{"model":"g",${contents},"generation_config":{"max_output_tokens":99}}`,
      9,
    );
    expect(JSON.parse(spelt) as object).toEqual({
      model: 'g',
      contents: [{ parts: [{ text: 'x' }] }],
      generation_config: { max_output_tokens: 9 },
    });
  });

  it('of a reasoning model is bounded by the field that such a model takes', () => {
    const text = '{"model":"o3-mini","messages":[{"role":"user","content":"x"}]}';
    expect(bounded('openai-chat', text, 50)).toContain('"max_completion_tokens":50');
  });

  it('that was asked for in several choices shares the bound, at least a token each', () => {
    expect(bounded('openai-chat', chat(',"n":4'), 100)).toContain('"max_tokens":25');
    expect(bounded('openai-chat', chat(',"n":4'), 2)).toContain('"max_tokens":1');
  });

  it('of Claude has a thinking budget below its bound', () => {
    const message = (thinking: object, max: number): string =>
      JSON.stringify({ model: 'm', max_tokens: max, thinking, messages: [{ role: 'user', content: 'x' }] });
    const thinking = { type: 'enabled', budget_tokens: 32_000 };
    const asked = message(thinking, 64_000);
    const sentWith = (tokens: number): object =>
      JSON.parse(bounded('anthropic-messages', asked, tokens)) as object;
    expect(sentWith(10_000)).toMatchObject({
      max_tokens: 10_000,
      thinking: { type: 'enabled', budget_tokens: 5_000 },
    });
    expect(sentWith(1_500)).toMatchObject({ max_tokens: 1_500, thinking: { budget_tokens: 1_024 } });
    expect(sentWith(1_000)).toMatchObject({ max_tokens: 1_000, thinking: { type: 'disabled' } });
    expect(sentWith(40_000)).toMatchObject({ max_tokens: 40_000, thinking });
  });

  it('never has a bound above its hold, and none is added until the balance nears its end', () => {
    expect(bounded('openai-chat', chat(',"max_tokens":50000'), 9_000, false)).toContain('"max_tokens":9000');
    expect(bounded('openai-chat', chat(''), 9_000, false)).toBe(chat(''));
    // Models with a limit of 4,096 output tokens refuse a larger bound.
    expect(bounded('openai-chat', chat(''), 7_000)).toContain('"max_tokens":4096');
  });

  it('is left alone where the hold covers it, where it streams, and where length has no meaning', () => {
    for (const text of [chat(',"max_tokens":50'), chat(',"stream":true,"max_tokens":5000')]) {
      expect(bounded('openai-chat', text, 100)).toBe(text);
    }
    const input = '{"model":"text-embedding-3-small","input":"x"}';
    expect(bounded('openai-embeddings', input, 1)).toBe(input);
  });
});
