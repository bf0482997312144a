import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

/** Bytes that are read in one turn of the loop, so that a long file does not make everyone wait. */
const sliceBytes = 64 * 1024;
/** A length beyond what the bytes can hold by so much is a header that was never filled in. */
const tolerance = 1.1;

async function* slices(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    yield bytes.subarray(at, at + sliceBytes);
    await turn();
  }
}

/**
 * The length of a sound file in seconds, read from its own bytes, whatever name or type it came under; undefined where
 * they do not tell (a recording in progress, an unknown format, no sound at all). Recorders that write to a pipe leave
 * the size in the head at its largest: the length is then what the bytes can hold at the file's own bitrate.
 */
export async function soundSeconds(bytes: Buffer): Promise<number | undefined> {
  const source = Readable.from(slices(bytes), { objectMode: false, highWaterMark: sliceBytes });
  try {
    const { parseStream } = await import('music-metadata');
    const { format } = await parseStream(
      source,
      { size: bytes.length },
      { duration: true, skipCovers: true },
    );
    const { duration, bitrate } = format;
    if (duration === undefined || !Number.isFinite(duration) || duration <= 0) return undefined;
    const most = bitrate !== undefined && bitrate > 0 ? (bytes.length * 8) / bitrate : Infinity;
    return duration > most * tolerance ? most : duration;
  } catch {
    return undefined;
  } finally {
    source.destroy();
  }
}
