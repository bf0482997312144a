import { crc32 } from 'node:zlib';

/** A text header: length of the name, name, type 7, length of the value, value. */
function header(name: string, value: string): Buffer {
  const key = Buffer.from(name);
  const text = Buffer.from(value);
  const length = Buffer.alloc(3);
  length.writeUInt8(7);
  length.writeUInt16BE(text.length, 1);
  return Buffer.concat([Buffer.of(key.length), key, length, text]);
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A frame of an AWS event stream. The code follows the published format and does not use the package that reads frames. */
export function awsFrame(headers: Readonly<Record<string, string>>, body: Buffer | string): Buffer {
  const heads = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const bytes = Buffer.from(body);
  const lengths = Buffer.concat([uint32(16 + heads.length + bytes.length), uint32(heads.length)]);
  const unsigned = Buffer.concat([lengths, uint32(crc32(lengths)), heads, bytes]);
  return Buffer.concat([unsigned, uint32(crc32(unsigned))]);
}

/** An event of ConverseStream. */
export const converseFrame = (type: string, body: unknown): Buffer =>
  awsFrame(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(body),
  );

/** A Messages event in InvokeModel's wrapper. */
export const chunkFrame = (event: unknown): Buffer =>
  converseFrame('chunk', {
    bytes: Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)).toString('base64'),
    p: 'abcdefgh',
  });

/** A failure in mid-stream. */
export const exceptionFrame = (type: string, message: string): Buffer =>
  awsFrame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  );

/** Content-Type of a stream of frames. */
export const awsStream = 'application/vnd.amazon.eventstream';
