import { errors } from '@tollgate/contract';
import type { Served } from './answer.ts';
import type { Language } from './context.ts';

interface UnknownPath {
  method: string;
  /** Without the query, which may carry secrets. */
  path: string;
  requestId: string;
  language: Language;
}

const below = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** True for the console's calls. */
export const isApiPath = (path: string): boolean => below(path, '/api');

/** True for paths that are never a page of the console, so that a wrong address does not answer 200 with HTML. */
export const isMachinePath = (path: string): boolean =>
  ['/api', '/v1', '/assets'].some((folder) => below(path, folder));

/** The answer for an address that nobody serves: the envelope below /api, OpenAI's shape elsewhere (wire-facts 2.4). */
export function serveUnknownPath({ method, path, requestId, language }: UnknownPath): Served {
  if (isApiPath(path)) {
    return {
      status: 404,
      body: {
        success: false,
        message: errors.not_found[language],
        data: null,
        code: 'not_found',
        request_id: requestId,
      },
    };
  }
  return {
    status: 404,
    body: {
      error: {
        message: `Invalid URL (${method} ${path})`,
        type: 'invalid_request_error',
        param: '',
        code: '',
      },
    },
  };
}
