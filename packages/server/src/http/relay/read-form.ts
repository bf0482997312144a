import { Busboy } from '@fastify/busboy';
import { readBoundary, FormError, type FormScan, rewriteForm, scanForm } from '../../lib/form.ts';
import { soundSeconds } from '../../lib/media/sound-length.ts';
import { type FormFile, type RequestForm, invalidForm } from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';

/** Options for reading the forms of a route. */
export interface FormRule {
  /** The model if the form has none (docs/compatibility.md#channel-selection). */
  defaultModel: string | undefined;
  /** The file with sound whose length in seconds is needed; absent if no sound is sent. */
  sound?: string | undefined;
}

/** A form as the relay needs it: its text fields, its files, and its bytes. */
export interface FormBody {
  raw: Buffer;
  json: JsonObject;
  form: RequestForm;
  /** Bytes and UTF-16 units of the text fields together. */
  byteLength: number;
  charLength: number;
}

/** More text in one form is not a prompt. */
const maxTextBytes = 4 * 1024 * 1024;

/** True for the Content-Type of a form. */
export const isForm = (contentType: string): boolean => /^\s*multipart\/form-data\s*(;|$)/i.test(contentType);

/**
 * Reads a form completely with two parsers, our strict one and the platform's. They must agree, so that the checked
 * and charged content is the one that an upstream reads. Rejects with a RelayError (400).
 */
export async function readForm(raw: Buffer, contentType: string, rule: FormRule): Promise<FormBody> {
  try {
    return await read(raw, contentType, rule);
  } catch (cause) {
    if (!(cause instanceof FormError)) throw cause;
    throw invalidForm(cause);
  }
}

async function read(raw: Buffer, contentType: string, rule: FormRule): Promise<FormBody> {
  const scan = scanForm(raw, readBoundary(contentType));
  const texts = readTexts(raw, scan);
  await agree(raw, scan, texts, contentType);
  const json = readFields(texts);
  if (json.model === undefined && rule.defaultModel !== undefined) {
    const named = rewriteForm(raw, scan, new Map([['model', rule.defaultModel]]));
    return read(named, contentType, { ...rule, defaultModel: undefined });
  }
  const files = await Promise.all(
    scan.parts.filter(({ isFile }) => isFile).map((part) => describeFile(raw, part, rule.sound)),
  );
  const charLength = texts.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  const byteLength = texts.reduce((sum, [name, text]) => sum + name.length + Buffer.byteLength(text), 0);
  return { raw, json, form: { scan, files }, byteLength, charLength };
}

type Field = readonly [name: string, text: string];

function readTexts(raw: Buffer, { parts }: FormScan): Field[] {
  const fields = parts.filter(({ isFile }) => !isFile);
  const bytes = fields.reduce((sum, { valueStart, valueEnd }) => sum + valueEnd - valueStart, 0);
  if (bytes > maxTextBytes) throw new FormError('texts_too_long');
  return fields.map(({ name, valueStart, valueEnd }) => [name, raw.toString('utf8', valueStart, valueEnd)]);
}

/** The text fields by name. A name may occur twice only if its brackets mark it as a list. */
function readFields(texts: readonly Field[]): JsonObject {
  const json: JsonObject = {};
  for (const [name, text] of texts) {
    const before = json[name];
    if (name.endsWith('[]')) json[name] = [...(Array.isArray(before) ? before : []), text];
    else if (before === undefined) json[name] = text;
    else throw new FormError('repeated_field', name.slice(0, 60));
  }
  return json;
}

async function describeFile(
  raw: Buffer,
  { name, fileName, type, valueStart, valueEnd }: FormScan['parts'][number],
  sound: string | undefined,
): Promise<FormFile> {
  const file = { name, fileName: fileName ?? '', type, sizeBytes: valueEnd - valueStart };
  if (name !== sound) return file;
  return { ...file, seconds: await soundSeconds(raw.subarray(valueStart, valueEnd)) };
}

/**
 * Throws if the platform's parser reads the form differently. Files are left out, because they contain no delimiter.
 */
async function agree(
  raw: Buffer,
  scan: FormScan,
  texts: readonly Field[],
  contentType: string,
): Promise<void> {
  const fields: Field[] = [];
  const files: string[] = [];
  const parser = new Busboy({
    headers: { 'content-type': contentType },
    limits: { fieldSize: maxTextBytes, fieldNameSize: 1_024 },
  });
  parser.on('field', (name, text) => fields.push([name, text]));
  parser.on('file', (name, stream) => {
    files.push(name);
    stream.resume();
  });
  await new Promise<void>((resolve, reject) => {
    parser.on('finish', resolve);
    parser.on('error', reject);
    parser.end(withoutFiles(raw, scan));
  }).catch(() => {
    throw new FormError('unreadable');
  });
  const ours = scan.parts.filter(({ isFile }) => isFile).map(({ name }) => name);
  if (JSON.stringify([fields, files]) !== JSON.stringify([texts, ours])) {
    throw new FormError('ambiguous');
  }
}

function withoutFiles(raw: Buffer, { parts }: FormScan): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { isFile, valueStart, valueEnd } of parts) {
    if (!isFile) continue;
    pieces.push(raw.subarray(at, valueStart));
    at = valueEnd;
  }
  return Buffer.concat([...pieces, raw.subarray(at)]);
}
