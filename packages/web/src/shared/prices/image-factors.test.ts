import { imageFactor } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { imageFactors, looksLikeImages } from './image-factors.ts';

test('what is said about sizes is what is charged, for every model', () => {
  for (const model of ['cogview-3', 'dall-e-2']) {
    for (const [size, factor] of imageFactors(model).sizes) {
      expect(imageFactor(model, size, 'standard')).toBe(factor);
      expect(imageFactor(model, size, 'hd')).toBe(factor);
    }
  }
  expect(imageFactors('cogview-3').sizes.map(([, factor]) => factor)).toEqual([2, 2]);
  expect(imageFactors().sizes).toEqual(imageFactors('dall-e-2').sizes);
  expect(imageFactor('cogview-3', '640x480', 'standard')).toBe(1);
});

test('what is said about hd quality is what dall-e-3 is charged', () => {
  const { hd } = imageFactors();
  const charged = (size: string, quality: string) => imageFactor('dall-e-3', size, quality);
  expect(charged('512x512', 'hd')).toBe(charged('512x512', 'standard') * hd.square);
  expect(charged('1792x1024', 'hd')).toBe(charged('1792x1024', 'standard') * hd.oblong);
});

test('models that make images are told by their names', () => {
  const makers = ['dall-e-3', 'gpt-image-1', 'Kwai-Kolors/Kolors', 'sandbox-image'];
  expect(makers.filter(looksLikeImages)).toEqual(makers);
  expect(['suno_music', 'gpt-4o', 'whisper-1'].filter(looksLikeImages)).toEqual([]);
});
