import { imageFactor } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { imageFactors, looksLikeImages } from './image-factors.ts';

test.each(['cogview-3', 'dall-e-2', 'dall-e-3'])('the text about %s agrees with its charge', (model) => {
  const { sizes, hd } = imageFactors(model);
  const charged = (size: string, quality = 'standard') => imageFactor(model, size, quality);
  const shown = new Map(sizes);
  for (const size of ['256x256', '512x512', '1024x1024', '1024x1792', '1792x1024', '640x480'])
    expect(charged(size)).toBe(shown.get(size) ?? 1);
  expect(charged('1024x1024', 'hd')).toBe(charged('1024x1024') * hd.square);
  expect(charged('1792x1024', 'hd')).toBe(charged('1792x1024') * hd.oblong);
});

test('models that make images are recognized by their names', () => {
  const makers = ['dall-e-3', 'gpt-image-1', 'Kwai-Kolors/Kolors', 'sandbox-image'];
  expect(makers.filter(looksLikeImages)).toEqual(makers);
  expect(['suno_music', 'gpt-4o', 'whisper-1'].filter(looksLikeImages)).toEqual([]);
});
