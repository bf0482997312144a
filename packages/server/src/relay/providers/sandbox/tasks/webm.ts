/** Video as WebM: pictures in VP8, each of which stands alone, at an even pace. */
export interface Video {
  width: number;
  height: number;
  frames: readonly Buffer[];
  /** Milliseconds that each picture is shown. */
  frameMs: number;
}

/** Elements of EBML, by their ids (RFC 8794, RFC 9559). */
const id = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  codecId: 0x86,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
} as const;

/** One second in each cluster: the time of a block is a 16-bit number within its cluster. */
const clusterMs = 1_000;

/** The bytes of a video. */
export function writeWebm({ width, height, frames, frameMs }: Video): Buffer {
  const head = element(id.ebml, [
    element(id.docType, Buffer.from('webm')),
    whole(id.docTypeVersion, 2),
    whole(id.docTypeReadVersion, 2),
  ]);
  const info = element(id.info, [
    whole(id.timestampScale, 1_000_000),
    element(id.duration, double(frames.length * frameMs)),
    element(id.muxingApp, Buffer.from('sandbox')),
    element(id.writingApp, Buffer.from('sandbox')),
  ]);
  const track = element(id.trackEntry, [
    whole(id.trackNumber, 1),
    whole(id.trackUid, 1),
    whole(id.trackType, 1),
    element(id.codecId, Buffer.from('V_VP8')),
    element(id.video, [whole(id.pixelWidth, width), whole(id.pixelHeight, height)]),
  ]);
  const perCluster = Math.max(1, Math.floor(clusterMs / frameMs));
  const clusters = [];
  for (let first = 0; first < frames.length; first += perCluster) {
    const blocks = frames
      .slice(first, first + perCluster)
      .map((frame, index) => block(frame, index * frameMs));
    clusters.push(element(id.cluster, [whole(id.timestamp, first * frameMs), ...blocks]));
  }
  return Buffer.concat([head, element(id.segment, [info, element(id.tracks, [track]), ...clusters])]);
}

/** A picture of the first track that stands alone, so many ms behind the beginning of its cluster. */
function block(frame: Buffer, ms: number): Buffer {
  const head = Buffer.from([0x81, 0, 0, 0x80]);
  head.writeInt16BE(ms, 1);
  return element(id.simpleBlock, [head, frame]);
}

function element(name: number, content: Buffer | readonly Buffer[]): Buffer {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.concat(content);
  // Sizes always take eight bytes: the first says so.
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(bytes.length));
  size[0] = 0x01;
  return Buffer.concat([bytesOf(name), size, bytes]);
}

const whole = (name: number, value: number): Buffer => element(name, bytesOf(value));

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

/** A number in as many bytes as it needs. */
function bytesOf(value: number): Buffer {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
