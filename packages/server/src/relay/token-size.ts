import { imageSize } from '../lib/image-size.ts';
import { isObject, type Json } from './model/json.ts';

/** Tokens that stand for what is not text (wire-facts 11.4). */
export const partTokens = {
  audio: 100,
  file: 5_000,
  video: 5_000,
  smallImage: 85,
  glmImage: 1_047,
  flatImage: 255,
};

/** Tokens that a conversation costs beyond its words: each message, its name, the answer's beginning, the tools. */
export const messageTokens = { each: 3, name: 1, reply: 3, tools: 8 };

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** An image by its size in tiles of 512 pixels, its shorter side limited to 768. */
export function imageTokens(image: Json, model: string): number {
  const url = isObject(image) ? textOf(image.url) : textOf(image);
  if (isObject(image) && image.detail === 'low') return partTokens.smallImage;
  if (model.startsWith('glm-4v')) return partTokens.glmImage;
  if (/^(gemini|claude)/.test(model)) return partTokens.flatImage;
  const size = url.startsWith('data:') ? imageSize(headOf(url)) : undefined;
  if (!size) return partTokens.flatImage;
  const scale = Math.min(1, 768 / Math.min(size.width, size.height));
  const across = (length: number): number => Math.ceil(Math.ceil(length * scale) / 512);
  const tiles = across(size.width) * across(size.height);
  return model.startsWith('gpt-4o-mini') ? tiles * 5_667 + 2_833 : tiles * 170 + 85;
}

/** The first bytes of a data URL; the size of an image stands in them. */
function headOf(url: string): Buffer {
  const comma = url.indexOf(',');
  return Buffer.from(url.slice(comma + 1, comma + 1 + 64 * 1024), 'base64');
}
