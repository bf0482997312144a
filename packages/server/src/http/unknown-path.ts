import type { Served } from './answer.ts';

interface UnknownPath {
  method: string;
  /** Without the query, which may carry secrets. */
  path: string;
}

const below = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** True for the console's calls. */
export const isApiPath = (path: string): boolean => below(path, '/api');

/** True for paths that are never a page of the console, so that a wrong address does not answer 200 with HTML. */
export const isMachinePath = (path: string): boolean =>
  ['/api', '/v1', '/assets'].some((folder) => below(path, folder));

/** The answer for an address that nobody serves: OpenAI's shape everywhere (wire-facts 2.4). */
export const serveUnknownPath = ({ method, path }: UnknownPath): Served => ({
  status: 404,
  body: {
    error: {
      message: `Invalid URL (${method} ${path})`,
      type: 'invalid_request_error',
      param: '',
      code: '',
    },
  },
});
