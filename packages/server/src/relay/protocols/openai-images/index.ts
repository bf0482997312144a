import { imageFactor } from '@tollgate/contract';
import { typedFields } from '../../../lib/form.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import {
  choicesOf,
  refuser,
  imageOutputTokens,
  inputImageTokens,
  partialImageTokens,
  requiredText,
  streamOptionsOf,
  wholeNumber,
  estimateInput,
  readOpenaiError,
  writeOpenaiError,
  writeOpenaiStreamError,
} from '../../families/openai/index.ts';
import type { BodySizes, RequestFacts, CallerProtocol } from '../../types/index.ts';
import { openImagesPipe } from './wire.ts';

const no = refuser('invalid_image_request');

/** Fields for the number of images at vendors that copy the API. */
const otherNumbers = [
  'batch_size',
  'num_images',
  'num_images_per_prompt',
  'num_outputs',
  'sampleCount',
] as const;
const fields = { numbers: ['n', 'partial_images', ...otherNumbers], flags: ['stream'] } as const;
/**
 * Form fields that Tollgate reads. A file under one of these names is refused, because other parsers would read it as
 * the field.
 */
const texts = new Set<string>(['model', 'prompt', 'size', 'quality', ...fields.numbers, ...fields.flags]);

/** The facts of a call for images: generations as JSON, edits as a form or as JSON. */
function readFacts(given: JsonObject, sizes: BodySizes): RequestFacts {
  const body = sizes.files ? typedFields(given, fields) : given;
  const model = requiredText(body, 'model', no);
  requiredText(body, 'prompt', no);
  const size = textField(body, 'size');
  const quality = textField(body, 'quality');
  const calls = imagesIn(body);
  const partial = wholeNumber(body, 'partial_images', { least: 0, most: 16, fallback: 0 }, no);
  const sent = sentImages(body, sizes);
  const inputTokens = estimateInput(sizes, sent.binaryLength);
  return {
    model,
    ...streamOptionsOf(body, no),
    maxOutputTokens: imageOutputTokens(size, quality) + partial * partialImageTokens,
    estimatedInputTokens: inputTokens + sent.count * inputImageTokens(body.input_fidelity),
    choices: calls,
    // Without usage of the vendor, an image counts as one token (docs/compatibility.md#charge).
    media: { answer: 'images', calls, factor: imageFactor(model, size, quality), inputTokens: calls },
  };
}

/**
 * Number of requested images by any of its names, because the server of a channel may use another name than `n`. The
 * charge never exceeds it.
 */
const imagesIn = (body: JsonObject): number =>
  Math.max(...['n', ...otherNumbers].map((field) => choicesOf(body, field, no)));

/** A text that affects the price; '' if the vendor chooses the value. */
function textField(body: JsonObject, field: string): string {
  const value = body[field] ?? '';
  return typeof value === 'string' ? value : no('field_not_text', { field });
}

/** The images of an edit, and the characters of base64 among them. */
function sentImages(body: JsonObject, { files }: BodySizes): { count: number; binaryLength: number } {
  if (files) {
    const misplaced = files.find(({ name }) => texts.has(name));
    if (misplaced) return no('field_is_file', { field: misplaced.name });
    if (!files.some(({ name }) => /^image(\[\d*\])?$/.test(name)))
      return no('field_required', { field: 'image' });
    return { count: files.length, binaryLength: 0 };
  }
  const found = { count: 0, binaryLength: 0 };
  for (const value of [body.image, body.images, body.mask]) addImages(found, value, 0);
  return found;
}

/** Visits images by address, data or id, single, in lists or in objects. */
function addImages(
  found: { count: number; binaryLength: number },
  value: Json | undefined,
  depth: number,
): void {
  if (typeof value === 'string') {
    found.count += 1;
    if (value.startsWith('data:') || value.length > 4_096) found.binaryLength += value.length;
  } else if (typeof value === 'object' && value !== null && depth < 3) {
    for (const each of Object.values(value)) addImages(found, each, depth + 1);
  }
}

/** OpenAI images: generations and edits. Images pass unchanged, as addresses or as base64. */
export const openaiImages: CallerProtocol = {
  id: 'openai-images',
  inbound: {
    id: 'openai-images',
    readFacts,
    writeError: writeOpenaiError,
    writeStreamError: writeOpenaiStreamError,
    ping: Buffer.from(': PING\n\n'),
  },
  outbound: { id: 'openai-images', openPipe: openImagesPipe, readError: readOpenaiError },
};
