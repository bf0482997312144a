import { describe, expect, it, test } from 'vitest';
import { field, file, wavFile, writeForm, type WrittenPart } from '../../testing/protocols/forms.ts';
import { isForm, readForm } from './read-form.ts';

const wav = wavFile(2);
const rule = { defaultModel: 'whisper-1', sound: 'file' };
const read = (parts: readonly WrittenPart[], given = rule) => {
  const { body, contentType } = writeForm(parts);
  return readForm(body, contentType, given);
};
const refused = (code: string, words: RegExp) =>
  expect.objectContaining({
    status: 400,
    code,
    blame: 'caller',
    words: expect.objectContaining({ en: expect.stringMatching(words) as unknown }) as unknown,
  });

test('forms are recognized by their content type', () => {
  expect(isForm('multipart/form-data; boundary=x')).toBe(true);
  expect(isForm('Multipart/Form-Data')).toBe(true);
  expect([isForm('application/json'), isForm('multipart/form-data-x'), isForm('')]).toEqual([
    false,
    false,
    false,
  ]);
});

describe('a form', () => {
  it('has its texts as fields, its files by name, size and length, and its bytes unchanged', async () => {
    const parts = [
      file('file', 'talk.wav', wav),
      field('model', 'gpt-4o-transcribe'),
      field('include[]', 'logprobs'),
      field('include[]', 'more'),
      field('prompt', '你好'),
    ];
    const { raw, json, form, byteLength, charLength } = await read(parts);
    expect(raw).toEqual(writeForm(parts).body);
    expect(json).toEqual({ model: 'gpt-4o-transcribe', 'include[]': ['logprobs', 'more'], prompt: '你好' });
    const seconds = expect.closeTo(2, 3) as unknown;
    expect(form.files).toEqual([
      { name: 'file', fileName: 'talk.wav', type: 'audio/wav', sizeBytes: wav.length, seconds },
    ]);
    expect(byteLength - charLength).toBe(4);
  });

  it('without a model gets the default one, in its bytes too', async () => {
    const { raw, json, form } = await read([file('file', 'talk.wav', wav)]);
    expect(json).toEqual({ model: 'whisper-1' });
    expect(raw).toEqual(writeForm([file('file', 'talk.wav', wav), field('model', 'whisper-1')]).body);
    expect(form.scan.parts.map(({ name }) => name)).toEqual(['file', 'model']);
  });

  it('has only the requested sound measured', async () => {
    const { form } = await readForm(...asArguments([file('image', 'a.wav', wav)]), { defaultModel: 'm' });
    expect(form.files[0]).not.toHaveProperty('seconds');
  });

  const asArguments = (parts: readonly WrittenPart[]): [Buffer, string] => {
    const { body, contentType } = writeForm(parts);
    return [body, contentType];
  };
});

describe('a hostile form is refused with the reason:', () => {
  test.each<[string, WrittenPart[], RegExp]>([
    ['a field twice', [field('model', 'cheap'), field('model', 'dear')], /model occurs more than once/],
    [
      'thousands of fields',
      Array.from({ length: 5_000 }, (_, at) => field(`f${at}`, 'x')),
      /more than 256 parts/,
    ],
    ['a huge name', [field('x'.repeat(5_000), 'x')], /too long/],
    ['a huge head', [field('x'.repeat(50_000), 'x')], /too long/],
    ['a huge text', [field('prompt', 'x'.repeat(5 * 1024 * 1024))], /too long/],
    [
      'texts in a charset that readers understand differently',
      [
        {
          head: 'Content-Disposition: form-data; name="model"\r\nContent-Type: text/plain; charset=utf-16le',
          value: 'ab',
        },
      ],
      /UTF-8/,
    ],
  ])('%s', async (_name, parts, words) => {
    await expect(read(parts)).rejects.toEqual(refused('invalid_form', words));
  });

  it('one that is cut off anywhere', async () => {
    const { body, contentType } = writeForm([
      field('model', 'm'),
      file('file', 'a.wav', Buffer.from('sound')),
    ]);
    for (let at = 0; at < body.length - 2; at += 1) {
      await expect(readForm(body.subarray(0, at), contentType, rule)).rejects.toEqual(
        refused('invalid_form', /./),
      );
    }
  });

  it('one without a boundary', async () => {
    const { body } = writeForm([field('model', 'm')]);
    await expect(readForm(body, 'multipart/form-data', rule)).rejects.toEqual(
      refused('invalid_form', /names no boundary/),
    );
  });
});
