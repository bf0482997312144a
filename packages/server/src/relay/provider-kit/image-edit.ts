import { typedFields } from '../../lib/form.ts';
import { type Json, type JsonObject, objectOf } from '../../lib/json.ts';
import { type DraftBody, type WrittenBody, refuse } from '../types/index.ts';

/** Fields of an edit that are not text. */
const typed = { numbers: ['n', 'seed', 'guidance_scale'], flags: ['stream', 'watermark'] } as const;

/**
 * An edit as JSON, for vendors that accept no forms: its images as data URLs, or as their original addresses. `place`
 * puts them where the vendor expects them. Throws RelayError (400) for masks and for images stored at OpenAI.
 * Undefined if it is not an edit.
 */
export function editAsJson(
  draft: DraftBody,
  place: (images: string[]) => JsonObject,
): WrittenBody | undefined {
  const { form, body } = draft;
  if (!form && body.image === undefined && body.images === undefined) return undefined;
  const { image: _image, images: _images, mask, ...rest } = form ? typedFields(body, typed) : body;
  const isMasked = (mask ?? null) !== null || form?.scan.parts.some(({ name }) => name === 'mask');
  if (isMasked) throw refuse('masks_not_supported');
  const images = form ? imagesIn(draft) : [body.image, body.images].flatMap(addressesIn);
  const written = { ...rest, ...place(images) };
  return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(written)) };
}

function imagesIn({ raw, form }: DraftBody): string[] {
  return (form?.scan.parts ?? [])
    .filter(({ isFile, name }) => isFile && /^image(\[\d*\])?$/.test(name))
    .map(({ type, valueStart, valueEnd }) => {
      const data = raw.subarray(valueStart, valueEnd).toString('base64');
      return `data:${type.startsWith('image/') ? type : 'image/png'};base64,${data}`;
    });
}

/** Images in JSON: strings, alone or in a list, or objects with an address (`image_url`). */
function addressesIn(value: Json | undefined): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (typeof value === 'string') return [value];
  const { image_url: address } = objectOf(value);
  if (typeof address === 'string') return [address];
  throw refuse('foreign_images');
}
