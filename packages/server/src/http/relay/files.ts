import { PlainRequest } from '@tollgate/http-engine';
import { Readable } from 'node:stream';
import { FormError, readBoundary } from '../../lib/form.ts';
import { FormStream } from '../../lib/form-stream.ts';
import type { FileCall, FileUpload, RelayCall } from '../../gateway/index.ts';
import { type FilesApi, invalidForm, refuse, RelayError } from '../../relay/types/index.ts';
import type { FileQuery } from '../../services/calls/routing/index.ts';
import { type AuthorizedRequest, brokenOff, emptyCall, readBodyOf } from './read-call.ts';
import { isForm } from './read-form.ts';

/** Calls about files that vendors keep for callers. */
export interface FileDeps {
  uploadFile(upload: FileUpload): Promise<object>;
  passFile(call: FileCall): Promise<void>;
  listFiles(relayCall: RelayCall, query: FileQuery): Promise<object>;
  /** Most MB of one file, and of all files of a user. */
  maxFileMb: number;
  maxUserFilesMb: number;
  identityHeaders(requestId: string): Record<string, string>;
}

const mb = 1024 * 1024;
/** The fields of a form beside its file. */
const formMargin = 128 * 1024;

/** Answers a call about files: upload, list, description, content, deletion. */
export async function answerFiles(deps: FileDeps, authorized: AuthorizedRequest): Promise<void> {
  const { matched, inbound, client, requestId } = authorized;
  const api = apis[inbound.id];
  if (!api) throw refuse('api_not_implemented');
  const { route, slots } = matched;
  const relayCall = emptyCall({ ...authorized, matched: { route: { ...route, inbound }, slots } });
  const { id: fileId } = slots;
  if (fileId !== undefined) {
    const [, rest = ''] = route.path.split('{id}');
    return deps.passFile({
      relayCall,
      api,
      method: route.method === 'DELETE' ? 'DELETE' : 'GET',
      fileId,
      rest,
    });
  }
  const body =
    route.method === 'POST'
      ? await upload(deps, authorized, relayCall, api)
      : await deps.listFiles(relayCall, readQuery(api, authorized.query));
  client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(requestId) });
  client.finish(Buffer.from(JSON.stringify(body)), {});
}

/** By the protocol of the caller; Google's files are not offered. */
const apis: Partial<Record<string, FilesApi>> = {
  'openai-chat': 'openai',
  'anthropic-messages': 'anthropic',
};

/** Most files of a page. */
const maxPage = 1_000;
const maxIds = 100;

function readQuery(api: FilesApi, text: string): FileQuery {
  const query = new URLSearchParams(text);
  if (query.has('before_id') || query.has('scope_id')) throw refuse('files_query_invalid', { ids: maxIds });
  const ids = [...query.getAll('ids'), ...query.getAll('ids[]')];
  if (ids.length > maxIds) throw refuse('files_query_invalid', { ids: maxIds });
  const limit = query.get('limit') ?? String(maxPage);
  const order = query.get('order') ?? 'desc';
  if (!/^[1-9]\d{0,4}$/.test(limit) || !/^(?:asc|desc)$/.test(order))
    throw refuse('files_query_invalid', { ids: maxIds });
  return {
    api,
    ...(ids.length > 0 && { ids }),
    purpose: query.get('purpose') ?? '',
    after: query.get('after') ?? query.get('after_id') ?? query.get('page') ?? '',
    descending: order === 'desc',
    limit: Math.min(Number(limit), maxPage),
  };
}

/** Purposes of calls that are not offered here: their files would lie at the vendor without use. */
const unofferedPurposes: ReadonlySet<string> = new Set(['batch', 'fine-tune', 'evals']);

function upload(
  deps: FileDeps,
  authorized: AuthorizedRequest,
  relayCall: RelayCall,
  api: FilesApi,
): Promise<object> {
  const { req, query } = authorized;
  const maxBytes = deps.maxFileMb * mb;
  const tooLarge = () => refuse('request_too_large', { limit: deps.maxFileMb });
  const contentType = req.headers['content-type'] ?? '';
  if (!isForm(contentType)) throw refuse('form_required');
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity') throw refuse('unsupported_encoding', { encoding: encoding.slice(0, 40) });
  const { 'content-length': named } = req.headers;
  const length = named === undefined ? undefined : Number(named);
  if (length !== undefined && length > maxBytes + formMargin) throw tooLarge();
  const boundary = boundaryOf(contentType);
  const open = (): FormStream => {
    const form = new FormStream(boundary, {
      fileField: 'file',
      maxFileBytes: maxBytes,
      tooLarge,
      wrongFile: (field) =>
        refuse('field_required', { field: field === 'file' ? field : `file, not ${field}` }),
      field(name, value) {
        if (api === 'openai' && name === 'purpose' && unofferedPurposes.has(value))
          throw refuse('api_not_implemented');
      },
      // That took a while: the key may have been revoked since.
      complete: () => authorized.identifyAgain()?.then(() => undefined),
    });
    // Errors of the form are those of its reader.
    form.on('error', () => undefined);
    feed(authorized, form);
    return form;
  };
  const model = new URLSearchParams(query).get('model') ?? '';
  return deps
    .uploadFile({
      relayCall,
      api,
      model,
      contentType,
      length,
      maxBytes,
      maxUserMb: deps.maxUserFilesMb,
      open,
    })
    .catch((error: unknown) => {
      throw asRefusal(error);
    });
}

function boundaryOf(contentType: string): string {
  try {
    return readBoundary(contentType);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** The refusal of a form, which may be the cause of a broken upload. */
function asRefusal(error: unknown): unknown {
  if (error instanceof FormError) return invalidForm(error);
  const isBroken = error instanceof RelayError && error.cause instanceof FormError;
  return isBroken ? invalidForm(error.cause as FormError) : error;
}

/** Reads the caller's body into a form, no faster than the form is passed on. */
function feed(authorized: AuthorizedRequest, form: FormStream): void {
  const { req } = authorized;
  if (req instanceof PlainRequest) {
    // These are short, and come as a whole.
    readBodyOf(authorized, Number.MAX_SAFE_INTEGER).then(
      (body) => Readable.from([body]).pipe(form),
      (error: Error) => form.destroy(error),
    );
    return;
  }
  authorized.invite?.();
  const breakOff = (): void => {
    if (!req.complete) form.destroy(brokenOff());
  };
  req.on('error', breakOff).on('close', breakOff).pipe(form);
}
