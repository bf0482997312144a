import type { JsonObject } from '../../../lib/json.ts';
import type { Channel, TaskQuestion } from '../../types/index.ts';

type Headers = Readonly<Record<string, string>>;

/** A call without a body and with a JSON answer. */
export const getJson = (url: string, headers: Headers): TaskQuestion => ({
  method: 'GET',
  url,
  headers: { accept: 'application/json', ...headers },
});

/** A call with JSON body and answer; members without a value are left out. */
export const postJson = (url: string, headers: Headers, body: JsonObject): TaskQuestion => ({
  method: 'POST',
  url,
  headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});

/** The bytes of a video at an address that the vendor's answer named, which needs no key. */
export const publicVideo = (url: string): TaskQuestion => ({ method: 'GET', url, headers: {} });

/** The header of vendors that are sent the channel's key as it is. */
export const bearer = ({ key }: Channel): Record<string, string> => ({ authorization: `Bearer ${key}` });
