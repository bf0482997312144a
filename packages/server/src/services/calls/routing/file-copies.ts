import { type JsonObject, numberOf, parseObject, textOf } from '../../../lib/json.ts';
import { refuse } from '../../../relay/types/index.ts';
import { type KeptParts, partsOf, sizeOfPart } from './kept-parts.ts';
import { fileIdIn, googleSeconds, type KeptAt, type Upload } from './vendor-files.ts';

// Google gives nobody the content of an uploaded file. The calls of batches must be read, so that such files are kept, too.

/** Bytes of a part. */
const partBytes = 512 * 1024;
/** Places of parts are 32-bit numbers on some databases. */
const maxPlace = 2 ** 31 - 1;

const linesTypes: ReadonlySet<string> = new Set([
  'jsonl',
  'text/jsonl',
  'application/jsonl',
  'application/x-jsonl',
  'application/jsonlines',
  'application/x-jsonlines',
]);
const plainTypes: ReadonlySet<string> = new Set(['text/plain', 'application/json']);

/** True for a file of JSON lines, by Google's description of it, or else by the MIME type and the name of its upload. */
export function hasLines(file: JsonObject, type: string, name = ''): boolean {
  const named = textOf(file['mimeType'] ?? file['mime_type']) || type;
  const [mime = ''] = named.toLowerCase().split(';', 1);
  if (linesTypes.has(mime.trim())) return true;
  const names = [textOf(file['displayName'] ?? file['display_name']), name];
  return plainTypes.has(mime.trim()) && names.some((each) => /\.jsonl$/i.test(each));
}

type CopiedUpload = Pick<Upload, 'userId' | 'requestId'>;

const objectOfUpload = ({ requestId }: CopiedUpload): string => partsOf(`copy ${requestId}`);
/** Callers may choose the names of files, so that two users may have the same. */
const objectOfFile = (userId: number, fileId: string): string => partsOf(`copy ${userId} ${fileId}`);

/**
 * Keeps the bytes of an upload while they pass, from an offset. The place of a part is that of its first byte: an upload
 * that is resumed may send some bytes again. If there is no room, nothing of the upload is kept, and it goes on.
 */
export class CopyWriter {
  private readonly keptParts: KeptParts;
  private readonly upload: CopiedUpload;
  private readonly object: string;
  private place: number;
  private waiting: Buffer[] = [];
  private size = 0;
  private room: number | undefined;

  constructor(keptParts: KeptParts, upload: CopiedUpload, offset: number) {
    this.keptParts = keptParts;
    this.upload = upload;
    this.object = objectOfUpload(upload);
    this.place = offset;
  }

  async add(bytes: Buffer): Promise<void> {
    this.waiting.push(bytes);
    this.size += bytes.length;
    if (this.size >= partBytes) await this.store();
  }

  /** Stores the rest. */
  async end(): Promise<void> {
    if (this.size > 0) await this.store();
  }

  private async store(): Promise<void> {
    const { keptParts, object, place } = this;
    const { userId } = this.upload;
    const bytes = Buffer.concat(this.waiting);
    this.waiting = [];
    this.size = 0;
    // What was given up has no first part any more.
    const hasBegun = this.room !== undefined || place === 0 || (await keptParts.count(object)) > 0;
    this.room ??= hasBegun ? await keptParts.room(userId) : -1;
    if (this.room < 0) return;
    const part = await keptParts.seal({ object, userId, place }, bytes);
    this.room = place + bytes.length > maxPlace ? -1 : this.room - sizeOfPart(part);
    if (this.room < 0) return keptParts.remove(object);
    await keptParts.add([part]);
    this.place += bytes.length;
  }
}

/** Forgets what was kept of an upload. */
export const dropCopy = (keptParts: KeptParts, upload: CopiedUpload): Promise<void> =>
  keptParts.remove(objectOfUpload(upload));

/** Gives what was kept of an upload to Google's file of its user, for as long as Google keeps the file. */
export async function giveCopy(
  keptParts: KeptParts,
  upload: CopiedUpload,
  at: KeptAt,
  file: JsonObject,
): Promise<void> {
  const { userId } = upload;
  const fileId = fileIdIn('gemini', file);
  await removeCopy(keptParts, userId, fileId);
  const object = objectOfUpload(upload);
  const bytes = Number(file['sizeBytes']);
  if (!(bytes > 0)) return keptParts.remove(object);
  if ((await keptParts.count(object)) === 0) return;
  await keptParts.extend(object, googleSeconds);
  const known = JSON.stringify({ object, bytes, channelId: at.id, keyId: at.keyId });
  const place = { object: objectOfFile(userId, fileId), userId, place: 0 };
  await keptParts.add([await keptParts.seal(place, known, googleSeconds)]);
}

/** The copy of a file. */
export interface FileCopy {
  object: string;
  bytes: number;
}

/** The copy of a user's file at its channel and key; undefined without one. */
export async function findCopy(
  keptParts: KeptParts,
  userId: number,
  fileId: string,
  at: KeptAt,
): Promise<FileCopy | undefined> {
  const known = parseObject((await keptParts.find(objectOfFile(userId, fileId), 0)) ?? '');
  // A file of another channel may have the same name.
  if (known?.['channelId'] !== at.id || known['keyId'] !== at.keyId) return undefined;
  return { object: textOf(known['object']), bytes: numberOf(known['bytes']) };
}

/** The bytes of a copy. Throws `batch_file_not_kept` at its end if some are missing. */
export async function* readCopy(
  keptParts: KeptParts,
  { object, bytes }: FileCopy,
  fileId: string,
): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const part of keptParts.readPlaces(object)) {
    if (part.place > read) break;
    const further = part.bytes.subarray(read - part.place);
    read += further.length;
    if (further.length > 0) yield further;
  }
  if (read !== bytes) throw refuse('batch_file_not_kept', { file: fileId });
}

/** Forgets the copy of a user's file. */
export async function removeCopy(keptParts: KeptParts, userId: number, fileId: string): Promise<void> {
  const object = objectOfFile(userId, fileId);
  const known = parseObject((await keptParts.find(object, 0)) ?? '');
  if (!known) return;
  await keptParts.remove(textOf(known['object']));
  await keptParts.remove(object);
}
