import { expect, test } from 'vitest';
import { scanForm } from '../../lib/form.ts';
import { field, file, writeForm } from '../../testing/protocols/forms.ts';
import { editAsJson } from './images.ts';
import type { JsonObject } from '../../lib/json.ts';

const place = (images: string[]): JsonObject => ({ image: images });
const ofJson = (body: JsonObject) =>
  editAsJson({ body, raw: Buffer.alloc(0), form: undefined, model: 'm' }, place);
const read = (written: ReturnType<typeof ofJson>) => JSON.parse(String(written?.bytes)) as JsonObject;

test('a form becomes JSON: its images as data, its numbers as numbers', () => {
  const png = Buffer.from([1, 2, 255]);
  const parts = [
    field('prompt', 'x'),
    field('seed', '7'),
    field('watermark', 'false'),
    file('image[]', 'a.jpg', png, 'image/jpeg'),
    file('image[]', 'b', png, 'application/octet-stream'),
  ];
  const { body: raw } = writeForm(parts);
  const form = { scan: scanForm(raw, 'test-boundary'), files: [] };
  const body = { model: 'm', prompt: 'x', seed: '7', watermark: 'false' };
  expect(read(editAsJson({ body, raw, form, model: 'm' }, place))).toEqual({
    model: 'm',
    prompt: 'x',
    seed: 7,
    watermark: false,
    image: ['data:image/jpeg;base64,AQL/', 'data:image/png;base64,AQL/'],
  });
});

test.each<[string, JsonObject, string[]]>([
  ['an address', { image: 'https://a.test/1' }, ['https://a.test/1']],
  ['a list', { image: ['a', 'b'] }, ['a', 'b']],
  ['objects with addresses', { images: [{ image_url: 'a' }, { image_url: 'b' }] }, ['a', 'b']],
])('images given as %s are found', (_what, body, images) => {
  expect(read(ofJson({ prompt: 'x', ...body }))).toEqual({ prompt: 'x', image: images });
});

test('nothing is written where nothing is edited', () => {
  expect(ofJson({ prompt: 'x' })).toBeUndefined();
});

test.each<JsonObject>([
  { image: 'a', mask: { image_url: 'b' } },
  { images: [{ file_id: 'file-1' }] },
  { image: 7 },
])('%j is refused, for another channel to be tried', (body) => {
  expect(() => ofJson(body)).toThrow(expect.objectContaining({ status: 400, code: 'cannot_translate' }));
});
