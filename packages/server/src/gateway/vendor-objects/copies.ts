import { Readable } from 'node:stream';
import { FormError, readBoundary } from '../../lib/form.ts';
import { objectOf, parseObject } from '../../lib/json.ts';
import { CopyWriter, hasLines, type KeptParts, type Upload } from '../../services/calls/routing/index.ts';

type CopiedUpload = Pick<Upload, 'userId' | 'requestId'>;

/**
 * Keeps bytes of an upload while they pass, from an offset of its file. The last bytes pass when all are kept: the vendor
 * may answer at once.
 */
export function copyBytes(
  keptParts: KeptParts,
  upload: CopiedUpload,
  body: Readable,
  offset: number,
): Readable {
  const writer = new CopyWriter(keptParts, upload, offset);
  return passing(
    body,
    (bytes) => writer.add(bytes),
    () => writer.end(),
  );
}

/** Keeps the file in an upload of two parts while it passes, if it has JSON lines; `isKept` is known at its end. */
export function copyPart(
  keptParts: KeptParts,
  upload: CopiedUpload,
  body: Readable,
  contentType: string,
): { body: Readable; isKept: () => boolean } {
  const delimiter = delimiterIn(contentType);
  if (!delimiter) return { body, isKept: () => false };
  const writer = new CopyWriter(keptParts, upload, 0);
  let state: 'head' | 'file' | 'other' = 'head';
  let rest: Buffer = lineEnd;
  const add = async (bytes: Buffer): Promise<void> => {
    if (state === 'other') return;
    rest = Buffer.concat([rest, bytes]);
    if (state === 'head') {
      const head = readHead(rest, delimiter);
      if (head) rest = rest.subarray(head.end);
      if (head || rest.length > maxHeadBytes) state = head?.hasLines ? 'file' : 'other';
    }
    if (state !== 'file') return;
    // The end of the body is none of the file's.
    const passed = Math.max(0, rest.length - maxEndBytes);
    if (passed > 0) await writer.add(rest.subarray(0, passed));
    rest = rest.subarray(passed);
  };
  const end = async (): Promise<void> => {
    const at = rest.lastIndexOf(delimiter);
    if (state !== 'file' || at < 0) return;
    await writer.add(rest.subarray(0, at));
    await writer.end();
  };
  return { body: passing(body, add, end), isKept: () => state === 'file' };
}

const lineEnd = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');
/** Most bytes before the file, and behind it: longer ones are not read. */
const maxHeadBytes = 64 * 1024;
const maxEndBytes = 256;

function delimiterIn(contentType: string): Buffer | undefined {
  try {
    return Buffer.from(`\r\n--${readBoundary(contentType)}`);
  } catch (error) {
    // The vendor refuses it.
    if (error instanceof FormError) return undefined;
    throw error;
  }
}

/** The end of what is before the file; undefined if more bytes are needed. */
function readHead(bytes: Buffer, delimiter: Buffer): { end: number; hasLines: boolean } | undefined {
  const described = bytes.indexOf(headEnd, bytes.indexOf(delimiter));
  const second = described < 0 ? -1 : bytes.indexOf(delimiter, described + lineEnd.length);
  const end = second < 0 ? -1 : bytes.indexOf(headEnd, second);
  if (end < 0) return undefined;
  const { file } = objectOf(parseObject(bytes.subarray(described + headEnd.length, second)));
  const [, type = ''] = /^content-type: *(.*)$/im.exec(bytes.toString('latin1', second, end)) ?? [];
  return { end: end + headEnd.length, hasLines: hasLines(objectOf(file), type) };
}

function passing(body: Readable, add: (bytes: Buffer) => Promise<void>, end: () => Promise<void>): Readable {
  const pass = async function* (): AsyncGenerator<Buffer> {
    let last: Buffer | undefined;
    for await (const bytes of body as AsyncIterable<Buffer>) {
      await add(bytes);
      if (last) yield last;
      last = bytes;
    }
    await end();
    if (last) yield last;
  };
  return Readable.from(pass(), { objectMode: false });
}
