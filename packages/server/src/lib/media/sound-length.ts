import { setImmediate as turn } from 'node:timers/promises';
import type { IFormat } from 'music-metadata';
import { framedSeconds } from './sound-frames.ts';

/**
 * Reads of a file, at most; a kilobyte counts as one too. An honest hour of any format needs a tenth of it. Bytes that
 * were made to be searched for ever are left alone.
 */
const maxReads = 200_000;
/** Reads in one turn of the loop, so that one file does not make everyone wait. */
const readsPerTurn = 2_000;
/** A length beyond what the bytes can hold by so much is a header that was never filled in. */
const tolerance = 1.1;
/**
 * Bits of a second, at most: of sound that loses something, of sound that does not, and of a video. A file that is larger
 * than its length allows has a head that lies: it plays longer than it tells.
 */
const most = { lossy: 640_000, lossless: 9_300_000, video: 12_000_000 } as const;

/** What the first bytes of the containers look like that are read; others are not searched. */
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

/** A file in memory as the reader of containers wants it: any place of it at once, with a bound on the work. */
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

/** A part of a file that is read when it is wanted. */
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
 * The length of a sound file in seconds, read from its own bytes, whatever name or type it came under; undefined where
 * they do not tell (a recording in progress, an unknown format, no sound at all). Frames are counted. Of a container the
 * head is believed as far as its size allows: recorders that write to a pipe leave it at its largest, and a forged one
 * tells a second where hours follow.
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

/** Bits of a second that such a file cannot have more of. */
function fastest({ hasVideo, lossless, sampleRate, numberOfChannels, bitsPerSample }: IFormat): number {
  if (hasVideo === true) return most.video;
  if (lossless !== true) return most.lossy;
  const own = (sampleRate ?? 0) * (numberOfChannels ?? 0) * (bitsPerSample ?? 0);
  return own > 0 ? Math.min(most.lossless, own * tolerance) : most.lossless;
}
