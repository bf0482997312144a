import {
  type AdaptContext,
  refuse,
  type SendTools,
  type UpstreamCall,
  type DraftBody,
  type WrittenBody,
} from '../types/index.ts';
import {
  type JsonObject,
  numberOf,
  objectsIn,
  textOf,
  parseObject,
  type Json,
  objectOf,
} from '../../lib/json.ts';
import { callOf, finishedAnswer } from './define-provider.ts';
import { typedFields } from '../../lib/form.ts';

/** The capabilities of an image vendor, if it has fewer than OpenAI's own API. */
interface ImageMaker {
  /** The vendor's name in error messages. */
  name: string;
  /** Most images of one call. */
  most: number;
  edits: boolean;
}

/**
 * The number of images (`n`, which the protocol has checked). Throws RelayError (400, `cannot_translate`: another
 * channel may support it) for streams, edits and numbers that the vendor does not support.
 */
export function imagesAsked(
  { n }: JsonObject,
  { path, stream }: Pick<AdaptContext, 'path' | 'stream'>,
  { name, most, edits }: ImageMaker,
): number {
  if (stream) throw refuse('images_not_streamed', { provider: name });
  if (!edits && callOf('openai-images', path) === '/edits')
    throw refuse('images_not_edited', { provider: name });
  const asked = numberOf(n ?? 1);
  if (asked > most) throw tooMany(name, most);
  return asked;
}

const tooMany = (provider: string, most: number) =>
  most === 1
    ? refuse('one_image_at_once', { provider })
    : refuse('too_many_images_at_once', { provider, most });

/** True if images are requested as data; if a vendor only returns addresses, Tollgate fetches them. */
export const wantsData = ({ asked }: Pick<UpstreamCall, 'asked'>): boolean =>
  asked.response_format === 'b64_json';

/** The images, each with its address, with their data under the name `as` instead of the address. */
export const withData = (
  images: readonly JsonObject[],
  as: string,
  { fetchFile }: Pick<SendTools, 'fetchFile'>,
): Promise<JsonObject[]> =>
  Promise.all(
    images.map(async ({ url, ...image }) => {
      if (textOf(url) === '') return image;
      return { ...image, [as]: (await fetchFile(textOf(url))).base64 };
    }),
  );

/**
 * An image call to a vendor that only returns addresses, in `list`. If data were requested, the call is made here and
 * its images are fetched; any other answer is passed on unchanged.
 */
export async function imagesAsData(
  call: UpstreamCall,
  list: string,
  tools: SendTools,
): Promise<UpstreamCall> {
  if (!wantsData(call)) return call;
  const { method, url, headers } = call;
  const { status, body } = await tools.ask({ method, url, headers, body: call.body, isCall: true });
  const answer = status === 200 ? parseObject(body) : undefined;
  const images = objectsIn(answer?.[list]);
  if (!answer || images.length === 0) return { ...call, local: finishedAnswer(body, status) };
  const data = await withData(images, 'b64_json', tools);
  return { ...call, local: finishedAnswer(Buffer.from(JSON.stringify({ ...answer, [list]: data }))) };
}

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
