import { choiceParam, numberParam, textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the margins; a month is shown unless another time is asked for. */
export const marginSearch = {
  range: choiceParam(['30d', 'today', '24h', '7d', 'all', 'custom']),
  start: numberParam(0),
  end: numberParam(0),
  by: choiceParam(['channel', 'model', 'user', 'team', 'day']),
  channel: numberParam(0),
  model: textParam(),
  sort: textParam(),
};
