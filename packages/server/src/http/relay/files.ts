import { FormError, readBoundary } from '../../lib/form.ts';
import { BoundedStream, FormStream } from '../../lib/form-stream.ts';
import type { FileCall, FileUpload, RelayCall } from '../../gateway/index.ts';
import { type FilesApi, invalidForm, refuse, RelayError } from '../../relay/types/index.ts';
import type { FileQuery } from '../../services/calls/routing/index.ts';
import { answerResumable, isRelated, type ResumableDeps } from './google-upload.ts';
import { type AuthorizedRequest, emptyCall } from './read-call.ts';
import { isForm } from './read-form.ts';
import { feed, lengthOf } from './upload-body.ts';

/** Calls about files that vendors keep for callers. */
export interface FileDeps extends ResumableDeps {
  uploadFile(upload: FileUpload): Promise<object>;
  passFile(call: FileCall): Promise<void>;
  listFiles(relayCall: RelayCall, query: FileQuery): Promise<object>;
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
  const isUpload = route.path.startsWith('/upload/');
  if (isUpload && !isRelated(authorized)) return answerResumable(deps, authorized, relayCall);
  if (api === 'gemini' && route.method === 'POST' && !isUpload) throw refuse('api_not_implemented');
  const { id: fileId } = slots;
  if (fileId !== undefined) {
    const [, rest = ''] = route.path.split('{id}');
    return deps.passFile({
      relayCall,
      api,
      method: route.method === 'DELETE' ? 'DELETE' : 'GET',
      ...(api === 'gemini' ? readGoogleName(fileId + rest) : { fileId, rest }),
    });
  }
  const body =
    route.method === 'POST'
      ? await upload(deps, authorized, relayCall, api)
      : await deps.listFiles(relayCall, readQuery(api, authorized.query));
  client.head(200, { 'content-type': 'application/json', ...deps.identityHeaders(requestId) });
  client.finish(Buffer.from(JSON.stringify(isUpload ? { file: body } : body)), {});
}

/** By the protocol of the caller. */
const apis: Partial<Record<string, FilesApi>> = {
  'openai-chat': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'gemini',
};

/** Most files of a page, and most in a query. */
const maxPage = 1_000;
const maxIds = 100;

export function readQuery(api: FilesApi, text: string): FileQuery {
  const query = new URLSearchParams(text);
  if (api === 'gemini') return readGoogleQuery(query, api);
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

/** The verb behind a name at Google. */
function readGoogleName(name: string): Pick<FileCall, 'fileId' | 'rest'> {
  const id = name.replace(/:download$/, '');
  return { fileId: `files/${id}`, rest: name.slice(id.length) };
}

/** Google's page has 10 files by default, and 100 at most. */
export function readGoogleQuery(query: URLSearchParams, api: 'gemini' | 'caches'): FileQuery {
  const size = query.get('pageSize') ?? query.get('page_size') ?? '';
  if (!/^\d{0,9}$/.test(size)) throw refuse('invalid_query');
  return {
    api,
    purpose: '',
    after: query.get('pageToken') ?? query.get('page_token') ?? '',
    descending: true,
    limit: Math.min(Number(size) || 10, 100),
  };
}

/** Purposes of calls that are not offered here: their files would lie at the vendor without use. */
const unofferedPurposes: ReadonlySet<string> = new Set(['fine-tune', 'evals']);

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
  if (api !== 'gemini' && !isForm(contentType)) throw refuse('form_required');
  const length = lengthOf(req);
  if (length !== undefined && length > maxBytes + formMargin) throw tooLarge();
  const boundary = api === 'gemini' ? '' : boundaryOf(contentType);
  const complete = (): Promise<void> | undefined => authorized.identifyAgain()?.then(() => undefined);
  let purpose = '';
  const open = (keepsItself = false): FormStream | BoundedStream => {
    if (api === 'gemini') {
      const parts = new BoundedStream({ maxBytes: maxBytes + formMargin, tooLarge, complete });
      parts.on('error', () => undefined);
      feed(authorized, parts);
      return parts;
    }
    const form = new FormStream(boundary, {
      fileField: 'file',
      maxFileBytes: maxBytes,
      tooLarge,
      wrongFile: (field) =>
        refuse('field_required', { field: field === 'file' ? field : `file, not ${field}` }),
      field(name, value) {
        if (api !== 'openai' || name !== 'purpose') return;
        if (unofferedPurposes.has(value)) throw refuse('api_not_implemented');
        purpose = value;
      },
      fileOnly: keepsItself,
      complete() {
        // No vendor could read it.
        if (keepsItself && purpose !== 'batch') throw refuse('api_not_implemented');
        // That took a while: the key may have been revoked since.
        return complete();
      },
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
      ...(api === 'gemini' && { headers: { 'x-goog-upload-protocol': 'multipart' } }),
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
