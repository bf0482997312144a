import { imageSize } from '../../../lib/media/image-size.ts';
import { isObject, type Json, textOf } from '../../../lib/json.ts';

/** Tokens of an image with low detail, of any size. */
const smallImage = 85;
const glmImage = 1_047;
/** Tokens of an image of unknown size, or of a vendor that does not count tiles. */
const flatImage = 255;
/** Tiles of an image of the usual shape, at the largest size that a vendor reads. */
const defaultTiles = 6;
/** The most tiles of one image: 2,048 by 768 pixels. */
const maxTiles = 8;
const tileSide = 512;
const shorterSide = 768;
/** Characters of base64 that are decoded for an image's head, which has its size. */
const headLength = 64 * 1024;

interface TilePrice {
  base: number;
  each: number;
}

const tilePriceOf = (model: string): TilePrice =>
  model.startsWith('gpt-4o-mini') ? { base: 2_833, each: 5_667 } : { base: 85, each: 170 };

const tokensOf = ({ base, each }: TilePrice, tiles: number): number => tiles * each + base;

/** An image by its size in tiles of 512 pixels, its shorter side limited to 768 (docs/compatibility.md#token-counting). */
export function imageTokens(image: Json, model: string): number {
  if (isLow(image)) return smallImage;
  if (model.startsWith('glm-4v')) return glmImage;
  if (/^(gemini|claude)/.test(model)) return flatImage;
  const tiles = tilesOf(image);
  return tiles === undefined ? flatImage : tokensOf(tilePriceOf(model), tiles);
}

/** Assumed tokens of an image in a hold. */
export interface ImageBound {
  likely: number;
  /** Maximum cost beyond the count of `imageTokens`: the size is unknown, or the vendor counts differently. */
  uncounted: number;
}

/** Maximum cost of an image for a model; `least` if the vendor of a protocol counts more than tiles. */
export function boundImage(image: Json, model: string, least = 0): ImageBound {
  const price = tilePriceOf(model);
  const counted = imageTokens(image, model);
  if (isLow(image)) return { likely: price.base, uncounted: price.base - counted };
  const tiles = tilesOf(image);
  const most = Math.max(least, counted, tokensOf(price, tiles ?? maxTiles));
  return {
    likely: Math.max(least, counted, tokensOf(price, Math.max(defaultTiles, tiles ?? 0))),
    uncounted: most - counted,
  };
}

const isLow = (image: Json): boolean => isObject(image) && image.detail === 'low';

/** Undefined if the request does not show the size: an address, or a truncated header. */
function tilesOf(image: Json): number | undefined {
  const url = textOf(isObject(image) ? image.url : image);
  const size = url.startsWith('data:') ? imageSize(headOf(url)) : undefined;
  if (!size) return undefined;
  const scale = Math.min(1, shorterSide / Math.min(size.width, size.height));
  const across = (length: number): number => Math.ceil(Math.ceil(length * scale) / tileSide);
  return across(size.width) * across(size.height);
}

/** The start of a data URL of a base64 image, enough to read its size; '' for none. */
export const inlineImage = (base64: string): string =>
  base64 === '' ? '' : `data:;base64,${base64.slice(0, headLength)}`;

function headOf(url: string): Buffer {
  const comma = url.indexOf(',');
  return Buffer.from(url.slice(comma + 1, comma + 1 + headLength), 'base64');
}
