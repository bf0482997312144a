import { isObject, type Json, type JsonObject, parseObject, textOf } from '../../../lib/json.ts';
import { refuse, type Source } from '../../types/index.ts';

/** The longest video that can be requested; the vendor determines the available lengths. */
const maxSeconds = 3_600;

/** The first existing one of some fields; callers use several names for the same field. */
function firstOf(body: JsonObject, names: readonly string[]): Json | undefined {
  const name = names.find((each) => body[each] !== undefined && body[each] !== null && body[each] !== '');
  return name === undefined ? undefined : body[name];
}

/** A text field. Throws RelayError (400) for any other value. */
export function textField(body: JsonObject, names: readonly string[]): string | undefined {
  const value = firstOf(body, names);
  if (value === undefined || typeof value === 'string') return value;
  throw refuse('field_not_text', { field: names[0] ?? '' });
}

/** A whole number within bounds, as a number or as its digits. Throws RelayError (400), because it affects money. */
export function wholeField(
  body: JsonObject,
  names: readonly string[],
  { least, most }: { least: number; most: number },
): number | undefined {
  const value = firstOf(body, names);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most)
    return number;
  throw refuse('field_out_of_range', { field: names[0] ?? '', least, most });
}

/** The length of a video in seconds. */
export const secondsField = (body: JsonObject): number | undefined =>
  wholeField(body, ['seconds', 'duration'], { least: 1, most: maxSeconds });

/** An object, or its JSON text in a form; empty without one. Throws RelayError (400). */
export function objectField(body: JsonObject, name: string): JsonObject {
  const value = firstOf(body, [name]);
  if (value === undefined) return {};
  const object = typeof value === 'string' ? parseObject(value) : value;
  if (!isObject(object)) throw refuse('field_not_object', { field: name });
  return object;
}

/** The first characters of pictures in base64. */
const beginnings: readonly (readonly [begin: string, type: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['iVBOR', 'image/png'],
  ['UklGR', 'image/webp'],
  ['R0lGO', 'image/gif'],
];

/** A picture by its address, as a data URL, or as bare base64. Throws RelayError (400). */
function readPicture(value: Json | undefined): Source {
  const given = isObject(value) ? textOf(value.image_url) || textOf(value.url) : textOf(value);
  if (/^https?:\/\/\S+$/i.test(given)) return { kind: 'url', url: given };
  const data = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)$/.exec(given);
  if (data) return { kind: 'data', mediaType: data[1] ?? '', base64: data[2] ?? '' };
  const [, mediaType] = beginnings.find(([begin]) => given.startsWith(begin)) ?? [];
  if (mediaType !== undefined && /^[A-Za-z0-9+/=\s]+$/.test(given))
    return { kind: 'data', mediaType, base64: given };
  throw refuse('image_url_malformed');
}

/** One picture or several. */
export const picturesOf = (value: Json | undefined): Source[] =>
  value === undefined || value === null || value === ''
    ? []
    : (Array.isArray(value) ? value : [value]).map(readPicture);
