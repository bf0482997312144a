import { numberParam, pageParam, textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the token page. */
export const tokenSearch = {
  p: pageParam,
  keyword: textParam(),
  key: textParam(),
  sort: textParam(),
  /** The token in the form: its id, or `new`. */
  edit: textParam(),
  /** The token whose key, code and try-it box are open; 0 for none. */
  use: numberParam(0),
};
