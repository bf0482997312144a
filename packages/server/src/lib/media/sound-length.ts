import { setImmediate as turn } from 'node:timers/promises';
import type { IFormat } from 'music-metadata';
import { framedSeconds } from './sound-frames.ts';

/**
 * Most reads of a file; each kilobyte also counts as one. A real hour of any format needs a tenth of it. Bytes that
 * are made to be searched endlessly are given up.
 */
const maxReads = 200_000;
/** Reads in one turn of the event loop, so that one file does not block it. */
const readsPerTurn = 2_000;
/** If the length exceeds what the bytes can contain by this factor, the header was never completed. */
const tolerance = 1.1;
/**
 * Most bits per second of lossy sound, of lossless sound, and of a video. If a file is larger than its length allows,
 * its header is wrong and it plays longer.
 */
const most = { lossy: 640_000, lossless: 9_300_000, video: 12_000_000 } as const;

/** The first bytes of the supported containers; others are not searched. */
const containers: readonly (readonly [at: number, bytes: string])[] = [
  [0, 'RIFF'],
  [0, 'RF64'],
  [0, 'FORM'],
  [0, 'OggS'],
  [0, 'fLaC'],
  [4, 'ftyp'],
  [0, '\u001aE\u00df\u00a3'],
  [0, '0&\u00b2u'],
];

/** A file in memory for the container reader: random access, with a limit of work. */
class BoundedFile extends Blob {
  private readonly file: Buffer;
  private reads = 0;
  private nextTurn = readsPerTurn;

  constructor(bytes: Buffer) {
    super([]);
    this.file = bytes;
    Object.defineProperty(this, 'size', { value: bytes.length });
  }

  override slice(start = 0, end = this.size): Blob {
    return new Slice(() => this.read(start, end));
  }

  private async read(start: number, end: number): Promise<ArrayBuffer> {
    this.reads += 1 + (end - start) / 1_024;
    if (this.reads > maxReads) throw new Error('this takes too long to read');
    if (this.reads > this.nextTurn) {
      this.nextTurn = this.reads + readsPerTurn;
      await turn();
    }
    return new Uint8Array(this.file.subarray(start, end)).buffer;
  }
}

/** A part of a file that is read on demand. */
class Slice extends Blob {
  private readonly read: () => Promise<ArrayBuffer>;

  constructor(read: () => Promise<ArrayBuffer>) {
    super([]);
    this.read = read;
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return this.read();
  }
}

/**
 * The length of a sound file in seconds, read from its bytes, whatever its name or type; undefined if they do not
 * have it (a recording in progress, an unknown format, no sound). Frames are counted. The header of a container is
 * trusted as far as its size allows: recorders that write to a pipe leave the largest value in it, and a forged one
 * can say one second for hours.
 */
export async function soundSeconds(bytes: Buffer): Promise<number | undefined> {
  if (!containers.some(([at, mark]) => bytes.toString('latin1', at, at + mark.length) === mark)) {
    return framedSeconds(bytes);
  }
  try {
    const { parseBlob } = await import('music-metadata');
    const { format } = await parseBlob(new BoundedFile(bytes), { duration: true, skipCovers: true });
    return believed(format, bytes.length * 8);
  } catch {
    return undefined;
  }
}

function believed(format: IFormat, bits: number): number | undefined {
  const { duration, bitrate } = format;
  if (duration === undefined || !Number.isFinite(duration) || duration <= 0) return undefined;
  const longest = bitrate !== undefined && bitrate > 0 ? bits / bitrate : Infinity;
  const seconds = duration > longest * tolerance ? longest : duration;
  return Math.max(seconds, bits / fastest(format));
}

/** Bits per second that such a file cannot exceed. */
function fastest({ hasVideo, lossless, sampleRate, numberOfChannels, bitsPerSample }: IFormat): number {
  if (hasVideo === true) return most.video;
  if (lossless !== true) return most.lossy;
  const own = (sampleRate ?? 0) * (numberOfChannels ?? 0) * (bitsPerSample ?? 0);
  return own > 0 ? Math.min(most.lossless, own * tolerance) : most.lossless;
}
