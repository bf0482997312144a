import { rangeParams } from '../../../shared/time-range/range.ts';
import { numberParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the log page. */
export const logSearch = {
  ...rangeParams,
  p: pageParam,
  /** The row whose receipt is open. */
  open: textParam(),
  /** 0 for all. */
  type: numberParam(0, 0, 7),
  token: textParam(),
  model: textParam(),
  group: textParam(),
  request: textParam(),
  /** `user`, `team`, or the id of a team; '' for all. */
  payer: textParam(),
  /** For administrators only. */
  username: textParam(),
  channel: numberParam(0),
};
