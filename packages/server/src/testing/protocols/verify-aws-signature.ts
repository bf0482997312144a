import { createHash, createHmac } from 'node:crypto';
import type { RecordedRequest } from '../upstream/fake-upstream.ts';

const hash = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text, 'utf8').digest();

/** Percent-encodes everything except letters, digits and `-._~`, as the algorithm requires. */
const escape = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Scope of a signature, and whether it is correct for the secret. */
export interface Verified {
  accessKeyId: string;
  /** `<date>/<region>/<service>/aws4_request` */
  scope: string;
  signedHeaders: string[];
  isRight: boolean;
}

/**
 * Recomputes the signature of a request, as AWS does on receipt. It follows the published algorithm ("Create a signed AWS
 * API request", Signature Version 4) and does not use the signing package.
 */
export function verifyAwsSignature(request: RecordedRequest, secretAccessKey: string): Verified {
  const header = (name: string): string => String(request.headers[name] ?? '');
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      header('authorization'),
    );
  if (!parts) throw new Error(`no signature in ${header('authorization')}`);
  const [, accessKeyId = '', scope = '', names = '', signature] = parts;
  const [date = '', region = '', service = ''] = scope.split('/');
  const [path = '', query = ''] = request.path.split('?');
  const signedHeaders = names.split(';');
  const canonical = [
    request.method,
    // Every segment is encoded a second time. All services except S3 require this.
    path.split('/').map(escape).join('/'),
    query.split('&').toSorted().join('&'),
    ...signedHeaders.map((name) => `${name}:${header(name).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    hash(request.body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', header('x-amz-date'), scope, hash(canonical)].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  return {
    accessKeyId,
    scope,
    signedHeaders,
    isRight: hmac(key, toSign).toString('hex') === signature && header('x-amz-date').startsWith(date),
  };
}
