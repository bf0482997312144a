import { expect, test } from 'vitest';
import { chat, translated } from '../../../testing/protocols/translate-request.ts';
import { gemini } from './index.ts';

const image = (detail?: string) => ({
  type: 'image_url',
  image_url: { url: 'data:image/png;base64,QUJD', ...(detail && { detail }) },
});
const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,UERG' } };

test.each([
  ['each image in little detail', [image('low'), image('low')], 'MEDIA_RESOLUTION_LOW'],
  ['one of two images in little detail', [image('low'), image()], undefined],
  ['much detail, which is usual', [image('high')], undefined],
  ['a file beside the image, which is to be read well', [image('low'), file], undefined],
  ['no image', [{ type: 'text', text: 'hi' }], undefined],
])('%s', (_title, content, resolution) => {
  const { body } = translated(chat, gemini.codec!, { model: 'm', messages: [{ role: 'user', content }] });
  const { mediaResolution } = (body.generationConfig ?? {}) as { mediaResolution?: string };
  expect(mediaResolution).toBe(resolution);
});
