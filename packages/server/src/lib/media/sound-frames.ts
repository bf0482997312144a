/**
 * The length of sound that is a plain sequence of frames (MP3 and related formats by ISO 11172-3 and 13818-3, AAC in
 * ADTS by ISO 13818-7), counted frame by frame, because a header with the length (Xing, Info) can have any value.
 */

/** Most bytes outside of frames; with more, it is another format. */
const maxStrange = 512 * 1024;
/** Consecutive frames that prove that the bytes are such sound. */
const enoughFrames = 3;

interface SoundFrame {
  bytes: number;
  seconds: number;
}

/** Seconds, or undefined if the bytes are not such sound. */
export function framedSeconds(file: Buffer): number | undefined {
  let at = tagEnd(file);
  let strange = 0;
  let frames = 0;
  let seconds = 0;
  while (at + 7 <= file.length) {
    const frame = readFrame(file, at);
    if (frame) {
      // A frame that only describes the others has no sound.
      if (frames > 0 || !standsAlone(file, at)) seconds += frame.seconds;
      frames += 1;
      at += frame.bytes;
      continue;
    }
    const next = file.indexOf(0xff, at + 1);
    strange += (next < 0 ? file.length : next) - at;
    if (frames < enoughFrames && strange > 0) return undefined;
    if (next < 0 || strange > maxStrange) break;
    at = next;
  }
  if (frames < enoughFrames || strange > maxStrange) return undefined;
  return seconds;
}

/** Position after the tag at the start of a file (ID3v2, 3.1), which images may make long. */
function tagEnd(file: Buffer): number {
  if (file.length < 10 || file.toString('latin1', 0, 3) !== 'ID3') return 0;
  const size = file.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return 10 + size + ((file[5]! & 0x10) === 0 ? 0 : 10);
}

/** Xing and Info are at the position of the first frame's side information. */
const standsAlone = (file: Buffer, at: number): boolean => {
  const head = file.toString('latin1', at, at + 48);
  return head.includes('Xing') || head.includes('Info');
};

function readFrame(file: Buffer, at: number): SoundFrame | undefined {
  if (file[at] !== 0xff) return undefined;
  const second = file[at + 1]!;
  if ((second & 0xf6) === 0xf0) return readAdts(file, at);
  return (second & 0xe0) === 0xe0 ? readMpeg(file, at) : undefined;
}

const adtsRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

function readAdts(file: Buffer, at: number): SoundFrame | undefined {
  const rate = adtsRates[(file[at + 2]! >> 2) & 15];
  const bytes = ((file[at + 3]! & 3) << 11) | (file[at + 4]! << 3) | (file[at + 5]! >> 5);
  if (rate === undefined || bytes < 8) return undefined;
  return { bytes, seconds: (1_024 * ((file[at + 6]! & 3) + 1)) / rate };
}

/** Kilobits per second by MPEG version (1 or later) and layer. */
const bitrates: Readonly<Record<string, readonly number[]>> = {
  '1-1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const mpegRates = [44_100, 48_000, 32_000];
/** The sample rate divisor of MPEG 2.5 and 2, by their bits. */
const slower = [4, undefined, 2, 1] as const;

function readMpeg(file: Buffer, at: number): SoundFrame | undefined {
  const second = file[at + 1]!;
  const third = file[at + 2]!;
  const times = slower[(second >> 3) & 3];
  const layer = 4 - ((second >> 1) & 3);
  const base = mpegRates[(third >> 2) & 3];
  const kilobits = bitrates[`${times === 1 ? 1 : 2}-${layer}`]?.[(third >> 4) - 1];
  if (times === undefined || base === undefined || kilobits === undefined) return undefined;
  const rate = base / times;
  const padding = (third >> 1) & 1;
  if (layer === 1)
    return { bytes: (Math.floor((12_000 * kilobits) / rate) + padding) * 4, seconds: 384 / rate };
  const samples = layer === 3 && times > 1 ? 576 : 1_152;
  return { bytes: Math.floor((samples * 125 * kilobits) / rate) + padding, seconds: samples / rate };
}
