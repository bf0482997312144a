import { describe, expect, test } from 'vitest';
import { buildRequest } from '../../../testing/protocols/build-relay.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { RelayError } from '../../types/index.ts';

describe('a request', () => {
  const path = { model: 'gemini-x', stream: true };
  const facts = (body: JsonObject) => buildRequest('gemini', body, path).facts;
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

  test('has its model and stream from the path, its bounds in either spelling', () => {
    expect(facts({ contents, generationConfig: { maxOutputTokens: 9, candidateCount: 2 } })).toMatchObject({
      model: 'gemini-x',
      stream: true,
      maxOutputTokens: 9,
      choices: 2,
    });
    expect(
      facts({ contents, generation_config: { max_output_tokens: 7, candidate_count: 3 } }),
    ).toMatchObject({
      maxOutputTokens: 7,
      choices: 3,
    });
  });

  test('with pictures is not sized as a long text', () => {
    const picture = { inlineData: { mimeType: 'image/png', data: 'A'.repeat(3_000_000) } };
    const { estimatedInputTokens } = facts({ contents: [{ parts: [picture] }] });
    expect([estimatedInputTokens > 1_105, estimatedInputTokens < 1_400]).toEqual([true, true]);
  });

  test.each([
    {},
    { contents: [] },
    { contents: 'hi' },
    { contents: ['hi'] },
    { contents, generationConfig: 5 },
    { contents, generationConfig: { maxOutputTokens: -2 } },
    { contents, generation_config: { max_output_tokens: 1e30 } },
    { contents, generationConfig: { candidateCount: 0 } },
  ] as JsonObject[])('that cannot be used is refused: %j', (body) => {
    expect(() => facts(body)).toThrow(RelayError);
  });
});
