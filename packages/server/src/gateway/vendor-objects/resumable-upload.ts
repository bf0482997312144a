import type { Readable } from 'node:stream';
import { channelStatus } from '@tollgate/contract';
import { objectOf, parseObject } from '../../lib/json.ts';
import { type Channel, refuse, RelayError, type UpstreamCall } from '../../relay/types/index.ts';
import { dropCopy, giveCopy, hasLines, type Upload } from '../../services/calls/routing/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { admitRate, checkRule, usingGroups } from '../entrance/index.ts';
import { noFile } from '../failover/index.ts';
import { copyBytes } from './copies.ts';
import { ask, behindOf, chooseChannel, fileIn, filesUrl, prepare, takeBack } from './files.ts';
import { withoutBody } from '../tasks/index.ts';

/** A resumable upload of Google's protocol between its requests. Its caller gets it sealed, as a part of an address. */
export interface UploadSession {
  /** Identifies the reservation of its bytes. */
  requestId: string;
  channelId: number;
  keyId: string;
  /** Path and query of the vendor's session. */
  target: string;
  /** Most bytes of the file. */
  bytes: number;
  /** True if the gateway keeps a copy, for batches. */
  hasCopy?: boolean;
}

/** The first request of an upload, which names the file. */
export interface UploadStart {
  /** The caller, and an empty request, which gives the headers of the channel. */
  relayCall: RelayCall;
  /** A model that must be served by the channel; '' for any channel. */
  model: string;
  /** The vendor's headers and body of the request. */
  headers: Record<string, string>;
  body: Buffer;
  /** Most bytes of the file. */
  bytes: number;
  /** Most MB of the caller's files. */
  maxUserMb: number;
}

/** A further request of an upload. */
export interface UploadPart {
  relayCall: RelayCall;
  session: UploadSession;
  /** `upload`, `finalize`, `query` or `cancel`, or several with commas. */
  command: string;
  /** Position in the file. */
  offset: string;
  length: number | undefined;
  body: Readable | undefined;
  /** Checks the caller's key again; throws the error. */
  confirm(): Promise<void>;
}

/** An answer to a request of an upload, with the headers of its state. */
export interface UploadAnswer {
  headers: Record<string, string>;
  body: Buffer;
}

const uploadHeaders = [
  'x-goog-upload-status',
  'x-goog-upload-size-received',
  'x-goog-upload-chunk-granularity',
];

const stateIn = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    uploadHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );

const entryOf = ({ relayCall: { caller } }: Pick<UploadPart, 'relayCall'>, requestId: string): Upload => ({
  userId: caller.userId,
  requestId,
  api: 'gemini',
});

/**
 * Opens an upload at a channel that keeps files, and reserves its bytes. The address of the vendor's session, which may
 * contain the channel's key, stays in the session.
 */
export async function beginUpload(
  deps: GatewayDeps,
  start: UploadStart,
): Promise<{ headers: Record<string, string>; session: UploadSession }> {
  const { relayCall, model, headers, body, bytes, maxUserMb } = start;
  const { channel, group } = chooseChannel(deps, { relayCall, api: 'gemini', model });
  await admitRate(deps.rate, relayCall.caller, group);
  const url = filesUrl(deps, 'gemini', channel);
  const call = await prepare(deps, relayCall, channel);
  const { requestId } = relayCall;
  const keyId = channel.chosenKey?.id ?? '';
  if (!(await deps.vendorFiles.reserve(entryOf(start, requestId), { id: channel.id, keyId }, bytes)))
    throw refuse('files_full', { limit: maxUserMb });
  try {
    const all = { ...withoutBody(call.headers), ...headers, 'content-length': String(body.length) };
    const answer = await ask(deps, channel, { ...call, headers: all }, 'POST', url, body);
    const address = URL.parse(String(answer.headers['x-goog-upload-url'] ?? ''));
    if (!address) throw refuse('answer_unreadable');
    return {
      headers: stateIn(answer.headers),
      session: {
        requestId,
        channelId: channel.id,
        keyId,
        // Always sent to the channel's own host, which alone may have its key.
        target: `${address.pathname}${address.search}`,
        bytes,
        hasCopy: hasLines(
          objectOf(parseObject(body)?.['file']),
          headers['x-goog-upload-header-content-type'] ?? '',
          headers['x-goog-upload-file-name'],
        ),
      },
    };
  } catch (cause) {
    await drop(deps, entryOf(start, requestId));
    throw cause;
  }
}

/** Passes a part of a file to the vendor, as it arrives. The last part gives the file to its caller. */
export async function continueUpload(deps: GatewayDeps, part: UploadPart): Promise<UploadAnswer> {
  const { relayCall, session } = part;
  const [group = ''] = usingGroups(deps, relayCall.caller, '');
  await admitRate(deps.rate, relayCall.caller, group);
  const routed = deps.routing.byId(session.channelId);
  if (routed?.status !== channelStatus.enabled) throw noFile(relayCall, 'upload', 'upload_id');
  checkRule(relayCall.caller, routed.channel, 'files');
  const channel = deps.routing.withKey(routed.channel, session.keyId);
  const call = await prepare(deps, relayCall, channel);
  const entry = entryOf(part, session.requestId);
  const body =
    session.hasCopy && part.body
      ? copyBytes(deps.keptParts, entry, part.body, Number(part.offset))
      : part.body;
  const answer = await sendPart(deps, channel, call, { ...part, body }).catch(async (cause: unknown) => {
    // The vendor has ended the session.
    if (cause instanceof RelayError && (cause.status === 404 || cause.status === 410))
      await drop(deps, entry, session);
    throw cause;
  });
  const headers = stateIn(answer.headers);
  const status = headers['x-goog-upload-status'];
  if (status === 'cancelled') await drop(deps, entry, session);
  if (status === 'final') await keepFile(deps, { part, channel, call, entry }, answer.body);
  return { headers, body: answer.body };
}

function sendPart(
  deps: GatewayDeps,
  channel: Channel,
  call: UpstreamCall,
  { session, command, offset, length, body }: UploadPart,
) {
  // Joined as text: a target that begins with two slashes would name another host.
  const url = `${new URL(filesUrl(deps, 'gemini', channel)).origin}${session.target}`;
  const headers = {
    ...withoutBody(call.headers),
    'x-goog-upload-command': command,
    ...(offset !== '' && { 'x-goog-upload-offset': offset }),
    ...(length !== undefined && { 'content-length': String(length) }),
  };
  return ask(deps, channel, { ...call, headers }, 'POST', url, body);
}

interface LastPart {
  part: UploadPart;
  channel: Channel;
  call: UpstreamCall;
  entry: Upload;
}

/** Gives the file to its caller; the vendor deletes what cannot be given. */
async function keepFile(deps: GatewayDeps, last: LastPart, answer: Buffer): Promise<void> {
  const { part, channel, call, entry } = last;
  const file = fileIn('gemini', answer);
  const { session } = part;
  if (!file) {
    await drop(deps, entry, session);
    if (parseObject(answer)?.['error'] !== undefined) return;
    throw refuse('answer_unreadable');
  }
  try {
    await part.confirm();
    const size = Number(file['sizeBytes']);
    if (session.hasCopy)
      await giveCopy(deps.keptParts, entry, { id: session.channelId, keyId: session.keyId }, file);
    await deps.vendorFiles.keep(entry, file, size > 0 ? Math.min(size, session.bytes) : session.bytes);
  } catch (cause) {
    await takeBack(deps, channel, call, filesUrl(deps, 'gemini', channel, behindOf('gemini', file)));
    await drop(deps, entry, session);
    throw cause;
  }
}

async function drop(
  deps: Pick<GatewayDeps, 'vendorFiles' | 'keptParts' | 'log'>,
  entry: Upload,
  session?: UploadSession,
): Promise<void> {
  const free = async (): Promise<void> => {
    if (session?.hasCopy) await dropCopy(deps.keptParts, entry);
    await deps.vendorFiles.drop(entry);
  };
  await free().catch((err: unknown) => {
    const { requestId } = entry;
    deps.log.error({ err, requestId }, 'the bytes of a failed upload count until its reservation expires');
  });
}
