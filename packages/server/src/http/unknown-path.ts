import type { Language } from '@tollgate/contract';
import { refuse } from '../relay/types/index.ts';
import type { Served } from './answer.ts';

interface UnknownPath {
  /** The language that the caller asks for, else the site's; undefined if there is neither. */
  language: Language | undefined;
  method: string;
  /** Without the query, which may contain secrets. */
  path: string;
}

const below = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** True for the console's calls. */
export const isApiPath = (path: string): boolean => below(path, '/api');

/** True for paths that are never a console page, so that an unknown address is not answered with 200 and HTML. */
export const isMachinePath = (path: string): boolean =>
  ['/api', '/v1', '/assets', '/metrics', '/healthz', '/readyz'].some((folder) => below(path, folder));

/** The answer for an unknown address: OpenAI's format everywhere (docs/compatibility.md#relay-errors). */
export const serveUnknownPath = ({ method, path, language }: UnknownPath): Served => ({
  status: 404,
  body: {
    error: {
      message: refuse('unknown_path', { path: `${method} ${path}` }).in(language).message,
      type: 'invalid_request_error',
      param: '',
      code: '',
    },
  },
});
