import { imageFactor, modelKindOf } from '@tollgate/contract';

/** Factors of size and quality on the price of an image. */
export interface ImageFactors {
  /** Sizes with a factor other than 1. */
  sizes: readonly (readonly [size: string, factor: number])[];
  /** Factor of `hd` quality on the size's factor: for the square, and for the two oblong sizes. */
  hd: { square: number; oblong: number };
}

const sizes = ['256x256', '512x512', '1024x1024', '1024x1792', '1792x1024'] as const;

/** The image factors of a model, from the function that charges images. */
export function imageFactors(model: string): ImageFactors {
  const factorOf = (size: string, quality = 'standard') => imageFactor(model, size, quality);
  const hdOf = (size: string) => factorOf(size, 'hd') / factorOf(size);
  return {
    sizes: sizes.map((size) => [size, factorOf(size)] as const).filter(([, factor]) => factor !== 1),
    hd: { square: hdOf('1024x1024'), oblong: hdOf('1024x1792') },
  };
}

/** True for models that generate images by a separate call. */
export const looksLikeImages = (model: string): boolean => modelKindOf(model) === 'image';
