import { texts, type Translate } from '../../lib/i18n.ts';
import { imageFactors } from './image-factors.ts';

const text = texts({
  sizes: {
    zh: '图像按张计费，每张按尺寸乘以：{factors}，其他尺寸 ×1。',
    en: 'Images are charged per image, multiplied by size: {factors}, other sizes ×1.',
  },
  hd: {
    zh: 'hd 质量再乘以 {square}（两种长图为 {oblong}）。',
    en: 'HD quality multiplies this by {square} ({oblong} for the two wide sizes).',
  },
});

/** The model with the most factors, for texts about no particular model. */
const special = 'dall-e-3';

/** Describes the factors of size and quality on the price of an image; without a model those of all models. */
export function imagePriceText(t: Translate, model?: string): string {
  if (model === undefined) return `${imagePriceText(t, '')} ${special}: ${imagePriceText(t, special)}`;
  const { sizes, hd } = imageFactors(model);
  const words = t(text.sizes, { factors: sizes.map(([size, factor]) => `${size} ×${factor}`).join(', ') });
  return hd.square === 1 ? words : `${words} ${t(text.hd, hd)}`;
}
