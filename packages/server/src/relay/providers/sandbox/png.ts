import { crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A picture with palette indexes as points. */
export interface Points {
  width: number;
  height: number;
  /** Bits for each point. */
  bits: 1 | 8;
  /** Red, green and blue of each colour. */
  palette: Buffer;
  /** Each row begins with its filter, which is 0 for none. */
  rows: Buffer;
}

/** The bytes of a PNG file. */
export function writePng({ width, height, bits, palette, rows }: Points): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = bits;
  head[9] = 3; // Colours from a palette.
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A picture of two colours, one bit for each point: stripes by the seed. */
export function stripes(width: number, height: number, seed: number): Buffer {
  const light = [seed & 0x7f, (seed >> 7) & 0x7f, (seed >> 14) & 0x7f].map((part) => 0x80 + part);
  const palette = Buffer.from([...light, ...light.map((part) => 0xff - part)]);
  const row = Buffer.alloc(1 + Math.ceil(width / 8), (seed & 0xff) ^ 0x0f);
  row[0] = 0;
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return writePng({ width, height, bits: 1, palette, rows });
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
