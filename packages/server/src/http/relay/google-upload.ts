import { type Clock, seconds } from '../../lib/clock.ts';
import { BoundedStream } from '../../lib/form-stream.ts';
import { parseObject } from '../../lib/json.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { RelayCall, UploadAnswer, UploadPart, UploadSession, UploadStart } from '../../gateway/index.ts';
import { refuse } from '../../relay/types/index.ts';
import { type KeyMark, markOfKey, readCredential } from '../../services/people/tokens/index.ts';
import { type AuthorizedRequest, readBodyOf } from './read-call.ts';
import { feed, lengthOf } from './upload-body.ts';

/** Resumable uploads of Google's protocol. */
export interface ResumableDeps {
  beginUpload(start: UploadStart): Promise<{ headers: Record<string, string>; session: UploadSession }>;
  continueUpload(part: UploadPart): Promise<UploadAnswer>;
  uploads: UploadAddresses;
  /** The site's address for this caller. */
  siteAddress(req: AuthorizedRequest['req']): string;
  /** Most MB of one file, and of all files of a user. */
  maxFileMb: number;
  maxUserFilesMb: number;
  identityHeaders(requestId: string): Record<string, string>;
}

/** The content of an upload's address. */
interface SealedUpload extends UploadSession {
  key: KeyMark;
  /** Unix seconds. */
  until: number;
}

/** Addresses of uploads in progress, for all processes of a site: Google's clients send no key to them. */
export interface UploadAddresses {
  seal(session: UploadSession, key: KeyMark): string;
  /** The upload of an address with this query; undefined for another address. Throws `file_not_found`. */
  read(query: string): SealedUpload | undefined;
}

/** As long as the reservation of the bytes. */
const uploadSeconds = 6 * 3_600;
const place = { column: 'upload_id', row: 'google' };

/** Opens the addresses of uploads. */
export const createUploadAddresses = ({
  sealer,
  clock,
}: {
  sealer: Sealer;
  clock: Clock;
}): UploadAddresses => ({
  seal: (session, key) =>
    sealer.seal(
      JSON.stringify({ ...session, key, until: seconds(clock) + uploadSeconds } satisfies SealedUpload),
      place,
    ),
  read(query) {
    const id = query.includes('upload_id=') ? new URLSearchParams(query).get('upload_id') : null;
    if (id === null) return undefined;
    const unknown = refuse('file_not_found', { id: 'upload' }, { param: 'upload_id' });
    let text: string;
    try {
      text = sealer.open(id, place);
    } catch {
      throw unknown;
    }
    const upload = JSON.parse(text || '{"until":0}') as SealedUpload;
    if (upload.until <= seconds(clock)) throw unknown;
    return upload;
  },
});

const mb = 1024 * 1024;
/** The description of a file before its bytes. */
const maxStartBytes = 64 * 1024;

const headerOf = ({ req }: AuthorizedRequest, name: string): string => String(req.headers[name] ?? '').trim();

/** True for an upload in one request: Google's older clients send the description and the file as parts. */
export const isRelated = (authorized: AuthorizedRequest): boolean =>
  /^\s*multipart\/related\s*;/i.test(headerOf(authorized, 'content-type'));

/** Answers a request of a resumable upload: its start, a part, a question, or its end. */
export async function answerResumable(
  deps: ResumableDeps,
  authorized: AuthorizedRequest,
  relayCall: RelayCall,
): Promise<void> {
  const session = deps.uploads.read(authorized.query);
  const { headers, body } = session
    ? await passPart(deps, authorized, relayCall, session)
    : await start(deps, authorized, relayCall);
  const { client, requestId } = authorized;
  const type = body.length > 0 ? 'application/json' : 'text/plain';
  client.head(200, { 'content-type': type, ...deps.identityHeaders(requestId), ...headers });
  client.finish(body, {});
}

async function start(
  deps: ResumableDeps,
  authorized: AuthorizedRequest,
  relayCall: RelayCall,
): Promise<UploadAnswer> {
  const { req, path, query } = authorized;
  const protocol = headerOf(authorized, 'x-goog-upload-protocol') || 'resumable';
  const command = headerOf(authorized, 'x-goog-upload-command') || 'start';
  if (protocol.toLowerCase() !== 'resumable' || command.toLowerCase() !== 'start')
    throw refuse('api_not_implemented');
  const announced = headerOf(authorized, 'x-goog-upload-header-content-length');
  if (!/^\d{0,15}$/.test(announced)) throw refuse('invalid_query');
  const bytes = announced === '' ? deps.maxFileMb * mb : Number(announced);
  if (bytes > deps.maxFileMb * mb) throw refuse('request_too_large', { limit: deps.maxFileMb });
  const body = await readBodyOf(authorized, maxStartBytes);
  if (body.length > 0 && !parseObject(body)) throw refuse('invalid_json');
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-goog-upload-protocol': protocol,
    'x-goog-upload-command': command,
  };
  for (const [name, value] of Object.entries(req.headers))
    if (name.startsWith('x-goog-upload-')) headers[name] = String(value);
  const model = new URLSearchParams(query).get('model') ?? '';
  const begun = await deps.beginUpload({
    relayCall,
    model,
    headers,
    body,
    bytes,
    maxUserMb: deps.maxUserFilesMb,
  });
  const mark = markOfKey(readCredential(path, query, req.headers));
  const id = encodeURIComponent(deps.uploads.seal(begun.session, mark));
  const address = `${deps.siteAddress(req)}${path}?upload_id=${id}&upload_protocol=resumable`;
  return {
    body: Buffer.from('{}'),
    headers: {
      'x-goog-upload-status': 'active',
      ...begun.headers,
      'x-goog-upload-url': address,
      'x-goog-upload-control-url': address,
    },
  };
}

const commands = /^(?:upload|finalize|query|cancel)(?: *, *(?:upload|finalize))*$/i;

async function passPart(
  deps: ResumableDeps,
  authorized: AuthorizedRequest,
  relayCall: RelayCall,
  session: UploadSession,
): Promise<UploadAnswer> {
  const command = headerOf(authorized, 'x-goog-upload-command');
  const offset = headerOf(authorized, 'x-goog-upload-offset');
  if (!commands.test(command) || !/^\d{0,15}$/.test(offset)) throw refuse('invalid_query');
  const tooLarge = () => refuse('request_too_large', { limit: deps.maxFileMb });
  const length = lengthOf(authorized.req);
  const maxBytes = session.bytes - Number(offset);
  if (maxBytes < 0 || (length ?? 0) > maxBytes) throw tooLarge();
  const confirm = async (): Promise<void> => {
    await authorized.identifyAgain();
  };
  const sendsBytes = /upload/i.test(command);
  const body = sendsBytes ? new BoundedStream({ maxBytes, tooLarge, complete: confirm }) : undefined;
  if (body) {
    body.on('error', () => undefined);
    feed(authorized, body);
  }
  try {
    return await deps.continueUpload({
      relayCall,
      session,
      command,
      offset,
      length: sendsBytes ? length : 0,
      body,
      confirm,
    });
  } catch (error) {
    body?.destroy();
    throw error;
  }
}
