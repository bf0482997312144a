import { choiceParam, numberParam, textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the audit log; the default time range is a week. */
export const auditSearch = {
  range: choiceParam(['7d', 'today', '24h', '30d', 'all', 'custom']),
  start: numberParam(0),
  end: numberParam(0),
  actor: textParam(),
  target: textParam(),
  kind: textParam(),
  text: textParam(),
};
