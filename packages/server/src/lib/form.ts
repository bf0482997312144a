import type { Json, JsonObject } from './json.ts';

/**
 * The positions of the parts of a multipart/form-data body (RFC 7578) in its bytes, and how to change text fields
 * without writing the rest again: files are passed byte for byte. Strict on purpose: anything that two readers could
 * interpret differently is refused, because what Tollgate checks and charges must be what the upstream reads.
 */

/** The possible errors of a form. */
type FormFault =
  | 'ambiguous'
  | 'boundary_without_line_end'
  | 'broken_off'
  | 'forbidden_name'
  | 'headers_too_long'
  | 'invalid_boundary'
  | 'malformed_disposition'
  | 'malformed_headers'
  | 'name_too_long'
  | 'no_boundary'
  | 'no_disposition'
  | 'no_name'
  | 'not_utf8'
  | 'part_without_value'
  | 'repeated_field'
  | 'texts_too_long'
  | 'too_many_parts'
  | 'trailing_bytes'
  | 'transfer_encoding'
  | 'unreadable'
  | 'value_holds_boundary'
  | 'wrong_start';

/** The body is not a form, or an ambiguous one. */
export class FormError extends Error {
  readonly fault: FormFault;
  /** The field or the limit that the error is about; '' for none. */
  readonly value: string;

  constructor(fault: FormFault, value = '') {
    super(fault);
    this.name = 'FormError';
    this.fault = fault;
    this.value = value;
  }
}

/** One part: `raw[start..)` begins with its delimiter, `raw[valueStart..valueEnd)` is its value. */
interface FormPart extends PartHead {
  start: number;
  valueStart: number;
  valueEnd: number;
}

/** What the headers of a part say. */
interface PartHead {
  name: string;
  /** undefined for a text field. */
  fileName: string | undefined;
  /** True for a file, and for bytes without a name (`application/octet-stream`). */
  isFile: boolean;
  /** Content-Type of the part; '' for none. */
  type: string;
}

/** The positions in a form. */
export interface FormScan {
  boundary: string;
  parts: readonly FormPart[];
  /** Start of the closing delimiter. */
  closeAt: number;
}

/** More parts than any call has: sixteen images, a mask and a dozen fields. */
export const maxParts = 256;
export const maxHeadBytes = 8 * 1024;
const maxNameLength = 200;
const CRLF = '\r\n';
const headEnd = Buffer.from('\r\n\r\n');

/** The boundary in a Content-Type. Throws FormError if it has none, or several. */
export function readBoundary(contentType: string): string {
  const named = [...contentType.matchAll(/;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/gi)];
  if (named.length === 0) throw new FormError('no_boundary');
  const boundary = named[0]![1] ?? named[0]![2] ?? '';
  // RFC 2046, 5.1.1: at most 70 characters of a small set, no space at the end.
  if (named.length > 1 || !/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary)) {
    throw new FormError('invalid_boundary');
  }
  return boundary;
}

/**
 * Finds the parts of a form. Throws FormError unless the body is a well-formed form from its first byte to its last.
 */
export function scanForm(raw: Buffer, boundary: string): FormScan {
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: FormPart[] = [];
  let at = raw.indexOf(CRLF) === 0 ? 2 : 0;
  if (!startsWith(raw, delimiter, at)) throw new FormError('wrong_start');
  for (;;) {
    const behind = at + delimiter.length;
    if (raw.toString('latin1', behind, behind + 2) === '--') {
      checkEnd(raw, behind + 2);
      return { boundary, parts, closeAt: at };
    }
    if (parts.length === maxParts) throw new FormError('too_many_parts', String(maxParts));
    const part = readPart(raw, at, behind, delimiter);
    parts.push(part);
    at = part.valueEnd + CRLF.length;
  }
}

const startsWith = (raw: Buffer, bytes: Buffer, at: number): boolean =>
  raw.subarray(at, at + bytes.length).equals(bytes);

/** After the closing delimiter only one line end is allowed. */
function checkEnd(raw: Buffer, at: number): void {
  const rest = raw.subarray(at, at + 3).toString('latin1');
  if (rest !== '' && rest !== CRLF) throw new FormError('trailing_bytes');
}

function readPart(raw: Buffer, start: number, behind: number, delimiter: Buffer): FormPart {
  if (raw.toString('latin1', behind, behind + 2) !== CRLF) {
    throw new FormError('boundary_without_line_end');
  }
  const head = raw.subarray(behind, behind + maxHeadBytes).indexOf(headEnd);
  if (head < 0) throw new FormError('headers_too_long');
  const valueStart = behind + head + headEnd.length;
  // The line end before the delimiter belongs to it; readers differ on whether a header's own line end is enough.
  const next = raw.indexOf(Buffer.concat([Buffer.from(CRLF), delimiter]), valueStart - CRLF.length);
  if (next < 0) throw new FormError('broken_off');
  if (next < valueStart) throw new FormError('part_without_value');
  const described = readPartHead(raw.subarray(behind + CRLF.length, behind + head));
  return { ...described, start, valueStart, valueEnd: next };
}

/** Reads the headers of a part, without the empty line behind them. Throws FormError. */
export const readPartHead = (bytes: Buffer): PartHead => describe(readHeaders(bytes.toString('utf8')));

/** A control character other than a tab. */
const control = /[^\P{Cc}\t]/u;

/** Headers of a part, by lower-case name; each may occur once. */
function readHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split(CRLF)) {
    const [, name, value] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined || control.test(line) || headers.has(name.toLowerCase())) {
      throw new FormError('malformed_headers');
    }
    headers.set(name.toLowerCase(), (value ?? '').trim());
  }
  return headers;
}

function describe(headers: ReadonlyMap<string, string>): PartHead {
  const encoding = headers.get('content-transfer-encoding');
  if (encoding !== undefined && !/^(binary|7bit|8bit)$/i.test(encoding)) {
    throw new FormError('transfer_encoding');
  }
  const { name, fileName } = readDisposition(headers.get('content-disposition') ?? '');
  const type = headers.get('content-type') ?? '';
  const isFile = fileName !== undefined || /^application\/octet-stream\b/i.test(type);
  const charset = /charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1];
  // Some readers decode a field by its charset, others always as UTF-8.
  if (!isFile && charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new FormError('not_utf8');
  }
  return { name, fileName, isFile, type };
}

const parameter = /;[ \t]*(name|filename\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"\\]+))/iy;

/** `form-data; name="x"; filename="y"`, with or without quotes, each parameter once. */
function readDisposition(value: string): { name: string; fileName: string | undefined } {
  const found = new Map<string, string>();
  let at = /^form-data[ \t]*/i.exec(value)?.[0].length ?? -1;
  if (at < 0) throw new FormError('no_disposition');
  while (at < value.length) {
    parameter.lastIndex = at;
    const match = parameter.exec(value);
    const key = match?.[1]?.toLowerCase() ?? '';
    if (!match || found.has(key)) throw new FormError('malformed_disposition');
    found.set(key, match[2] ?? match[3] ?? '');
    at = parameter.lastIndex;
  }
  const name = found.get('name') ?? '';
  if (name === '') throw new FormError('no_name');
  if (name.length > maxNameLength) throw new FormError('name_too_long');
  // Readers differ on the meaning of a backslash in a name, and this name is used by our own code.
  if (name.includes('\\') || name === '__proto__') throw new FormError('forbidden_name');
  return { name, fileName: found.get('filename*') ?? found.get('filename') };
}

/** Field → its new text, or one text for each of its parts; undefined removes it. */
type FormChanges = ReadonlyMap<string, string | readonly string[] | undefined>;

/**
 * The form with some text fields replaced, added or removed, every other byte unchanged, with the same boundary.
 * Throws FormError if a new text contains the boundary.
 */
export function rewriteForm(raw: Buffer, scan: FormScan, changes: FormChanges): Buffer {
  const pieces: Buffer[] = [];
  const written = new Set<string>();
  let copied = 0;
  for (const [index, part] of scan.parts.entries()) {
    if (part.isFile || !changes.has(part.name)) continue;
    const end = scan.parts[index + 1]?.start ?? scan.closeAt;
    const value = changes.get(part.name);
    if (typeof value === 'string' && !written.has(part.name)) {
      pieces.push(raw.subarray(copied, part.valueStart), valueBytes(value, scan));
      copied = part.valueEnd;
    } else {
      pieces.push(raw.subarray(copied, part.start));
      if (Array.isArray(value) && !written.has(part.name)) pieces.push(partsOf(part.name, value, scan));
      copied = end;
    }
    written.add(part.name);
  }
  pieces.push(raw.subarray(copied, scan.closeAt));
  for (const [name, value] of changes) {
    if (value === undefined || written.has(name)) continue;
    pieces.push(partsOf(name, typeof value === 'string' ? [value] : value, scan));
  }
  pieces.push(raw.subarray(scan.closeAt));
  return Buffer.concat(pieces);
}

function partsOf(name: string, values: readonly string[], scan: FormScan): Buffer {
  const bytes = values.map((value) =>
    Buffer.concat([
      Buffer.from(
        `--${scan.boundary}${CRLF}Content-Disposition: form-data; name="${escapeName(name)}"${CRLF}${CRLF}`,
      ),
      valueBytes(value, scan),
      Buffer.from(CRLF),
    ]),
  );
  return Buffer.concat(bytes);
}

/** Escaped like in browsers (HTML, multipart/form-data encoding algorithm). */
const escapeName = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

function valueBytes(value: string, { boundary }: FormScan): Buffer {
  if (value.includes(`--${boundary}`)) throw new FormError('value_holds_boundary');
  return Buffer.from(value);
}

/**
 * The content of a form without its boundary, as bytes to be hashed: a client that sends the same form again chooses
 * another boundary.
 */
export function formEssence(raw: Buffer, { parts }: FormScan): Buffer[] {
  return parts.flatMap((part) => {
    const value = raw.subarray(part.valueStart, part.valueEnd);
    const head = JSON.stringify([part.name, part.fileName ?? null, part.type, value.length]);
    return [Buffer.from(`${head}\n`), value];
  });
}

/**
 * The fields of a form with their types: a form has only text. Text that is not a number or a boolean stays text, so
 * that the check of the field refuses it.
 */
export function typedFields(
  body: JsonObject,
  fields: { numbers: readonly string[]; flags: readonly string[] },
): JsonObject {
  const typed: JsonObject = { ...body };
  for (const name of fields.numbers) {
    const value = body[name];
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) typed[name] = Number(value);
  }
  for (const name of fields.flags) {
    const value = body[name];
    if (typeof value === 'string' && /^(true|false)$/i.test(value))
      typed[name] = value.toLowerCase() === 'true';
  }
  return typed;
}

/** A value as the text of a field. */
const fieldText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The new parts of a changed form field: a list becomes one part for each of its values. */
export const formValue = (value: Json): string | string[] =>
  Array.isArray(value) ? value.map(fieldText) : fieldText(value);
