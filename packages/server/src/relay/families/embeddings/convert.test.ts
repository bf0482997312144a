import { expect, test } from 'vitest';
import { RelayError } from '../../types/index.ts';
import { toOpenaiEmbeddings } from './index.ts';

const picture = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };

test('the texts of each content become one input', () => {
  const content = { parts: [{ text: 'one' }, { text: 'two' }] };
  expect(toOpenaiEmbeddings({ model: 'm', content }).input).toEqual(['one\ntwo']);
  expect(toOpenaiEmbeddings({ model: 'm', requests: [{ content }, { content }] }).input).toHaveLength(2);
});

test.each([
  ['a picture', picture],
  ['a file', { fileData: { fileUri: 'gs://a/b.mp4' } }],
])('%s is refused rather than left out of a vector', (_what, part) => {
  const content = { parts: [{ text: 'one' }, part] };
  for (const body of [
    { model: 'm', content },
    { model: 'm', requests: [{ content }] },
  ])
    expect(() => toOpenaiEmbeddings(body)).toThrow(RelayError);
});
