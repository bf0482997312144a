import { rangeParams } from '../../../shared/time-range/range.ts';
import { choiceParam, numberParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** The parts of an organisation's page. */
export const teamTabs = [
  'overview',
  'members',
  'invitations',
  'keys',
  'usage',
  'statement',
  'settings',
] as const;
export type TeamTab = (typeof teamTabs)[number];

/** URL parameters of an organisation's page. */
export const teamSearch = {
  ...rangeParams,
  tab: choiceParam(teamTabs),
  p: pageParam,
  sort: textParam(),
  /** The member or key whose form is open: its id, or `new`. */
  edit: textParam(),
  /** The key whose text, code and try-it box are open; 0 for none. */
  use: numberParam(0),
  username: textParam(),
  token: textParam(),
  model: textParam(),
  /** A month of the statement, `2026-11`; '' for this one. */
  month: textParam(),
};

/** Each tab starts with its own state: pages, filters and forms of one tab mean nothing in another. */
export const freshTab = {
  range: 'today',
  start: 0,
  end: 0,
  p: 1,
  sort: '',
  edit: '',
  use: 0,
  username: '',
  token: '',
  model: '',
  month: '',
} as const;
