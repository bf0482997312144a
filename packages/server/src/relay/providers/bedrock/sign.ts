import { AwsV4Signer } from 'aws4fetch';
import type { Channel, SendTools, UpstreamCall } from '../../types/index.ts';
import { readKey } from './key.ts';

/** `20261121T070000Z` */
const dateOf = (nowMs: number): string => new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');

/**
 * Signs a call with AWS Signature Version 4. The address, the content type and the whole body are signed; headers that
 * proxies may change are not. Calls with an API key carry that instead.
 */
export async function signCall(
  call: UpstreamCall,
  channel: Channel,
  { nowMs }: Pick<SendTools, 'nowMs'>,
): Promise<UpstreamCall> {
  const key = readKey(channel);
  if (key.kind === 'bearer') return call;
  const { accessKeyId, secretAccessKey, sessionToken, region } = key;
  const contentType = call.headers['content-type'];
  const signer = new AwsV4Signer({
    method: call.method,
    url: call.url,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
    allHeaders: true,
    // A copy of the view, not of the bytes: the signer knows no Buffer.
    body: new Uint8Array(call.body.buffer as ArrayBuffer, call.body.byteOffset, call.body.length),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== '' && { sessionToken }),
    service: 'bedrock',
    region,
    datetime: dateOf(nowMs()),
  });
  const { headers } = await signer.sign();
  return { ...call, headers: { ...call.headers, ...Object.fromEntries(headers) } };
}
