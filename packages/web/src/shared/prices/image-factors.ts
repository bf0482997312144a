import { imageFactor, modelKindOf } from '@tollgate/contract';

/** How size and quality change the price of an image. */
export interface ImageFactors {
  /** Sizes with another factor than 1. */
  sizes: readonly (readonly [size: string, factor: number])[];
  /** What `hd` quality multiplies the size's factor by: square, and the two oblong sizes. */
  hd: { square: number; oblong: number };
}

const sizes = ['256x256', '512x512', '1024x1024', '1024x1792', '1792x1024'] as const;

/** The factors of a model's images, from the function that charges them. */
export function imageFactors(model: string): ImageFactors {
  const factorOf = (size: string, quality = 'standard') => imageFactor(model, size, quality);
  const hdOf = (size: string) => factorOf(size, 'hd') / factorOf(size);
  return {
    sizes: sizes.map((size) => [size, factorOf(size)] as const).filter(([, factor]) => factor !== 1),
    hd: { square: hdOf('1024x1024'), oblong: hdOf('1024x1792') },
  };
}

/** True for models that make images by a call of their own. */
export const looksLikeImages = (model: string): boolean => modelKindOf(model) === 'image';
