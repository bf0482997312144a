import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

const compress = promisify(deflateRaw);
const expand = promisify(inflateRaw);

/** Compresses bytes to a text in base64, for a column. */
export const pack = async (bytes: string | Buffer): Promise<string> =>
  (await compress(bytes)).toString('base64');

/** The bytes of a packed text. Rejects for any other text. */
export const unpack = (text: string): Promise<Buffer> => expand(Buffer.from(text, 'base64'));
