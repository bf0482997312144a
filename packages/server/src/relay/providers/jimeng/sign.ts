import { createHash, createHmac } from 'node:crypto';
import { type Channel, refuse, type SendTools, type TaskQuestion } from '../../types/index.ts';

const region = 'cn-north-1';
const service = 'cv';
const algorithm = 'HMAC-SHA256';
const signedHeaders = 'content-type;host;x-content-sha256;x-date';

/** The two parts of a key. Throws RelayError. */
function keyPair({ key }: Pick<Channel, 'key'>): { access: string; secret: string } {
  const [access = '', secret = '', ...rest] = key.split('|').map((part) => part.trim());
  if (access === '' || secret === '' || rest.length > 0)
    throw refuse('key_form', { form: 'AccessKeyId|SecretAccessKey' });
  return { access, secret };
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Signs a request in the form of Volcano Engine: its query, body, type and host, with the current second. */
export function signed(
  question: TaskQuestion,
  channel: Channel,
  { nowMs }: Pick<SendTools, 'nowMs'>,
): TaskQuestion {
  const { access, secret } = keyPair(channel);
  const { host, pathname, searchParams } = new URL(question.url);
  const stamp = new Date(nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const date = stamp.slice(0, 8);
  const digest = sha256(question.body ?? '');
  const type = question.headers['content-type'] ?? '';
  searchParams.sort();
  const named = `content-type:${type}\nhost:${host}\nx-content-sha256:${digest}\nx-date:${stamp}\n`;
  const request = [question.method, pathname, searchParams.toString(), named, signedHeaders, digest].join(
    '\n',
  );
  const scope = `${date}/${region}/${service}/request`;
  const words = [algorithm, stamp, scope, sha256(request)].join('\n');
  const key = [date, region, service, 'request'].reduce<string | Buffer>(hmac, secret);
  const signature = hmac(key, words).toString('hex');
  return {
    ...question,
    headers: {
      ...question.headers,
      'x-date': stamp,
      'x-content-sha256': digest,
      authorization: `${algorithm} Credential=${access}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
    },
  };
}
