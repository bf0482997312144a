import { choiceParam, numberParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the dashboard. */
export const dashboardSearch = {
  /** '' leaves it to the site (option DataExportDefaultTime). */
  range: choiceParam(['', 'today', '24h', '7d', '30d', 'custom']),
  /** Unix seconds, for 'custom' only. */
  start: numberParam(0),
  end: numberParam(0),
  /** '' chooses by the span. */
  unit: choiceParam(['', 'hour', 'day', 'week']),
  measure: choiceParam(['quota', 'count', 'tokens']),
  /** For administrators only. */
  scope: choiceParam(['all', 'own']),
  username: textParam(),
};
