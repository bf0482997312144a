import { entryOf } from '../../../lib/json.ts';
import { framedSeconds } from '../../../lib/media/sound-frames.ts';
import { BytesPass } from '../../streams/index.ts';
import type { DeliveredText } from '../../types/index.ts';

/** Bytes at the start of an answer from which its bit rate is read. */
const headBytes = 65_536;
/** Samples of two bytes, 24,000 per second: OpenAI's `pcm` and `wav`. */
const pcmPerSecond = 48_000;
/** Bytes per second by format, if frames do not show the length: Opus as speech, FLAC at half of its samples. */
const defaultBytesPerSecond: Readonly<Record<string, number>> = {
  mp3: 16_000,
  aac: 12_000,
  opus: 4_000,
  flac: pcmPerSecond / 2,
  wav: pcmPerSecond,
  pcm: pcmPerSecond,
};

/**
 * Measures speech of models that are charged by its length and do not report it: the length is computed from the bytes, by
 * the first frames or by the format.
 */
export class SpeechPass extends BytesPass {
  private readonly format: string;
  private head: Buffer = Buffer.alloc(0);
  private bytes = 0;
  private reported = 0;

  /** `format` is the requested `response_format`. */
  constructor(contentType: string, format: string) {
    super(contentType);
    this.format = format;
  }

  override push(chunk: Buffer): Buffer | undefined {
    const room = headBytes - this.head.length;
    if (room > 0) this.head = Buffer.concat([this.head, chunk.subarray(0, room)]);
    this.bytes += chunk.length;
    return super.push(chunk);
  }

  /** The sound since the last call, in seconds. */
  override takeText(): DeliveredText {
    const seconds = this.bytes / this.bytesPerSecond();
    const media = { imageTokens: 0, soundSeconds: Math.max(0, seconds - this.reported) };
    this.reported = Math.max(this.reported, seconds);
    return { ...super.takeText(), ...(media.soundSeconds > 0 && { media }) };
  }

  private bytesPerSecond(): number {
    const seconds = framedSeconds(this.head);
    if (seconds !== undefined && seconds > 0) return this.head.length / seconds;
    return entryOf(defaultBytesPerSecond, this.format) ?? defaultBytesPerSecond.mp3!;
  }
}
