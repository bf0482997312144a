import type { Json } from '../../../lib/json.ts';

/** Little-endian 32-bit floats in base64, as OpenAI packs a vector. */
export function packFloats(vector: Json): string {
  if (!Array.isArray(vector)) return '';
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(typeof value === 'number' ? value : 0, index * 4));
  return bytes.toString('base64');
}
