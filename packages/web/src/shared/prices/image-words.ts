import { texts, type Say } from '../../lib/i18n.ts';
import { hdModel, imageFactors } from './image-factors.ts';

const text = texts({
  sizes: {
    zh: '图像按张计费，每张按尺寸乘以：{factors}，其他尺寸 ×1。',
    en: 'Images are charged each, times the factor of their size: {factors}, others ×1.',
  },
  small: {
    zh: '小于 1 的系数只用于 dall-e 系列。',
    en: 'Factors below 1 are those of the dall-e models alone.',
  },
  hd: {
    zh: '{model} 的 hd 质量再乘以 {square}（两种长图为 {oblong}）。',
    en: 'Quality hd of {model} counts {square} times as much again ({oblong} times for the two oblong sizes).',
  },
});

/** How size and quality change the price of an image, in words; without a model for all of them. */
export function imageWords(say: Say, model?: string): string {
  const { sizes, hd } = imageFactors(model);
  const factors = sizes.map(([size, factor]) => `${size} ×${factor}`).join(', ');
  const words = `${say(text.sizes, { factors })}${model === undefined ? ` ${say(text.small)}` : ''}`;
  const hasQuality = model === undefined || model === hdModel;
  return hasQuality ? `${words} ${say(text.hd, { model: hdModel, ...hd })}` : words;
}
